"""A plain PyTorch script: no functions around it, as in the tutorials."""

import json
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        noise = 0.1 * torch.rand(4)
        found = np.load(f"data/{index}.npy")
        return torch.from_numpy(found) + noise, torch.tensor(index % 2)


torch.manual_seed(0)
train_loader = DataLoader(Samples(), batch_size=4, shuffle=True, num_workers=2)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loss_fn = nn.CrossEntropyLoss()


def count_zeros(module, inputs, output):
    with open("log/zeros.txt", "a") as log:
        log.write(f"{torch.rand(1).item() + (output == 0).sum().item():.6f}\n")


model[1].register_forward_hook(count_zeros)

for epoch in range(2):
    model.train()
    for X, y in train_loader:
        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(epoch, loss.item().hex())
    model.eval()
    correct = 0
    with torch.no_grad():
        for X, y in train_loader:
            with open("metric.json") as settings:
                weight = json.load(settings)["weight"]
            correct += weight * (model(X).argmax(1) == y).sum().item()
    print("accuracy", correct)

os.makedirs("store/final", exist_ok=True)
torch.save(model.state_dict(), "store/final/model.pt")
torch.save(optimizer.state_dict(), "store/final/optimizer.pt")
