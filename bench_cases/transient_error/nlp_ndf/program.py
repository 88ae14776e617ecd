"""A word model that clips its gradients and saves itself after each epoch."""

import torch
from torch import nn


def train(model, data, optimizer, losses):
    for i in range(0, len(data) - 1, 4):
        words, targets = data[i : i + 4], data[i + 1 : i + 5]
        model.zero_grad()
        loss = nn.functional.cross_entropy(model(words[: len(targets)]).flatten(0, 1), targets.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.05)
        optimizer.step()
        losses.append(loss.item())


def main(seed=0):
    torch.manual_seed(seed)
    data, losses = torch.randint(0, 7, (20, 3)), []
    model = nn.Sequential(nn.Embedding(7, 6), nn.Dropout(0.1), nn.Linear(6, 7))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    for epoch in range(1, 4):
        train(model, data, optimizer, losses)
        with open(f"model-{epoch}.pt", "wb") as f:
            torch.save(model.state_dict(), f)
    return {"losses": losses, "model": model, "optimizer": optimizer}
