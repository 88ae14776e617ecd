"""A training loop with accelerate."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

reads = []


def read(index):
    reads.append(index)
    return torch.rand(4) + index % 2


class Samples(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return read(index), torch.tensor(index % 2)


def main(seed=0):
    if seed is not None:
        set_seed(seed)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loader = DataLoader(Samples(), batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    losses = []
    for epoch in range(2):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
    return {"losses": losses, "reads": reads, "model": model, "optimizer": optimizer, "last": sum(losses[-4:])}
