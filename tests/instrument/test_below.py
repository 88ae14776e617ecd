"""What starts below an entry, in another thread, is below it."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from daifu_bc.crash import below
from daifu_bc.crash.entries import Entry, entry_of
from daifu_bc.instrument import protect, unprotect


def policy(crash: object) -> None:
    return None


def where_am_i(found: list[Entry | None]) -> None:
    found.append(below.entry_around(sys._getframe()))


def in_a_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()


def entry(function: Callable[[], None]) -> Entry | None:
    return entry_of(function.__code__)


def test_a_thread_that_starts_below_an_entry_is_below_it() -> None:
    found: list[Entry | None] = []

    @protect(scope="nested")
    def run() -> None:
        in_a_thread(lambda: where_am_i(found))

    run()
    in_a_thread(lambda: where_am_i(found))
    assert found == [entry(run), None]


def test_a_thread_of_a_thread_too() -> None:
    found: list[Entry | None] = []

    @protect(scope="nested")
    def run() -> None:
        in_a_thread(lambda: in_a_thread(lambda: where_am_i(found)))

    run()
    assert found == [entry(run)]


def test_a_subclass_with_a_run_of_its_own_too() -> None:
    found: list[Entry | None] = []

    class Loader(threading.Thread):
        def run(self) -> None:
            where_am_i(found)

    @protect(scope="nested")
    def run() -> None:
        loader = Loader()
        loader.start()
        loader.join()

    run()
    assert found == [entry(run)]


def test_work_belongs_to_where_it_was_submitted_and_not_to_its_thread() -> None:
    found: list[Entry | None] = []
    with ThreadPoolExecutor(1) as pool:

        @protect(scope="nested")
        def run() -> None:
            pool.submit(where_am_i, found).result()

        @protect(scope="nested")
        def other() -> None:
            pool.submit(where_am_i, found).result()

        run()
        pool.submit(where_am_i, found).result()
        other()
    assert found == [entry(run), None, entry(other)]
    assert entry(run) is not entry(other)


def test_the_nearest_entry_with_a_policy_counts() -> None:
    found: list[Entry | None] = []

    @protect(scope="nested")
    def inner() -> None:
        where_am_i(found)
        in_a_thread(lambda: where_am_i(found))

    @protect(scope="nested", on_crash=policy)
    def middle() -> None:
        inner()

    @protect(scope="nested", keep="all")
    def outer() -> None:
        middle()
        inner()

    outer()
    assert found == [entry(middle)] * 2 + [entry(outer)] * 2


def test_notes_go_with_the_threads_and_with_the_last_entry() -> None:
    @protect(scope="nested")
    def run() -> None:
        for _ in range(10):
            in_a_thread(lambda: None)

    run()
    gc.collect()
    assert not below._started
    unprotect(run)
    assert not below._watches
    assert threading.Thread.start.__code__.co_name == "start"


def test_executors_that_are_imported_later_are_seen(run_python: Callable[..., str]) -> None:
    text = (
        "import sys\n"
        "from daifu_bc.crash import below\n"
        "from daifu_bc.instrument import protect\n"
        "assert 'concurrent.futures.thread' not in sys.modules\n"
        "@protect\n"
        "def main():\n"
        "    from concurrent.futures import ThreadPoolExecutor\n"
        "    with ThreadPoolExecutor(1) as pool:\n"
        "        pool.submit(int).result()\n"
        "        return pool.submit(lambda: below.entry_around(sys._getframe()) is not None).result()\n"
        "print(main())\n"
    )
    probe = "import daifu_bc, sys; print('concurrent.futures.thread' in sys.modules)"
    if run_python("-c", probe).strip() == "True":
        pytest.skip("something that we need imports it first")
    assert run_python("-c", text).strip() == "True"
