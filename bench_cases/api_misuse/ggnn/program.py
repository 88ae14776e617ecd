"""A network on sequences, trained and tested in turns."""

import torch
from torch import nn


def train(epoch, loader, net, criterion, optimizer, seen):
    net.train()
    for i, (x, y) in enumerate(loader):
        seen.append((epoch, i))
        net.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        optimizer.step()


def test(loader, net, criterion):
    test_loss = 0
    net.eval()
    for i, (x, y) in enumerate(loader):
        output = net(x)
        test_loss += criterion(output, y).data[0]
    return test_loss / len(loader.dataset)


def main(seed=0):
    torch.manual_seed(seed)
    data = torch.utils.data.TensorDataset(torch.randn(12, 4), torch.randint(0, 3, (12,)))
    loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Linear(8, 3))
    criterion, optimizer = nn.CrossEntropyLoss(), torch.optim.Adam(net.parameters())
    losses, seen = [], []
    for epoch in range(3):
        train(epoch, loader, net, criterion, optimizer, seen)
        losses.append(float(test(loader, net, criterion)))
    return {"losses": losses, "model": net, "optimizer": optimizer, "steps": seen}
