"""A small character GPT learns Python's own help pages: an ordinary script that knows nothing of daifu_bc.

In: the prose of `pydoc_data`, which every Python ships. Out: checkpoints in `folder`, a `Run` to compare.
Always true: everything is seeded, so that two runs on one machine are equal bit for bit.

    python bench_cases/demo/train_text.py [FOLDER]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from pydoc_data.topics import topics

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, default_collate
from tqdm import tqdm

EPOCHS = 6
BATCH = 32
WINDOW = 48  # characters that the model sees
WIDTH = 64
PIECES = 2_400  # windows a run learns from; one in eight is held back


class Prose(Dataset[tuple[Tensor, Tensor, int]]):
    """Windows of text as character numbers; while training each starts at a random place near its own."""

    def __init__(self, training: bool) -> None:
        text = "\n".join(topics[name] for name in sorted(topics))
        self.letters = sorted(set(text))
        numbers = {letter: number for number, letter in enumerate(self.letters)}
        self.text = torch.tensor([numbers[letter] for letter in text])
        self.starts = [i * WINDOW for i in range(PIECES) if (i % 8 == 0) != training]
        self.training = training

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor, int]:
        shift = int(torch.randint(WINDOW // 2, ())) if self.training else 0
        piece = self.read(self.starts[index] + shift)
        return piece[:-1], piece[1:], index

    def read(self, start: int) -> Tensor:
        """One window from storage and the character that follows it: (WINDOW + 1,) numbers."""
        return self.text[start : start + WINDOW + 1].clone()


class Block(nn.Module):
    """Causal self-attention and a small network, each added to what comes in."""

    def __init__(self, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.project, self.merge = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.network = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        parts = self.project(self.norm1(x)).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*parts, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.dropout(self.merge(mixed))
        return x + self.dropout(self.network(self.norm2(x)))


class TextNet(nn.Module):
    """Two blocks over learned characters and places."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, WIDTH), nn.Embedding(WINDOW, WIDTH)
        self.blocks = nn.Sequential(Block(), Block())
        self.dropout = nn.Dropout(0.1)
        self.out = nn.Linear(WIDTH, letters)

    def forward(self, tokens: Tensor) -> Tensor:
        places = self.place(torch.arange(tokens.shape[1]))
        return self.out(self.blocks(self.dropout(places) + self.letter(tokens)))


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
    """One batch: tokens (n, WINDOW), targets (n, WINDOW), indexes (n,)."""
    return default_collate(samples)


def train(folder: Path) -> Run:
    """Trains for `EPOCHS` epochs; a checkpoint of each in `folder`, the finished model in `folder/model`."""
    torch.manual_seed(1)
    prose = Prose(training=True)
    loader = DataLoader(prose, BATCH, shuffle=True, collate_fn=collate)
    held_back = DataLoader(Prose(training=False), batch_size=60)
    model = TextNet(len(prose.letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * len(loader))
    run = Run(model, optimizer, scheduler)

    for epoch in range(1, EPOCHS + 1):
        model.train()
        for tokens, targets, indexes in (bar := tqdm(loader, f"epoch {epoch}/{EPOCHS}", unit="batch")):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
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
    """The share of next characters that are guessed."""
    model.eval()
    rights = [(model(tokens).argmax(2) == targets).float().mean() for tokens, targets, _ in loader]
    return float(torch.stack(rights).mean())


def save(run: Run, path: Path) -> None:
    """A checkpoint from which training could go on."""
    parts = {"model": run.model, "optimizer": run.optimizer, "scheduler": run.scheduler}
    torch.save({name: part.state_dict() for name, part in parts.items()}, path)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "checkpoints")
    (target / "model").mkdir(parents=True, exist_ok=True)
    print(f"characters guessed: {train(target).scores[-1]:.1%}")
