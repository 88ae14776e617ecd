"""Ctrl-C at the prompt leads back to the prompt, in whatever thread the prompt is.

In the main thread SIGINT gets a handler of ours that raises KeyboardInterrupt while the console is `armed`
and does nothing otherwise. Python runs handlers in the main thread only: for a prompt in another thread,
Ctrl-C would kill the main one. There the terminal's interrupt key is switched off; the key then arrives as a
character.

What asyncio and others hear of signals over a wakeup descriptor is forwarded to them afterwards, but for the
SIGINTs that were meant for us. Always true: handler, descriptor and key are what they were when the prompt is
left.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType

from daifu_bc.console.terminal import Streams

KEY = "\x03"


class Interrupts:
    """Whether Ctrl-C may interrupt at this moment."""

    def __init__(self) -> None:
        self.armed = False

    def on_signal(self, signum: int, frame: FrameType | None) -> None:
        """The handler of SIGINT."""
        if self.armed:
            raise KeyboardInterrupt


@contextmanager
def interrupts(streams: Streams) -> Iterator[Interrupts]:
    """Ctrl-C belongs to the console."""
    state = Interrupts()
    with ExitStack() as kept:
        if not kept.enter_context(_handler(state)) and streams.terminal:
            kept.enter_context(_interrupt_key_off(streams))
        yield state


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Handlers that consoles like to install are what they were."""
    numbers = [getattr(signal, name) for name in ("SIGCONT", "SIGWINCH") if hasattr(signal, name)]
    kept = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in kept.items():
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)


@contextmanager
def _handler(state: Interrupts) -> Iterator[bool]:
    """Install the handler; False where that is not possible."""
    before = signal.getsignal(signal.SIGINT)
    # A handler that was not installed from Python (None) could not be put back.
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield False
        return
    try:
        signal.signal(signal.SIGINT, state.on_signal)
    except ValueError:  # not the main interpreter
        yield False
        return
    try:
        with _wakeups_forwarded():
            yield True
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _wakeups_forwarded() -> Iterator[None]:
    listener = signal.set_wakeup_fd(-1)
    if listener == -1:
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(listener)
        _forward(reading, listener)
        os.close(reading)
        os.close(writing)


def _forward(reading: int, listener: int) -> None:
    with suppress(OSError):  # nothing came, or the listener is gone or full: as it would be with signals
        heard = bytes(number for number in os.read(reading, 65536) if number != signal.SIGINT)
        if heard:
            os.write(listener, heard)


@contextmanager
def _interrupt_key_off(streams: Streams) -> Iterator[None]:
    try:
        import termios
    except ImportError:  # a system without them
        yield
        return
    before: bytes | int | None = None
    with suppress(termios.error, OSError, ValueError):
        descriptor = streams.stdin.fileno()
        before = termios.tcgetattr(descriptor)[6][termios.VINTR]
        _set_key(descriptor, bytes([os.fpathconf(descriptor, "PC_VDISABLE")]))
    try:
        yield
    finally:
        if before is not None:
            with suppress(termios.error, OSError, ValueError):  # the terminal is gone
                _set_key(streams.stdin.fileno(), before)


def _set_key(descriptor: int, key: bytes | int) -> None:
    import termios

    attributes = termios.tcgetattr(descriptor)
    attributes[6][termios.VINTR] = key
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
