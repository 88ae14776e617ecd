"""A network on digits that saves itself at the end."""

import torch
from torch import nn


def train(model, loader, device, optimizer, losses):
    model.train()
    for data, target in loader:
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


def main(seed=0):
    if seed is not None:
        torch.manual_seed(seed)
    device = torch.device("cpu")
    data = torch.utils.data.TensorDataset(torch.randn(40, 8), torch.randint(0, 3, (40,)))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = []
    for epoch in range(3):
        train(model, loader, device, optimizer, losses)
    torch.save(model.state_dict(), "model.pt")
    return {"losses": losses, "model": model, "optimizer": optimizer, "loss": losses[-1]}
