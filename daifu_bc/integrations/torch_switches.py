"""The switches of PyTorch that hold for a whole thread or process, read where the program has imported it.

In: nothing. Out: a reader for crash/switches. Always true: nothing is imported, and reading changes nothing.
"""

from __future__ import annotations

import operator
import sys
from typing import Final

from daifu_bc.crash import switches

# What it is called, where it is found in torch, with what arguments it is asked (None: it is no function).
_SWITCHES: Final[tuple[tuple[str, str, tuple[object, ...] | None], ...]] = (
    ("gradient mode", "is_grad_enabled", ()),
    ("inference mode", "is_inference_mode_enabled", ()),
    ("autocast on CUDA", "is_autocast_enabled", ("cuda",)),
    ("autocast on the CPU", "is_autocast_enabled", ("cpu",)),
    ("the default dtype", "get_default_dtype", ()),
    ("deterministic algorithms", "are_deterministic_algorithms_enabled", ()),
    ("anomaly detection", "is_anomaly_enabled", ()),
    ("the precision of float32 products", "get_float32_matmul_precision", ()),
    ("torch.backends.cudnn.benchmark", "backends.cudnn.benchmark", None),
    ("torch.backends.cudnn.deterministic", "backends.cudnn.deterministic", None),
)


def read() -> dict[str, object]:
    """The switches that this torch has; {} where none is imported, or not yet to its end."""
    torch = sys.modules.get("torch")
    found: dict[str, object] = {}
    for name, place, arguments in _SWITCHES if torch is not None else ():
        try:
            value = operator.attrgetter(place)(torch)
            found[name] = value if arguments is None else value(*arguments)
        except (AttributeError, TypeError, RuntimeError):  # older or newer than the table
            continue
    return found


def install() -> None:
    """Compare them at a crash that is let go. Once per process."""
    switches.add_reader(read)
