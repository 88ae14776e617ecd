"""Autoinstrument in this process: begun once, at start-up or by the command line.

In: the environment, the command line. Out: the import hook, the main module as entry, one line on stderr.
Always true: begun at most once; what cannot begin is said in one line, and the program runs as if we were not there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from daifu_bc import along
from daifu_bc.autoinstrument import announce, options, policy
from daifu_bc.autoinstrument.loaders import Hook
from daifu_bc.autoinstrument.options import Options
from daifu_bc.autoinstrument.program import ROOT_VARIABLE, Program, read_program, root_of
from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.autoinstrument.takeover import take_over
from daifu_bc.crash.entries import Entry, set_process_entry
from daifu_bc.transform import Settings


@dataclass(frozen=True, slots=True)
class Session:
    """What was begun."""

    program: Program
    root: str
    options: Options
    selection: Selection
    hook: Hook


_session: Session | None = None


def current() -> Session | None:
    """What was begun in this process, or None."""
    return _session


def begin_at_startup() -> None:
    """Called by the start-up file, before Python looks at the program."""
    program = read_program(sys.orig_argv)
    if _is_our_command(program):
        return  # `python -m daifu_bc`: begins by itself, for the program that it is asked to run
    session = begin(program)
    if session is not None:
        take_over(program, session.selection)


def begin(program: Program) -> Session | None:
    """Protect what the environment asks for. Out: None where it was begun before, or is turned off."""
    global _session
    if _session is not None or options.is_off(os.environ):
        return _session
    root = root_of(program, sys.path)
    chosen = options.read_options(root, os.environ)
    selection = Selection(chosen, root)
    session = Session(program, root, chosen, selection, Hook(selection))
    _export(root, chosen)
    session.hook.install()
    set_process_entry(Entry(on_crash=_decider(chosen, root), scope=str(selection)))
    along.settle(selection, Settings())
    _session = session
    announce.begin(session.selection, _faults(session), chosen)
    return session


def end() -> None:
    """Take the hook out again; what is protected stays so, and acts no more."""
    global _session
    if _session is not None:
        _session.hook.uninstall()
        along.leave(_session.selection)
        set_process_entry(None)
        _session = None


def _decider(chosen: Options, root: str) -> Callable[[Any], Any] | None:
    return policy.Named(chosen.policy, root) if chosen.policy else None


def _faults(session: Session) -> list[str]:
    """What will not work as it was asked for."""
    faults = list(session.options.faults)
    if session.options.policy:
        folders = [session.root, os.getcwd(), os.path.dirname(os.path.realpath(session.program.what or "."))]
        missing = policy.why_not(session.options.policy, folders)
        faults += [missing] if missing is not None else []
    return faults


def _export(root: str, chosen: Options) -> None:
    """Tell processes that this one starts what their own command line does not say."""
    os.environ[ROOT_VARIABLE] = root
    for name in ("wait", "notify", "listen", "key"):
        if getattr(chosen, name):
            os.environ.setdefault(options.ENVIRONMENT[name], getattr(chosen, name))
    if not chosen.attach:
        os.environ.setdefault(options.ENVIRONMENT["attach"], "0")
    if chosen.watch:
        os.environ.setdefault(options.ENVIRONMENT["watch"], "1")


def _is_our_command(program: Program) -> bool:
    name = program.what
    if program.kind == "script":
        return os.path.basename(name) == "daifu-bc"
    return program.kind == "module" and name.partition(".")[0] == "daifu_bc"
