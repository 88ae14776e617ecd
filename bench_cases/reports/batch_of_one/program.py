"""A network with BatchNorm on 13 samples."""

import torch
from torch import nn


def main(seed=0):
    torch.manual_seed(seed)
    data = torch.utils.data.TensorDataset(torch.randn(13, 4), torch.randn(13, 1))
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses, ends = [], 0
    for epoch in range(3):
        for x, y in torch.utils.data.DataLoader(data, batch_size=4, shuffle=True):
            optimizer.zero_grad()
            output = model(x)
            loss = (output - y).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        ends += 1
    return {"losses": losses, "model": model, "ends": ends}
