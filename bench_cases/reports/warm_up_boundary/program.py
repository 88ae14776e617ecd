"""Pose training whose model changes its way at the end of the warm-up."""

import torch
from torch import nn


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.drop = nn.Linear(4, 4), nn.Dropout(0.3)

    def forward(self, x, epoch):
        maps = self.drop(self.net(x))
        if epoch < 2:
            ensemble = maps
        elif epoch > 2:
            ensemble = (maps + x) / 2
        return ensemble


def main(seed=0):
    torch.manual_seed(seed)
    model = Pose()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for epoch in range(4):
        for x in torch.randn(3, 5, 4):
            optimizer.zero_grad()
            loss = model(x, epoch).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return {"losses": losses, "model": model}
