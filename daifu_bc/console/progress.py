"""How far a loop has got, as far as its iterator tells.

In: a loop's iterator. Out: words ("3 of 10 taken"), or "" where nothing is known. Always true: the iterator
is not advanced and none of the program's code runs: only the built-in iterators are asked, and what a data
loader's iterator has stored about itself is read.
"""

from __future__ import annotations

import operator

_WRAPPERS = (enumerate, zip, map, filter)
_OF_SEQUENCES: tuple[type, ...] = (
    type(iter([])),
    type(iter(())),
    type(iter("")),
    type(iter(b"")),
    type(iter(bytearray())),
)


def how_far(iterator: object) -> str:
    """Words for the position of `iterator`."""
    try:
        return _position(iterator)
    except Exception:  # an iterator in any state may refuse to tell; then nothing is told
        return ""


def _position(iterator: object) -> str:
    kind = type(iterator)
    if kind in _OF_SEQUENCES:
        return _of_sequence(iterator)
    if kind in _WRAPPERS:
        return _of_wrapper(iterator)
    if kind.__module__ == "builtins" and hasattr(kind, "__length_hint__"):
        return f"{operator.length_hint(iterator)} to come"
    yielded = _own_field(iterator, "_num_yielded")  # of torch's data loaders
    return f"{yielded} taken" if isinstance(yielded, int) else ""


def _of_sequence(iterator: object) -> str:
    # (iter, (sequence,), index); (iter, ((),)) or the like once it is exhausted
    made = iterator.__reduce__()
    if len(made) < 3 or not isinstance(made[2], int):
        return "all taken"
    return f"{made[2]} of {len(made[1][0])} taken"


def _of_wrapper(iterator: object) -> str:
    # enumerate: (enumerate, (iterator, count)); zip: (zip, iterators); others: (map, (function, iterator))
    arguments = iterator.__reduce__()[1]
    inner = arguments[0] if isinstance(iterator, (enumerate, zip)) else arguments[1]
    told = _position(inner)
    if told or not isinstance(iterator, enumerate):
        return told
    return f"number {arguments[1]} is next"


def _own_field(thing: object, name: str) -> object:
    try:
        fields = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return None
    return fields.get(name) if isinstance(fields, dict) else None
