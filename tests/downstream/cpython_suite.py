"""CPython's own test suite, with its test modules and the modules that they test protected: the same tests pass.

In: the command line (names of test modules, --mode, --quick, --jobs). Out: a table, the differences, and for each
whether it is expected (expected.py); exit status 1 if one is not.
Run as `python tests/downstream/cpython_suite.py`. Always true: each module runs plain and protected in processes of
its own; what a Python does not have is named and left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from downstream import comparison  # noqa: E402  (the path comes first: this file is a script)
from downstream.outcomes import Suite, servers  # noqa: E402
from downstream.protecting import MODES  # noqa: E402

PATIENCE = 600.0  # seconds for one module
QUICK = tuple(
    "generators coroutines asyncgen contextlib with except_star raise listcomps patma scope class iter".split()
)
MODULES = tuple(
    # The language: what the engine must not touch.
    "generators generator_stop yield_from coroutines asyncgen contextlib contextlib_async with raise exceptions "
    "exception_variations exception_group except_star baseexception frame sys_settrace sys_setprofile monitoring "
    "listcomps setcomps dictcomps genexps patma scope closures class super descr property metaclass subclassinit "
    "decorators keywordonlyarg positional_only_arg named_expressions unpack unpack_ex extcall grammar global "
    "funcattrs augassign binop compare bool iter iterlen enumerate range slice string_literals fstring type_params "
    "type_annotations type_comments pep646_syntax syntax compile code call opcache peepholer dis dynamic eof tuple "
    "list dict set builtin types typechecks isinstance operator "
    # Modules of the standard library that are written in Python, most of them.
    "itertools functools collections ordered_dict deque defaultdict userdict userlist userstring dataclasses enum "
    "typing abc genericalias copy copyreg pickle weakref weakset gc unittest asyncio threading threading_local queue "
    "sched context concurrent_futures traceback inspect linecache pdb bdb trace code_module codeop cmd doctest profile "
    "pprint reprlib textwrap string json re difflib argparse configparser csv statistics fractions decimal random "
    "heapq bisect graphlib shlex getopt optparse logging tempfile pathlib glob fnmatch shutil fileinput filecmp "
    "zipfile tarfile gzip ast tokenize datetime calendar html htmlparser urlparse email http_cookies ipaddress uuid "
    "selectors signal".split()
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and say what differs."""
    options = _options(arguments)
    to = comparison.console()
    suites = [suite_of(name) for name in options.modules or (QUICK if options.quick else MODULES)]
    missing = [suite.name for suite in suites if not is_there(suite)]
    suites = [suite for suite in suites if suite.name not in missing]
    began, rows = time.monotonic(), []
    running = servers(["plain", *options.mode])
    for row in comparison.examine_all(suites, running, PATIENCE, options.jobs):
        rows.append(row)
        comparison.tell(to, row, options.details)
    to.print(comparison.table(f"CPython {platform.python_version()}: its own tests", rows, options.mode))
    for reason in comparison.reasons(rows):
        to.print(f"expected: {reason}", markup=False, highlight=False)
    if missing:
        to.print(f"not in this Python: {', '.join(missing)}")
    to.print(f"{len(rows)} modules in {time.monotonic() - began:.0f} s")
    return int(any(row.faults() for row in rows))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help="names of test modules, without test_")
    parser.add_argument("--mode", action="append", choices=MODES[1:], help="how it is protected (all three)")
    parser.add_argument("--quick", action="store_true", help="only a handful of modules")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes at once")
    parser.add_argument("--details", type=argparse.FileType("w"), help="a file for all that is known of differences")
    options = parser.parse_args(arguments)
    options.mode = options.mode or list(MODES[1:])
    return options


def suite_of(name: str) -> Suite:
    """`generators` -> test.test_generators."""
    module = name if name.startswith("test") else f"test_{name}"
    return Suite(module, "unittest", (f"test.{module}",))


def is_there(suite: Suite) -> bool:
    """Does this Python have it?"""
    return importlib.util.find_spec(suite.arguments[0]) is not None


if __name__ == "__main__":
    sys.exit(main())
