"""The command line: `daifu-bc run [-m] script args`, `doctor`, and `ps`, `attach`, `send`, `log` for crashes that wait.

In: arguments. Out: the program's own exit. Always true: what is asked for here goes into the environment, so that the
processes that the program starts are asked for the same.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from daifu_bc.autoinstrument import options, runner
from daifu_bc.autoinstrument.program import Program

_COMMANDS = ("run", "doctor", "ps", "attach", "send", "log")


def main(arguments: Sequence[str] | None = None, as_module: bool = False) -> None:
    """Run what the arguments ask for. `as_module`: `run` need not be said."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if as_module and given[:1] not in ([name] for name in _COMMANDS):
        given.insert(0, "run")
    asked = _parser("python -m daifu_bc" if as_module else "daifu-bc").parse_args(given)
    if asked.command == "doctor":
        from daifu_bc.autoinstrument import doctor

        sys.exit(doctor.main(asked.paths, asked.json))
    if asked.command != "run":
        sys.exit(_elsewhere(asked))
    _run(asked)


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=name, description="Keeps runs alive that would die of an exception."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="{" + ",".join(_COMMANDS) + "}")
    run = commands.add_parser("run", help="run a program, protected from its first line")
    run.add_argument("-m", dest="module", action="store_true", help="PROGRAM is a module")
    run.add_argument(
        "-c", "--command", dest="typed", metavar="COMMAND", action="append", default=[],
        help="type this at each prompt first (can be given several times)",
    )  # fmt: skip
    run.add_argument("--scope", metavar="project|all|PATTERN,PATTERN", help="what is protected (project)")
    run.add_argument("--policy", metavar="MODULE:FUNCTION", help="who decides at a crash")
    run.add_argument("--wait", metavar="SECONDS", help="how long a crash waits for somebody to attach")
    run.add_argument(
        "--watch", action="store_true", help="at a crash, go on as soon as the function's file is saved"
    )
    run.add_argument("-v", "--verbose", action="store_true", help="say at the end what was protected")
    run.add_argument("program", metavar="PROGRAM", help="a script, folder or archive; with -m a module")
    run.add_argument("arguments", metavar="...", nargs=argparse.REMAINDER, help="the program's arguments")
    doctor = commands.add_parser("doctor", help="say what daifu_bc finds here, and what it cannot protect")
    doctor.add_argument("paths", metavar="PATH", nargs="*", help="files and folders to look at (the project)")
    doctor.add_argument("--json", action="store_true", help="for programs to read")
    _add_remote(commands)
    return parser


def _add_remote(commands: Any) -> None:
    ps = commands.add_parser("ps", help="list the crashes that wait")
    ps.add_argument("--json", action="store_true", help="for programs to read: an object a line")
    ps.add_argument("--watch", action="store_true", help="again and again, until Ctrl-C")
    ps.add_argument("which", metavar="HOST:PORT", nargs="*", help="of the process that listens there (all here)")
    attach = commands.add_parser("attach", help="open the console of a crash that waits")
    attach.add_argument(
        "which", metavar="PID | NAME | rank N | HOST:PORT", nargs="*", help="which one, if several wait"
    )
    attach.add_argument("--last", action="store_true", help="the one that crashed last")
    attach.add_argument("--take", action="store_true", help="put out a console that is attached already")
    attach.add_argument("--json", action="store_true", help="messages, an object a line, on stdin and stdout")
    send = commands.add_parser("send", help="type lines at the prompt of a crash that waits")
    send.add_argument("which", metavar="PID | NAME | HOST:PORT | all", help="which one; all: each of them")
    send.add_argument("lines", metavar="COMMAND", nargs="+", help="what to type, such as 'retry'")
    for command in (ps, attach, send):
        command.add_argument("--key", metavar="FILE", default="", help="the key of the process at HOST:PORT")
    log = commands.add_parser("log", help="what became of the crashes that waited")
    log.add_argument("--job", default="", help="of this job only")
    log.add_argument("--json", action="store_true", help="for programs to read: an object a line")


def _elsewhere(asked: argparse.Namespace) -> int:
    from daifu_bc.remote import attach, find, joblog, listing

    if asked.command == "log":
        return joblog.main(asked.job, asked.json)
    words = asked.which if isinstance(asked.which, list) else [asked.which]
    try:
        far = find.far_of(words, asked.key) if asked.key or ":" in "".join(words) else None
        if asked.command == "ps":
            if asked.which and far is None:
                raise find.NotThere(f"ps: HOST:PORT is wanted, not {' '.join(asked.which)}")
            ask = partial(find.crashes_at, far) if far is not None else find.crashes
            return listing.main(asked.json, asked.watch, ask)
        if asked.command == "attach":
            wanted = far or find.Wanted(tuple(asked.which), asked.last)
            return attach.attach(wanted, take=asked.take, as_json=asked.json)
        if far is not None:
            return attach.send_far(far, asked.lines)
        every = asked.which == "all"
        return attach.send(find.Wanted(() if every else (asked.which,)), every, asked.lines)
    except (find.NotThere, OSError) as error:
        sys.stderr.write(f"daifu-bc: {error}\n")
        return 1


def _run(asked: argparse.Namespace) -> None:
    if not options.is_policy(asked.policy or ""):
        sys.exit(f"daifu-bc: --policy: MODULE:FUNCTION is wanted, not {asked.policy!r}")
    variables = options.ENVIRONMENT
    os.environ[variables["scope"]] = asked.scope or os.environ.get(variables["scope"]) or "1"
    for name in ("policy", "wait"):
        if getattr(asked, name):
            os.environ[variables[name]] = getattr(asked, name)
    for name in ("watch", "verbose"):
        if getattr(asked, name):
            os.environ[variables[name]] = "1"
    if asked.typed:
        from daifu_bc.console import prompt

        prompt.INITIAL[:] = asked.typed
    program = Program("module" if asked.module else "script", asked.program)
    runner.run(program, asked.arguments)
