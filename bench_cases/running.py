"""One run of a case, in a process of its own.

In: a case and how to run it: "plain", "clean" (fault disarmed or source fixed) or "protected" (mended by a policy).
Out: a `Ran`. Always true: the process is forked from one that has done nothing but import what cases need, so no run
sees another's; it works in an empty folder, with a copy of the program beside it that a policy may edit.
"""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

from case import HERE, Case
from digests import numbers, of_run
from mending import change_file
from recording import Record

LIMIT = 60.0  # seconds after which a run is given up


@dataclass(slots=True)
class Ran:
    """What is seen of a run from outside."""

    exception: str = ""  # name of the class of what ended it; empty: it came to its end
    place: str = ""  # "function: line" of the program's innermost frame in its traceback
    trace: str = ""
    digests: dict[str, str] = field(default_factory=dict)
    restarts: list[str] = field(default_factory=list)
    seconds: float = 0.0
    seconds_to_crash: float = 0.0
    milliseconds_restoring: float = 0.0  # the longest of its recoveries, from the decision to the run going on
    number: float = 0.0  # what runs without a seed are judged by
    numbers: dict[str, list[float]] = field(default_factory=dict)  # in the parts that may differ


Policy = Callable[[Any], Any]


def run(case: Case, how: str, policy: Policy | None = None, seeded: bool = True) -> Ran:
    """In a forked child, to its end."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_in_child, args=(there, case, how, policy, seeded))
    child.start()
    there.close()
    try:
        answer = here.recv() if here.poll(LIMIT) else {"exception": "no answer", "place": f"after {LIMIT:.0f} s"}
    except EOFError:
        answer = {"exception": "died"}
    if answer.get("exception") in ("no answer", "died"):
        child.kill()
    child.join()
    return Ran(**answer)


def warm_up(cases: Iterable[Case]) -> None:
    """Import what cases need, once: their processes are forked from this one."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    for name in sorted({name for case in cases for name in case.needs if name not in case.missing()}):
        importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        weight = sys.modules["torch"].zeros(1, requires_grad=True)
        sys.modules["torch"].optim.SGD([weight]).step()  # it imports its compiler lazily: part of no case


def _in_child(answer: Any, case: Case, how: str, policy: Policy | None, seeded: bool) -> None:
    seed_all(0)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            ran = _in_folder(Path(scratch), case, how, policy, seeded)
        except Exception:  # ours, or a case that is not put together well: shown, not lost with this process
            ran = Ran(exception="not run", trace=traceback.format_exc())
    answer.send(asdict(ran))
    answer.close()
    os._exit(0)  # threads that a broken run left behind shall not hold us up


def _in_folder(scratch: Path, case: Case, how: str, policy: Policy | None, seeded: bool) -> Ran:
    code = scratch / "code"
    shutil.copytree(case.folder, code, ignore=shutil.ignore_patterns("fault.py", "mend.py", "__pycache__"))
    (scratch / "work").mkdir()
    os.chdir(scratch / "work")
    sys.path[:0] = [str(code), str(HERE / "library")]
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the process lives
    fault = load(case.folder / "fault.py", "fault")
    fix = getattr(fault, "FIX", ())
    if how == "clean":
        _fix(code, fix)
    program = load(code / "program.py", "program")
    if hasattr(fault, "arm") and (how != "clean" or fix):  # a program that was fixed bears with its world
        fault.arm(program)
    if not seeded:
        seed_all(None)
    (scratch / "recovered").mkdir()
    record = Record(scratch / "recovered")
    main = _protected(program, case, policy, record) if how == "protected" else program.main
    return _to_its_end(record, case, main, None if not seeded else 0)


def _to_its_end(record: Record, case: Case, main: Callable[..., Any], seed: int | None) -> Ran:
    ran, began = Ran(), time.perf_counter()
    try:
        returned = main(seed)
        ran.seconds = time.perf_counter() - began
        ran.digests = of_run(returned, Path.cwd())
        if returned is not None:
            ran.number = float(returned[case.unseeded]) if case.unseeded else 0.0
            ran.numbers = {name: numbers(returned[name]) for name in case.differs}
    except BaseException as error:  # whatever ended it is what we report
        ran.seconds = time.perf_counter() - began
        ran.exception, ran.place = type(error).__name__, _place(error)
        ran.trace = "".join(traceback.format_exception(error))
    ran.restarts, first, ran.milliseconds_restoring = record.all()
    ran.seconds_to_crash = first - began if first else 0.0
    return ran


def _protected(program: ModuleType, case: Case, policy: Policy | None, record: Record) -> Callable[..., Any]:
    import daifu_bc

    decide = policy or load(case.folder / "mend.py", "mend").on_crash

    def on_crash(crash: Any) -> Any:
        record.asked()
        return decide(crash)

    always = (getattr(program, case.always),) if case.always else ()
    return daifu_bc.protect(program.main, on_crash=on_crash, always=always)


def load(file: Path, name: str) -> ModuleType:
    """The module in `file`, under `name`."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _place(error: BaseException) -> str:
    own = [row for row in traceback.extract_tb(error.__traceback__) if row.filename.endswith("code/program.py")]
    return f"{own[-1].name}: {own[-1].line}" if own else "outside the program"


def _fix(code: Path, changes: Iterable[tuple[str, str]]) -> None:
    """Each change, in the one file that has its text."""
    for old, new in changes:
        [file] = [file for file in code.glob("*.py") if old in file.read_text()]
        change_file(str(file), (old, new))


def seed_all(seed: int | None) -> None:
    """Every generator there is, so that runs begin alike; None: so that none is like another."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        torch.seed() if seed is None else torch.manual_seed(seed)
