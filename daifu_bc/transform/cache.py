"""Protected code as bytes, for caches like `__pycache__`.

    data = dump_protected(protect_code(code, settings))   # code: of a module, say
    code = load_protected(data)                           # None: make it anew

In: protected code with everything nested in it. Out: bytes; of those the same code, known to the registry.
What is in them: code that carries its originals and settings (registry.py), the reasons for what was skipped, and in
front what made it: this Python's magic number and a fingerprint of the rooms that code goes through. Everything else
that is known of protected code is made again where an exception comes by, so that loading takes about as long as
loading a `.pyc` with three times the code.
Always true: bytes that are cut off or changed, or that another Python or another daifu_bc has made, are not loaded.
Which source the bytes belong to is for the caller to know (`.pyc` files: time and size, or a hash); with `original`
given, they are loaded only if they were made of that very code.
"""

from __future__ import annotations

import hashlib
import marshal
import zlib
from collections.abc import Iterator
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType

import daifu_bc
from daifu_bc.transform import registry

_ROOMS = ("interpreter", "analysis", "transform")


def dump_protected(code: CodeType) -> bytes:
    """`code`, as protect_code has made it, as bytes."""
    found = list(_with_nested(code))
    protected = [one for one in found if registry.carried(one) is not None]
    originals = [registry.original_of(one) for one in found]
    skipped = [(one, why) for one in originals if (why := registry.why_skipped(one)) is not None]
    body = marshal.dumps((code, protected, skipped))
    return _head() + zlib.crc32(body).to_bytes(4, "little") + body


def load_protected(data: bytes, original: CodeType | None = None) -> CodeType | None:
    """The code that `data` was made of; None where it cannot be had from here. Its crashes are asked about as before.

    `original`: the code that it must be the protected twin of.
    """
    head = _head()
    start = len(head) + 4
    body = memoryview(data)[start:]
    if data[: len(head)] != head or zlib.crc32(body).to_bytes(4, "little") != data[len(head) : start]:
        return None
    code, protected, skipped = marshal.loads(body)
    if original is not None and registry.original_of(code) != original:
        return None
    registry.register_loaded(protected)
    for one, why in skipped:
        registry.record_skipped(one, why)
    return code  # type: ignore[no-any-return]


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    """The code and what is nested in it, as protected (originals are carried, not nested)."""
    yield code
    consts = code.co_consts if registry.carried(code) is None else code.co_consts[:-2]
    for const in consts:
        if type(const) is CodeType:
            yield from _with_nested(const)


@cache
def _head() -> bytes:
    """What must be the same for bytes to be loaded."""
    return b"daifu_bc" + MAGIC_NUMBER + _fingerprint()


def _fingerprint() -> bytes:
    """Of the rooms that code goes through: another version of them may make other code of the same original."""
    package = Path(daifu_bc.__file__).parent
    digest = hashlib.blake2b(digest_size=16)
    for room in _ROOMS:
        for path in sorted((package / room).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.digest()
