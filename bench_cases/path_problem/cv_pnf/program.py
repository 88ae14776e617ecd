"""A network on digits; the model is saved when all epochs are done."""

import argparse

import torch
from torch import nn


def train(model, loader, optimizer, scheduler, losses):
    model.train()
    for data, target in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()


def main(seed=0):
    if seed is not None:
        torch.manual_seed(seed)
    parser = argparse.ArgumentParser()
    parser.add_argument("--save-model", action="store_false")
    args = parser.parse_args([])
    data = torch.utils.data.TensorDataset(torch.randn(40, 8), torch.randint(0, 3, (40,)))
    loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    losses = []
    for epoch in range(1, 4):
        train(model, loader, optimizer, scheduler, losses)
    if args.save_model:
        torch.save(model.state_dict(), "checkpoint/mnist_cnn.pt")
    return {"losses": losses, "model": model, "optimizer": optimizer, "scheduler": scheduler, "loss": losses[-1]}
