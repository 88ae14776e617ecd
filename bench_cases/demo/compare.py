"""Two training runs side by side, to the last bit.

In: the `Run` of a training script and what its wrappers saw. Out: a `Result` of plain values; rows.
Always true: tensors and floats are compared by their bytes, never by closeness.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True, slots=True)
class Result:
    """All of a run that a second run must reproduce, and how long it took."""

    losses: list[float]
    batches: list[tuple[int, ...]]  # indexes of the samples of each step
    reads: list[int]  # every read of the storage, in order
    score: float
    digests: dict[str, str]  # of model, optimizer, ...: equal exactly when all bits are
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison."""

    what: str
    mended: str
    undisturbed: str
    same: bool


def result_of(run: Any, reads: list[int], folder: Path, seconds: float) -> Result:
    """Taken directly after training, while the random number generators stand where the run left them."""
    generators = (torch.get_rng_state(), random.getstate(), np.random.get_state())
    parts = {
        "weights": dict(run.model.named_parameters()),
        "BatchNorm statistics": dict(run.model.named_buffers()),
        "optimizer": run.optimizer.state_dict(),
        "scheduler": run.scheduler.state_dict(),
        "random number generators": generators,
        "model on disk": torch.load(folder / "model" / "final.pt"),
    }
    digests = {name: digest(part) for name, part in parts.items() if part}
    return Result(run.losses, run.batches, reads, run.scores[-1], digests, seconds)


def digest(value: object) -> str:
    """A short name for a nest of containers, tensors and numbers: equal exactly when all bits are."""
    lines = "\n".join(_facts(value))
    return hashlib.sha256(lines.encode()).hexdigest()[:12]


def _facts(value: object) -> Iterator[str]:
    if isinstance(value, torch.Tensor | np.ndarray):
        array = np.ascontiguousarray(value.detach().numpy() if isinstance(value, torch.Tensor) else value)
        yield f"{array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"
    elif isinstance(value, dict):
        yield f"dict {len(value)}"
        for key, item in value.items():
            yield repr(key)
            yield from _facts(item)
    elif isinstance(value, list | tuple):
        yield f"{type(value).__name__} {len(value)}"
        for item in value:
            yield from _facts(item)
    elif value is None or isinstance(value, bool | int | str | float):
        yield repr(value)
    else:
        raise TypeError(f"cannot compare a {type(value).__name__} bit for bit")


def compare(mended: Result, undisturbed: Result) -> list[Row]:
    """All that must be equal, one row each."""
    rows = [
        _row("training steps", len(mended.losses), len(undisturbed.losses)),
        _row("losses, bit for bit", digest(mended.losses), digest(undisturbed.losses)),
        _row("last loss", mended.losses[-1], undisturbed.losses[-1]),
        _row("evaluation", f"{mended.score:.4%}", f"{undisturbed.score:.4%}"),
        _row("batches, in order", digest(mended.batches), digest(undisturbed.batches)),
        _row("batches skipped", _missing(undisturbed.batches, mended.batches), 0),
        _row("batches repeated", _missing(mended.batches, undisturbed.batches), 0),
        _row("samples skipped", _missing(chain(*undisturbed.batches), chain(*mended.batches)), 0),
        _row("samples repeated", _missing(chain(*mended.batches), chain(*undisturbed.batches)), 0),
        _row("reads of the storage", len(mended.reads), len(undisturbed.reads)),
        _row("reads, in order", digest(mended.reads), digest(undisturbed.reads)),
    ]
    names = mended.digests | undisturbed.digests
    rows += [_row(name, mended.digests.get(name), undisturbed.digests.get(name)) for name in names]
    return rows


def _row(what: str, mended: object, undisturbed: object) -> Row:
    return Row(what, str(mended), str(undisturbed), mended == undisturbed)


def _missing(wanted: Iterable[Hashable], there: Iterable[Hashable]) -> int:
    return (Counter(wanted) - Counter(there)).total()
