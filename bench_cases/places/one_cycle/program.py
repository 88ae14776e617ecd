"""Training with one cycle."""

import torch
from torch import nn


def main(seed=0):
    torch.manual_seed(seed)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=5)
    losses = []
    for step in range(7):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 3)).pow(2).mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return {"losses": losses, "model": model, "optimizer": optimizer, "scheduler": scheduler.state_dict()}
