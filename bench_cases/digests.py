"""What a run left, as short texts that are equal exactly when all bits are.

In: what `main` returned, a folder. Out: one digest for each part. Always true: arrays and floats go in by their bytes;
a thing that cannot be compared bit for bit is an error.
"""

from __future__ import annotations

import hashlib
import pickle
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def of_run(returned: Mapping[str, Any] | None, folder: Path) -> dict[str, str]:
    """Digests of what was returned, of the files in `folder` and of the random numbers' state.

    None is returned where the statement that returns was passed over: then there is nothing.
    """
    parts = dict(returned or {}) | {"files": files(folder), "random": random_state()}
    return {name: digest(part) for name, part in parts.items()}


def digest(value: object) -> str:
    """One name for a nest of containers, arrays, models, optimizers, numbers and texts."""
    return hashlib.sha256("\n".join(_facts(value)).encode()).hexdigest()[:12]


def numbers(value: Any) -> list[float]:
    """All numbers in a nest of the same kind, in order."""
    if hasattr(value, "state_dict"):
        value = value.state_dict()
    if isinstance(value, Mapping | list | tuple):
        items = value.values() if isinstance(value, Mapping) else value
        return [number for item in items for number in numbers(item)]
    if hasattr(value, "tolist"):
        return numbers(value.tolist())
    return [float(value)] if isinstance(value, int | float) else []


def random_state() -> list[object]:
    """Of Python, and of numpy and torch where they are imported."""
    state: list[object] = [random.getstate()]
    if "numpy" in sys.modules:
        state.append(sys.modules["numpy"].random.get_state())
    if "torch" in sys.modules:
        state.append(sys.modules["torch"].get_rng_state())
    return state


def files(folder: Path) -> dict[str, object]:
    """By name: the bytes of each file; of a torch file what is in it, since its archive bears the file's name."""
    return {str(path.relative_to(folder)): _content(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _content(path: Path) -> object:
    if path.suffix == ".pt":
        return sys.modules["torch"].load(path, weights_only=False)
    if path.suffix == ".pkl":
        return pickle.loads(path.read_bytes())
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _facts(value: Any) -> Iterator[str]:
    if hasattr(value, "state_dict"):
        yield type(value).__name__
        yield from _facts(value.state_dict())
    elif hasattr(value, "tobytes") or hasattr(value, "detach"):
        array = value.detach().numpy() if hasattr(value, "detach") else value
        yield f"{array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}"
        for key, item in value.items():
            yield repr(key)
            yield from _facts(item)
    elif isinstance(value, list | tuple):
        yield f"sequence {len(value)}"
        for item in value:
            yield from _facts(item)
    elif value is None or isinstance(value, bool | int | str | float | bytes):
        yield repr(value)
    else:
        raise TypeError(f"a {type(value).__name__} cannot be compared bit for bit")
