"""What goes wrong in the demo, put into a training script from outside: the script stays as it was written.

In: a script's module and where it shall fail. Out: inside a `with` block, the script fails there, once each.
Always true: with nothing to inject the same wrappers only count, so both runs of the demo do the same work.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import torch


@dataclass(frozen=True, slots=True)
class Faults:
    """When a script fails. Numbers count from 1, over the whole run."""

    read: int  # this read of the training data finds the disk unwilling
    batch: int  # this training batch arrives with a wrong dtype ...
    field: int  # ... in this one of its parts ...
    dtype: torch.dtype  # ... namely this one


FAULTS = {
    "digits": Faults(read=4_000, batch=300, field=1, dtype=torch.int32),
    "text": Faults(read=3_000, batch=220, field=0, dtype=torch.float32),
}


@dataclass(slots=True)
class Seen:
    """What the wrappers counted: places of the storage that were read, in order; batches made."""

    reads: list[int] = field(default_factory=list)
    tries: int = 0
    batches: int = 0


@contextmanager
def installed(script: ModuleType, faults: Faults | None) -> Iterator[Seen]:
    """The script with its faults in place (None: with the counting alone)."""
    seen = Seen()
    dataset = script.Digits if hasattr(script, "Digits") else script.Prose
    read = _read_that_fails(dataset.read, seen, faults)
    collate = _collate_that_errs(script.collate, seen, faults)
    with patch.object(dataset, "read", read), patch.object(script, "collate", collate):
        yield seen


def make_folders(folder: Path, faults: Faults | None) -> Path:
    """The folder for checkpoints; with faults, the one inside it for the finished model is forgotten."""
    (folder if faults else folder / "model").mkdir(parents=True)
    return folder


def _read_that_fails(read: Callable[..., Any], seen: Seen, faults: Faults | None) -> Callable[..., Any]:
    def read_or_fail(self: Any, place: int) -> Any:
        seen.tries += 1
        if faults and seen.tries == faults.read:
            raise OSError(errno.EIO, os.strerror(errno.EIO), f"sample {place}")
        seen.reads.append(place)
        return read(self, place)

    return read_or_fail


def _collate_that_errs(collate: Callable[..., Any], seen: Seen, faults: Faults | None) -> Callable[..., Any]:
    def collate_or_err(samples: list[Any]) -> Any:
        seen.batches += 1
        batch = collate(samples)
        if faults and seen.batches == faults.batch:
            batch[faults.field] = batch[faults.field].to(faults.dtype)
        return batch

    return collate_or_err
