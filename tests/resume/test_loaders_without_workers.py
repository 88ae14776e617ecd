"""A loader whose worker was killed would wait for ever when it is asked again: refused; a fresh iterator goes on."""

from __future__ import annotations

import itertools
import multiprocessing
import signal

import pytest

import daifu_bc
from daifu_bc import At, NextIteration, Redo, Retry
from daifu_bc.resume.stuck import waits_for_ever

data = pytest.importorskip("torch", reason="loaders are torch's").utils.data


@pytest.fixture(autouse=True)
def no_word_of_children():
    """Torch's handler would raise wherever the program is just then: here the loader finds out by itself."""
    before = signal.getsignal(signal.SIGCHLD)
    yield
    signal.signal(signal.SIGCHLD, before)


def loader(first=0, **more):
    return data.DataLoader(range(first, 16), batch_size=2, **more)


def kill_workers():
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for child in multiprocessing.active_children():
        child.kill()
        child.join()


def frame_named(crash, name):
    [index] = [index for index, frame in enumerate(crash.frames) if frame.function.endswith(name)]
    return index


def program():
    seen = []
    for batch in loader(num_workers=1, timeout=1):
        seen.append(batch.tolist())
        if len(seen) == 2:
            kill_workers()
    return seen


def test_its_frames_refuse_to_ask_again_and_a_fresh_iterator_goes_on():
    refused = []

    def policy(crash):
        inner = [At(index, way) for index in range(crash.frame, 3) for way in (Retry(), Redo(), NextIteration())]
        refused.extend(crash.can(restart) for restart in inner)
        index = frame_named(crash, "program")
        seen = crash.frames[index].locals["seen"]
        crash.frames[index].loops[0].iterator = iter(loader(first=2 * len(seen)))
        return At(index, Retry())

    assert daifu_bc.protect(program, on_crash=policy)() == loader_content()
    assert refused and None not in refused
    assert any("a worker process of the loader is gone" in reason for reason in refused)


def loader_content():
    return [batch.tolist() for batch in loader()]


def test_the_next_iteration_is_refused_too_and_the_exception_is_the_loaders():
    def policy(crash):
        return At(frame_named(crash, "program"), NextIteration())

    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        daifu_bc.protect(program, on_crash=policy)()


@pytest.mark.parametrize("around", [iter, enumerate, lambda it: zip("abc", itertools.chain(it))])
def test_what_takes_from_it_is_known_to_wait_too(around):
    batches = iter(loader(num_workers=1))
    outer = around(batches)
    assert waits_for_ever(outer) is None
    kill_workers()
    assert "gone" in waits_for_ever(outer)


def test_a_loader_that_is_at_its_end_waits_for_nobody():
    batches = iter(loader(num_workers=1))
    assert len(list(batches)) == 8
    kill_workers()
    assert waits_for_ever(batches) is None
