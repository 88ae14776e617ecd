"""Protected modules on disk, beside the `.pyc` files, under a name of our own.

In: a source file's name, its stamp (time and size), a tag for what was asked for. Out: protected code, or None.
Always true: a plain `.pyc` file is neither written nor read here; what is cut off, changed, or of another source,
Python, or daifu_bc is not loaded; files appear at once and whole, however many processes write them; a folder that
cannot be written to, and `sys.dont_write_bytecode`, are no errors.
"""

from __future__ import annotations

import os
import sys
import threading
from importlib.util import cache_from_source
from types import CodeType
from typing import Final

from daifu_bc.transform import dump_protected, load_protected

Stamp = bytes
_STAMP_SIZE: Final = 16


def stamp_of(filename: str) -> Stamp | None:
    """Time (ns) and size of a source file; None if there is no such file."""
    try:
        found = os.stat(filename)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns.to_bytes(8, "little", signed=True) + found.st_size.to_bytes(8, "little")


def fetch(filename: str, tag: str, stamp: Stamp, original: CodeType | None = None) -> CodeType | None:
    """The protected code of a source file; `original`: what it must have been made of."""
    place = _place(filename, tag)
    if place is None:
        return None
    try:
        with open(place, "rb") as file:
            data = file.read()
        if data[:_STAMP_SIZE] != stamp:
            return None
        code = load_protected(data[_STAMP_SIZE:], original)
    except Exception:  # no such file, as a rule; whatever else it is, the module is protected anew
        return None
    return code if code is not None and code.co_filename == filename else None


def store(filename: str, tag: str, stamp: Stamp, code: CodeType) -> None:
    """Keep protected code for the next process."""
    place = _place(filename, tag) if not sys.dont_write_bytecode else None
    if place is None:
        return
    temporary = f"{place}.{os.getpid()}.{threading.get_ident()}"
    try:
        data = stamp + dump_protected(code)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _mode(filename))
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(temporary, place)
        except BaseException:
            os.unlink(temporary)
            raise
    except Exception:  # read-only, full, no longer there: the module is protected anew next time
        return


def _mode(filename: str) -> int:
    """Who may read the source may read this."""
    return os.stat(filename).st_mode & 0o666 | 0o200


def _place(filename: str, tag: str) -> str | None:
    if not filename.endswith(".py"):
        return None
    try:
        plain = cache_from_source(filename)
    except (NotImplementedError, ValueError):  # no caches in this Python, no name that one could have
        return None
    return f"{plain.removesuffix('.pyc')}.daifu_bc-{tag}.pyc"
