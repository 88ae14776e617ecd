"""A network on digits."""

import torch
from torch import nn


def load():
    return [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(6)]


def train(model, batches, optimizer, losses, seen):
    model.train()
    for batch_idx, (data, target) in enumerate(batches):
        optimizer.zero_grad()
        output = model(data)
        loss = nn.functional.cross_entropy(output, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seen.append(batch_idx)


def main(seed=0):
    if seed is not None:
        torch.manual_seed(seed)
    batches = load()
    model = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.2), nn.Linear(12, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses, seen = [], []
    for epoch in range(2):
        train(model, batches, optimizer, losses, seen)
    return {"losses": losses, "model": model, "optimizer": optimizer, "batches": seen, "loss": losses[-1]}
