"""Training with clipped gradients, one parameter after the other."""

import torch
from torch import nn


def main(seed=0):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for step in range(5):
        x = torch.randn(6, 4)
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.05, foreach=False)
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "model": model, "optimizer": optimizer}
