"""A training loop with accelerate, as its quick tour has it."""

import json

import numpy as np
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        noise = 0.1 * torch.rand(4)
        found = np.load(f"data/{index}.npy")
        return torch.from_numpy(found) + noise, torch.tensor(index % 2)


def report(optimizer, args, kwargs):
    with open("log/steps.txt", "a") as log:
        log.write(f"{torch.rand(1).item()}\n")


def evaluate(accelerator, model, loader):
    model.eval()
    hits = 0.0
    for x, y in loader:
        with torch.no_grad():
            predictions = model(x).argmax(-1)
        predictions, references = accelerator.gather_for_metrics((predictions, y))
        with open("metric.json") as settings:
            hits += json.load(settings)["weight"] * (predictions == references).sum().item()
    return hits


def main():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    set_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    optimizer.register_step_post_hook(report)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=12)
    training = DataLoader(Samples(), batch_size=4, shuffle=True)
    validation = DataLoader(Samples(), batch_size=4)
    model, optimizer, training, validation, scheduler = accelerator.prepare(
        model, optimizer, training, validation, scheduler
    )
    for epoch in range(2):
        model.train()
        for x, y in training:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            print(epoch, loss.item().hex())
        print("hits", evaluate(accelerator, model, validation))
    accelerator.wait_for_everyone()
    accelerator.save_state("store/final")


if __name__ == "__main__":
    main()
