"""Every code object of the standard library and of the libraries that train: protected, verified, counted, timed.

In: the command line (names of libraries, --keep, --jobs, --second-opinion). Out: a table with a line a library, every
code object that was left alone, with the reason; exit status 1 if there is one without a reason of CPython's.
Run as `python tests/downstream/every_code_object.py`. Always true: nothing of the libraries runs, their text is
compiled; each code object is counted in exactly one column; what is not installed is named.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import sys
import sysconfig
import time
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import CodeType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from rich.table import Table  # noqa: E402  (the path comes first: this file is a script)

STANDARD_LIBRARY = "standard library"
LIBRARIES = (STANDARD_LIBRARY, "torch", "transformers", "numpy", "scipy", "pandas")
CHUNK = 25  # files a task


@dataclass(slots=True)
class Tally:
    """What came out for some files."""

    files: int = 0
    protected: int = 0
    cannot_raise: int = 0  # code objects that stay as they are since nothing in them raises
    left_alone: list[str] = field(default_factory=list)  # where, and why
    not_compiled: list[str] = field(default_factory=list)  # files that are no text for this Python
    units: int = 0  # of bytecode, inline caches included
    seconds: float = 0.0  # of processor time, for protecting and verifying
    slowest: tuple[float, str] = (0.0, "")  # a file: seconds for a code object of it, its name

    @property
    def count(self) -> int:
        """All code objects."""
        return self.protected + self.cannot_raise + len(self.left_alone)

    def add(self, other: Tally) -> None:
        """Both together."""
        self.slowest = max(self.slowest, other.slowest)
        for name in ("files", "protected", "cannot_raise", "left_alone", "not_compiled", "units", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Protect all and say what came out."""
    from downstream import comparison

    options = _options(arguments)
    to, tallies = comparison.console(), {}
    for name in options.libraries or LIBRARIES:
        folder = folder_of(name)
        if folder is None:
            to.print(f"{name} is not installed here: left out")
            continue
        tallies[name] = protect_files(list(files_in(folder)), options.keep, options.jobs)
    to.print(table(tallies, options.keep))
    for tally in tallies.values():
        for where in tally.left_alone:
            to.print(f"left alone: {where}", markup=False, highlight=False)
    unread = [where for tally in tallies.values() for where in tally.not_compiled]
    to.print(f"files that do not compile on this Python: {len(unread)}", highlight=False)
    return int(any(is_fault(where) for tally in tallies.values() for where in tally.left_alone))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", help="names of packages (all that the table has)")
    parser.add_argument("--keep", choices=("calls", "all"), default="calls")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes at once")
    parser.add_argument("--second-opinion", action="store_true", help="the bytecode package reads all of it, too")
    options = parser.parse_args(arguments)
    if options.second_opinion:
        os.environ["DAIFU_BC_VERIFY"] = "full"
    return options


def folder_of(library: str) -> Path | None:
    """Where its files are, None if it is not installed."""
    if library == STANDARD_LIBRARY:
        return Path(sysconfig.get_path("stdlib"))
    spec = importlib.util.find_spec(library)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def files_in(folder: Path) -> Iterator[Path]:
    """Its Python files; the standard library's folder holds what is installed, too, which is not its own."""
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" not in path.relative_to(folder).parts:
            yield path


def protect_files(files: Sequence[Path], keep: str, jobs: int) -> Tally:
    """All of them, in processes of their own."""
    chunks = [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]
    total = Tally()
    # Not concurrent.futures: its processes that end after some tasks can hang (CPython issue 115634).
    with get_context("spawn").Pool(jobs, maxtasksperchild=8) as pool:
        for tally in pool.imap(partial(protect_chunk, keep=keep), chunks):
            total.add(tally)
    return total


def protect_chunk(files: Sequence[Path], keep: str) -> Tally:
    """Some files, here."""
    total = Tally()
    for file in files:
        total.add(protect_file(file, keep))
    return total


def protect_file(file: Path, keep: str) -> Tally:
    """One file: compiled, protected with all that is nested in it, counted."""
    from daifu_bc.transform import Settings
    from daifu_bc.transform.protect import protect_nested

    tally = Tally(files=1)
    try:
        with tokenize.open(file) as text, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(text.read(), str(file), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OSError):  # for tests of the compiler, for newer Pythons, links to nowhere
        tally.not_compiled.append(str(file))
        return tally
    began = time.process_time()
    (protected,) = protect_nested((code,), Settings(keep=keep))
    tally.seconds = time.process_time() - began
    _count(code, protected, tally)  # type: ignore[arg-type]
    tally.slowest = (tally.seconds / tally.count, str(file))
    return tally


def _count(original: CodeType, protected: CodeType, tally: Tally) -> None:
    """Count the two and what is nested in them."""
    from daifu_bc.transform import protection_of

    tally.units += len(original.co_code) // 2
    if protection_of(protected) is not None:
        tally.protected += 1
    elif (reason := _reason(original)) is not None:
        tally.left_alone.append(f"{original.co_filename}:{original.co_firstlineno} {original.co_qualname}: {reason}")
    else:
        tally.cannot_raise += 1
    for one, other in zip(original.co_consts, protected.co_consts, strict=False):
        if isinstance(one, CodeType):
            _count(one, other, tally)


def _reason(code: CodeType) -> str | None:
    """Why it was left alone, None if nothing in it can raise."""
    from daifu_bc.analysis.contexts import contexts_of
    from daifu_bc.analysis.flow import flow_of
    from daifu_bc.analysis.instructions import decode
    from daifu_bc.transform.registry import skipped

    for one in skipped():
        if (one.qualname, one.filename, one.lineno) == (code.co_qualname, code.co_filename, code.co_firstlineno):
            return one.reason
    return None if not contexts_of(flow_of(decode(code)), {}).table else "not protected, and nobody says why"


def is_fault(where: str) -> bool:
    """Whether this one was left alone without a reason of CPython's or of the language."""
    return "internal error" in where or "nobody says why" in where


def table(tallies: dict[str, Tally], keep: str) -> Table:
    """One line a library."""
    found = Table(title=f'CPython {platform.python_version()}: every code object, keep="{keep}"')
    found.add_column("library", no_wrap=True)
    for heading in ("files", "code objects", "protected", "nothing raises", "left alone", "code units", "ms each"):
        found.add_column(heading, justify="right")
    for name, tally in tallies.items():
        numbers = (tally.files, tally.count, tally.protected, tally.cannot_raise, len(tally.left_alone))
        each = 1e3 * tally.seconds / max(tally.count, 1)
        found.add_row(name, *(f"{number:,}" for number in (*numbers, tally.units)), f"{each:.2f}")
    return found


def reasons(tallies: dict[str, Tally]) -> Counter[str]:
    """How often each reason was given."""
    return Counter(where.partition(": ")[2] for tally in tallies.values() for where in tally.left_alone)


if __name__ == "__main__":
    sys.exit(main())
