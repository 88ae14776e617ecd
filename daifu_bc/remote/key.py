"""The key that both ends of a network connection have to have: a file that only its owner can read.

In: the environment, or a path. Out: bytes. Always true: there is no key but what is in the file; a crashed process
makes it if there is none (from the system's randomness, complete or not at all), whoever attaches never does; a file
that is a link, somebody else's, open to others or short is an OSError that says so.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from daifu_bc.remote import joblog, settings

_SHORTEST: Final = 32  # bytes
_LONGEST: Final = 4096


def key_path(given: str = "") -> Path:
    """Where the key lies."""
    named = given or settings.key_file()
    return Path(named).expanduser() if named else joblog.folder() / "key"


def read_key(path: Path) -> bytes:
    """The key."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _check(path, os.fstat(descriptor))
        key = os.read(descriptor, _LONGEST).strip()
    finally:
        os.close(descriptor)
    if len(key) < _SHORTEST:
        raise PermissionError(f"the key in {path} has {len(key)} bytes: at least {_SHORTEST} are wanted")
    return key


def made_key(path: Path) -> bytes:
    """The key, which is made if there is none yet."""
    if not os.path.lexists(path):
        _make(path)
    return read_key(path)


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        with contextlib.suppress(FileExistsError):  # of a process that crashed at the same time
            os.link(part, path)
    finally:
        os.unlink(part)


def _check(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise PermissionError(f"the key {path} is no file")
    if status.st_uid not in (os.geteuid(), 0):
        raise PermissionError(f"the key {path} belongs to another user")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise PermissionError(f"the key {path} is open to others: chmod 600 {path}, and make another one")
