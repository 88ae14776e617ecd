"""A small CNN learns scikit-learn's handwritten digits: an ordinary script that knows nothing of daifu_bc.

In: the 1,797 images that scikit-learn ships. Out: checkpoints in `folder`, and a `Run` to compare.
Always true: everything is seeded, so that two runs on one machine are equal bit for bit.

    python bench_cases/demo/train_digits.py [FOLDER]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, default_collate
from tqdm import tqdm

EPOCHS = 12
BATCH = 32
EVALUATION = 360  # images held back


class Digits(Dataset[tuple[Tensor, Tensor, int]]):
    """Images of 8 x 8 grey values; while training each is moved by up to one pixel."""

    def __init__(self, training: bool) -> None:
        images, labels = load_digits(return_X_y=True)
        part = slice(EVALUATION, None) if training else slice(EVALUATION)
        self.images, self.labels = images[part], labels[part]
        self.training = training

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor, int]:
        down, right = torch.randint(-1, 2, (2,)).tolist() if self.training else (0, 0)
        pixels = self.read(index)
        image = torch.roll(pixels, (down, right), dims=(1, 2))
        if self.training:
            image = image + 0.05 * torch.randn_like(image)
        return image, torch.tensor(self.labels[index]), index

    def read(self, index: int) -> Tensor:
        """One image from storage, as (1, 8, 8) values from 0 to 1."""
        return torch.tensor(self.images[index] / 16.0, dtype=torch.float32).reshape(1, 8, 8)


class DigitNet(nn.Module):
    """Two convolutions with BatchNorm, dropout, one hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32)
        self.conv2, self.norm2 = nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64)
        self.hidden, self.out = nn.Linear(64 * 4 * 4, 128), nn.Linear(128, 10)
        self.dropout = nn.Dropout(0.3)

    def forward(self, images: Tensor) -> Tensor:
        x = F.relu(self.norm1(self.conv1(images)))
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        x = F.relu(self.hidden(self.dropout(x.flatten(1))))
        return self.out(self.dropout(x))


@dataclass
class Run:
    """What a run leaves behind; `batches` holds the indexes of the samples of each step, in order."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    scheduler: torch.optim.lr_scheduler.LRScheduler
    losses: list[float] = field(default_factory=list)
    batches: list[tuple[int, ...]] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


def collate(samples: list[tuple[Tensor, Tensor, int]]) -> list[Tensor]:
    """One batch: images (n, 1, 8, 8), labels (n,), indexes (n,)."""
    return default_collate(samples)


def train(folder: Path) -> Run:
    """Trains for `EPOCHS` epochs; a checkpoint of each in `folder`, the finished model in `folder/model`."""
    torch.manual_seed(1)
    np.random.seed(1)
    loader = DataLoader(Digits(training=True), BATCH, shuffle=True, collate_fn=collate)
    held_back = DataLoader(Digits(training=False), batch_size=120)
    model = DigitNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=EPOCHS * len(loader))
    run = Run(model, optimizer, scheduler)

    for epoch in range(1, EPOCHS + 1):
        model.train()
        for images, labels, indexes in (bar := tqdm(loader, f"epoch {epoch}/{EPOCHS}", unit="batch")):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            run.losses.append(loss.item())
            run.batches.append(tuple(indexes.tolist()))
            bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
        run.scores.append(evaluate(model, held_back))
        save(run, folder / f"epoch-{epoch}.pt")

    save(run, folder / "model" / "final.pt")
    return run


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader[tuple[Tensor, Tensor, int]]) -> float:
    """The share of images that are recognised."""
    model.eval()
    hits = sum(int((model(images).argmax(1) == labels).sum()) for images, labels, _ in loader)
    return hits / EVALUATION


def save(run: Run, path: Path) -> None:
    """A checkpoint from which training could go on."""
    parts = {"model": run.model, "optimizer": run.optimizer, "scheduler": run.scheduler}
    torch.save({name: part.state_dict() for name, part in parts.items()}, path)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "checkpoints")
    (target / "model").mkdir(parents=True, exist_ok=True)
    print(f"recognised: {train(target).scores[-1]:.1%}")
