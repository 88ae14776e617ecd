"""The private folder that the sockets lie in.

In: the environment. Out: an open descriptor of the folder, and its path. Always true: the folder is this user's own, no
symbolic link, and nobody else can enter it; what was checked is what is used (everything goes through the descriptor,
so that nothing can be put in its place meanwhile). What is not so is an OSError that says why.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "daifu_bc"
_INSTEAD = "name a folder of your own with DAIFU_BC_RUNTIME_DIR"


def folder_path() -> Path:
    """Where the sockets of this user's processes lie."""
    given = os.environ.get("DAIFU_BC_RUNTIME_DIR")
    if given:
        return Path(given)
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and os.path.isdir(runtime) and os.access(runtime, os.W_OK):
        return Path(runtime, NAME)
    return Path(tempfile.gettempdir(), f"{NAME}-{os.getuid()}")


@contextmanager
def opened(path: Path, *, make: bool = False) -> Iterator[str]:
    """A path prefix that leads to the very folder that was checked, and is short enough for any socket's name."""
    if make:
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check(path, os.fstat(descriptor))
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def _check(path: Path, status: os.stat_result) -> None:
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to another user: {_INSTEAD}")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise PermissionError(f"{path} is open to others: chmod 700 {path}, or {_INSTEAD}")
