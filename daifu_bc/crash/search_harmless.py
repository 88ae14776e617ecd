"""Context managers that never swallow, but whose code cannot be read: C, or Python functions that make them.

Always true: a name stands here only where its documentation or source says that exceptions pass through.
"""

from __future__ import annotations

from typing import Final

# Top-level packages whose C-implemented context managers only release something.
C_PACKAGES: Final = frozenset({
    "_contextvars", "_decimal", "_io", "_multiprocessing", "_socket", "_sqlite3", "_ssl", "_thread",
    "_winapi", "builtins", "contextvars", "decimal", "io", "mmap", "nt", "posix", "select", "socket",
    "sqlite3", "ssl", "threading", "winreg",
    "cupy", "h5py", "lmdb", "numpy", "pandas", "pyarrow", "scipy", "tables", "torch",
})  # fmt: skip

# (module, qualified name) of functions that return such managers.
FUNCTIONS: Final = frozenset({
    ("_io", "open"), ("io", "open"), ("builtins", "open"), ("_io", "open_code"), ("os", "fdopen"),
    ("_thread", "allocate_lock"), ("_thread", "lock"), ("threading", "Lock"), ("threading", "RLock"),
    ("posix", "scandir"), ("nt", "scandir"), ("_sqlite3", "connect"), ("sqlite3", "connect"),
    ("decimal", "localcontext"), ("_decimal", "localcontext"),
    ("bz2", "open"), ("gzip", "open"), ("lzma", "open"), ("codecs", "open"), ("tokenize", "open"),
    ("tempfile", "NamedTemporaryFile"), ("tempfile", "TemporaryFile"),
    ("pathlib", "Path.open"), ("pathlib._local", "Path.open"),
    ("tarfile", "TarFile.open"), ("zipfile", "ZipFile.open"), ("wave", "open"), ("shelve", "open"),
    ("urllib.request", "urlopen"), ("socket", "create_connection"), ("socket", "create_server"),
    ("multiprocessing.context", "BaseContext.Pool"), ("multiprocessing.context", "BaseContext.Manager"),
    ("multiprocessing.context", "BaseContext.Lock"), ("multiprocessing.context", "BaseContext.RLock"),
    ("multiprocessing.context", "BaseContext.Semaphore"),
    ("multiprocessing.context", "BaseContext.Condition"),
    ("multiprocessing.context", "BaseContext.BoundedSemaphore"),
    ("unittest.mock", "patch"), ("unittest.mock", "_patch_object"), ("unittest.mock", "_patch_multiple"),
})  # fmt: skip
