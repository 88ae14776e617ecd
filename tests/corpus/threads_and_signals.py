"""Programs: threads, executors, signal handlers, contextvars, weak references, profile and trace."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

import contextvars
import queue
import signal
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

from sweep.declare import carried, either


@carried
def thread_with_a_target(p):
    out = []

    def work(x):
        out.append(p.call("work", x))
        for y in p.iter(2):
            out.append(p.call("loop", y))

    thread = threading.Thread(target=work, args=(p.call("x"),))
    thread.start()
    thread.join()
    return out


@carried
def executor_map_and_submit(p):
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(lambda x: p.call("submitted", x), p.call("x"))
        out = [future.result()]
        for y in executor.map(lambda x: p.call("mapped", x), [1]):
            out.append(y)
    return p.call("after", out)


@carried
def thread_and_queue(p):
    q, out = queue.Queue(), queue.Queue()

    def work():
        try:
            while (x := q.get()) is not None:
                out.put(p.call("work", x))
        finally:
            out.put("end")

    thread = threading.Thread(target=work)
    thread.start()
    seen = []
    for x in [1, 2]:
        q.put(x)
        seen.append(out.get(timeout=1))
    q.put(None)
    thread.join()
    return seen


@either("handler")
def signal_handler_of_the_program(p):
    def handler(number, frame):
        p.call("handler")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        p.call("before")
        signal.raise_signal(signal.SIGUSR1)
        for x in p.iter(2):
            p.call("body", x)
    finally:
        signal.signal(signal.SIGUSR1, before)
    return p.call("after")


def locks(p):
    lock = threading.RLock()
    with lock:
        p.call("held")
        with lock:
            p.call("twice")
    return lock.acquire(blocking=False), p.call("after"), lock.release()


def context_variables(p):
    var = contextvars.ContextVar("var", default=0)

    def f():
        var.set(p.call("set"))
        return p.call("read", var.get())

    context = contextvars.copy_context()
    return context.run(f), var.get(), p.call("after", context[var])


def weak_reference_dies_in_time(p):
    class Thing:
        pass

    thing = Thing()
    ref = weakref.ref(thing)
    p.call("alive", ref() is thing)
    del thing
    p.call("dead", ref() is None)
    return p.call("x", ref())


def temporaries_die_in_time(p):
    class Thing:
        def __init__(self):
            refs.append(weakref.ref(self))

    refs = []

    def f(thing):
        p.call("f")
        return 1

    for x in p.iter(2):
        f(Thing())
        p.call("dead", [ref() is None for ref in refs])
    return p.call("after")


def weak_reference_callback(p):
    class Thing:
        pass

    thing, out = Thing(), []
    ref = weakref.ref(thing, lambda _: out.append(1))
    p.call("before", len(out))
    thing = p.call("x")
    return p.call("after", len(out))


def settrace_is_set(p):
    import sys

    lines = []

    def trace(frame, event, arg):
        if frame.f_code.co_name == "traced":
            lines.append(event)
            return trace

    def traced():
        x = 1
        y = 2
        return x + y

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        traced()
    finally:
        sys.settrace(before)
    return p.call("after", len(lines))
