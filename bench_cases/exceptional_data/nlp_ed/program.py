"""A word model, its parameters updated by hand."""

import torch
from torch import nn


class RNNModel(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.encoder = nn.Embedding(words, size)
        self.rnn = nn.GRU(size, size)
        self.decoder = nn.Linear(size, words)

    def forward(self, words, hidden):
        output, hidden = self.rnn(self.encoder(words), hidden)
        return self.decoder(output).flatten(0, 1), hidden


def get_batch(source, i):
    return source[i : i + 4], source[i + 1 : i + 5].flatten()


def repackage_hidden(hidden):
    return hidden.detach()


def train(model, source, kind, losses, seen):
    hidden = torch.zeros(1, source.shape[1], 6)
    for batch, i in enumerate(range(0, len(source) - 4, 4)):
        data, targets = get_batch(source, i)
        model.zero_grad()
        if kind == "Transformer":
            output = model(data, None)[0]
        else:
            hidden = repackage_hidden(hidden)
            output, hidden = model(data, hidden)
        loss = nn.functional.cross_entropy(output, targets)
        loss.backward()
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-0.1)
        losses.append(loss.item())
        seen.append(batch)


def main(seed=0):
    torch.manual_seed(seed)
    model, losses, seen = RNNModel(9, 6), [], []
    source = torch.randint(0, 9, (29, 3))
    for epoch in range(2):
        train(model, source, "GRU", losses, seen)
    return {"losses": losses, "model": model, "batches": seen}
