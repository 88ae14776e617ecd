"""A crash waits until somebody has attached and decided, or its time is up.

In: a crash, in its own thread. Out: a decision (once its time is up: Abort), or None where nobody could come. Always
true: the exception is not touched; what cannot be (no folder, no socket, no thread) is one line on stderr, and None.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from typing import TextIO, cast

from daifu_bc.autoinstrument.announce import say
from daifu_bc.console import local
from daifu_bc.console.values import one_line
from daifu_bc.console.view import CrashLike
from daifu_bc.remote import joblog, notify, settings
from daifu_bc.remote.facts import facts_of, words_for
from daifu_bc.remote.post import Post, Waiting
from daifu_bc.remote.talk import FarInput, FarOutput, Gone, Talk
from daifu_bc.restarts import log
from daifu_bc.restarts.restarts import Abort, Restart

_post: Post | None = None
_post_lock = threading.Lock()
_said: set[str] = set()
_undone: dict[int, Talk] = {}  # by thread: who has decided, and is told once the run goes on


def ask(crash: CrashLike, first: str = "") -> Restart | None:
    """Wait for somebody. first: why the last decision could not be carried out."""
    seconds = settings.seconds_to_wait()
    if seconds <= 0:
        return None
    began = time.time()
    try:
        waiting = Waiting(facts_of(crash, began, seconds), seconds)
        post = _enter(waiting)
    except Exception as error:  # never worse: without a socket it is as if this room were not there
        _say_once(f"nobody can attach: {one_line(str(error) or type(error).__name__, 300)}")
        return None
    try:
        return _wait(crash, waiting, first, time.monotonic() + seconds)
    finally:
        post.leave(waiting)
        while not waiting.arrivals.empty():  # came too late
            waiting.arrivals.get().end("expired")


def _enter(waiting: Waiting) -> Post:
    global _post
    log.tell(_tell_who_decided)
    log.tell(joblog.write_recovery)
    with _post_lock:
        if _post is None or not _post.enter(waiting):
            _post = Post()
            _post.enter(waiting)
        if _post.fault:
            _say_once(_post.fault)
        return _post


def _wait(crash: CrashLike, waiting: Waiting, first: str, end: float) -> Restart | None:
    before = _undone.pop(threading.get_ident(), None)
    if before is not None and before.open and first and _post is not None:
        _post.adopt(before, waiting)
    else:
        if before is not None:  # what it decided could not be carried out, and the exception went on
            before.end("detached")
        facts = waiting.facts()
        gate = _post.gate if _post is not None else None
        far = f", or `{gate.how}`" if gate is not None else ""
        say(f"{words_for(facts)}: waits {_duration(facts['wait'])} for `daifu-bc attach {os.getpid()}`{far}")
        notify.run(facts)
    while True:
        try:
            talk = waiting.arrivals.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            joblog.write({**waiting.facts(), "done": "waited in vain"})
            say(f"process {os.getpid()} has waited {_duration(waiting.facts()['waited'])}, nobody came: it goes on")
            return Abort()
        restart = _converse(crash, waiting, talk, first)
        if restart is not None:
            return restart
        end = max(end, time.monotonic() + min(waiting.patience, 60.0))  # who was put out may come back


def _converse(crash: CrashLike, waiting: Waiting, talk: Talk, first: str) -> Restart | None:
    """One console, from its welcome to a decision; None if it has gone."""
    output = FarOutput(talk)
    talk.before = None
    try:
        talk.send({"type": "welcome", **waiting.facts()})
        stdin, stdout = cast(TextIO, FarInput(talk, output)), cast(TextIO, output)
        restart = local.ask(crash, stdin=stdin, stdout=stdout, first=first)
    except Gone:
        restart = None
    if isinstance(restart, Abort):
        joblog.write({**waiting.facts(), "done": "abort"})
        talk.end("released", restart="abort", more=_more())
    elif restart is not None:
        _undone[threading.get_ident()] = talk
    else:
        talk.end("detached")
    return restart


def _tell_who_decided(recovery: log.Recovery) -> None:
    """The run goes on: who has decided it is told."""
    talk = _undone.pop(threading.get_ident(), None)
    if talk is not None:
        talk.end("released", restart=recovery.restart, more=_more())


def _say_once(text: str) -> None:
    """Who is asked next about the same exception would find the same."""
    if text not in _said:
        _said.add(text)
        say(text)


def _more() -> int:
    """Crashes of other threads that still wait here."""
    post = _post
    return sum(one.thread != threading.get_ident() for one in post.waiting) if post is not None else 0


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:.3g} h" if seconds >= 3600 else f"{seconds:.3g} s"


def _start_afresh_in_child() -> None:
    global _post, _post_lock
    if _post is not None:
        _post.forget()
    _post, _post_lock = None, threading.Lock()
    _undone.clear()
    _said.clear()


os.register_at_fork(after_in_child=_start_afresh_in_child)


