"""A word model that saves itself whenever it is better than it was."""

import argparse

import torch
from torch import nn


class RNNModel(nn.Module):
    def __init__(self, words, hidden):
        super().__init__()
        self.encoder = nn.Embedding(words, hidden)
        self.rnn = nn.LSTM(hidden, hidden)
        self.drop = nn.Dropout(0.2)
        self.decoder = nn.Linear(hidden, words)

    def forward(self, words, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(words)), hidden)
        return self.decoder(output).flatten(0, 1), hidden


def train(model, data, optimizer, losses):
    model.train()
    hidden = None
    for i in range(0, len(data) - 1, 5):
        words, targets = data[i : i + 5], data[i + 1 : i + 6]
        model.zero_grad()
        output, hidden = model(words[: len(targets)], hidden)
        hidden = tuple(h.detach() for h in hidden)
        loss = nn.functional.cross_entropy(output, targets.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-4:])


def main(seed=0):
    torch.manual_seed(seed)
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", default="models/model.pt")
    args = parser.parse_args([])
    data, losses, best = torch.randint(0, 7, (20, 3)), [], None
    model = RNNModel(7, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    for epoch in range(1, 4):
        val_loss = train(model, data, optimizer, losses)
        if not best or val_loss < best:
            with open(args.save, "wb") as f:
                torch.save(model.state_dict(), f)
            best = val_loss
    return {"losses": losses, "model": model, "optimizer": optimizer, "best": best}
