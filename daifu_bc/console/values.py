"""Values in short: one bounded line for any object, whatever its `repr` does.

In: an object of the program. Out: one printable line.
Always true: nothing is raised, no element of an array is read (a tensor on a device is not waited for), and
containers are not walked past their first few items.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

ITEMS = 4  # of a container that are shown
DEPTH = 2  # of containers in containers
_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}
_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def printable(text: str) -> str:
    """`text` without control characters that a terminal would obey."""
    return text.translate(_ESCAPES)


def one_line(text: str, limit: int) -> str:
    """`text` on one line of at most `limit` characters."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= limit else line[: max(limit - 3, 1)] + "..."


def short(value: object, limit: int = 60) -> str:
    """One line of at most `limit` characters that stands for `value`."""
    try:
        text = _describe(value, limit, DEPTH)
    except Exception as error:  # the repr of a user's class may do anything; the console goes on
        text = f"<{type(value).__name__}, its repr raised {type(error).__name__}>"
    return one_line(text, limit)


def _describe(value: object, limit: int, depth: int) -> str:
    kind = type(value)
    if kind in (str, bytes, bytearray):
        return _sliced(value, limit)  # type: ignore[arg-type]  # one of the three
    if kind is dict:
        return _dict(value, limit, depth)  # type: ignore[arg-type]  # exactly a dict
    if kind in _BRACKETS:
        return _container(value, limit, depth)  # type: ignore[arg-type]  # one of _BRACKETS
    return _array(value) or repr(value)


def _sliced(value: str | bytes | bytearray, limit: int) -> str:
    return repr(value) if len(value) <= limit else f"{value[:limit]!r}..."


def _container(value: Iterable[object], limit: int, depth: int) -> str:
    opening, closing = _BRACKETS[type(value)]
    size = len(value)  # type: ignore[arg-type]  # containers of _BRACKETS have a length
    if not size:
        return repr(value)
    if not depth:
        return f"{opening}...{closing}"
    parts = [_describe(item, limit, depth - 1) for item in islice(value, ITEMS)]
    rest = f", ... {size} items" if size > ITEMS else "," if size == 1 and opening == "(" else ""
    return opening + ", ".join(parts) + rest + closing


def _dict(value: dict[object, object], limit: int, depth: int) -> str:
    if not value:
        return "{}"
    if not depth:
        return "{...}"
    pairs = [
        f"{_describe(key, limit, depth - 1)}: {_describe(item, limit, depth - 1)}"
        for key, item in islice(value.items(), ITEMS)
    ]
    return "{" + ", ".join(pairs) + (f", ... {len(value)} items" if len(value) > ITEMS else "") + "}"


def _array(value: object) -> str | None:
    """Tensors, arrays and frames by shape, dtype and device. Scalars of the CPU by value: None."""
    kind = type(value)
    if not hasattr(kind, "shape"):
        return None
    shape = tuple(value.shape)  # type: ignore[attr-defined]  # its class has it
    device = str(getattr(value, "device", "cpu")) if hasattr(kind, "device") else "cpu"
    if not shape and device == "cpu":
        return None
    facts = [f"shape={_shape(shape)}"]
    if hasattr(kind, "dtype"):
        facts.append(f"dtype={value.dtype}")  # type: ignore[attr-defined]  # its class has it
    if device != "cpu":
        facts.append(f"device={device}")
    return f"{kind.__name__}({', '.join(facts)})"


def _shape(shape: tuple[object, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"
