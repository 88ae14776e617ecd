"""What is protected along with an entry, when, and how it comes back."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

from daifu_bc import along, swaps
from daifu_bc.crash.entries import entry_of
from daifu_bc.errors import CannotProtect
from daifu_bc.instrument import is_protected, protect, unprotect
from daifu_bc.interpreter import tool_ids
from daifu_bc.transform.registry import original_of

PROJECT = {
    "mine/__init__.py": "",
    "mine/loop.py": """
        from mine.data import Images
        def helper():
            return int(1)
        def train():
            return sum(Images()[i] for i in range(3)) + helper()
        def late():
            import mine.late
            return mine.late.value()
    """,
    "mine/data.py": """
        import functools
        class Images:
            def __getitem__(self, i):
                return i
            @property
            def size(self):
                return 3
            @staticmethod
            def static():
                return 1
            class Inner:
                def deep(self):
                    return 1
        def make():
            def inner():
                return 1
            return inner
        HIDDEN = [make(), lambda: 2]
        @functools.lru_cache
        def cached():
            return 1
    """,
    "mine/late.py": """
        def value():
            return 5
    """,
    "other.py": """
        def stranger():
            return 1
    """,
}


@pytest.fixture
def mine(project: Any) -> Any:
    project(PROJECT)
    importlib.import_module("other")
    return importlib.import_module("mine.loop")


def along_with_it(function: Any) -> bool:
    return is_protected(function) and entry_of(function.__code__) is None


def test_nothing_comes_along_before_the_first_call(mine: Any) -> None:
    protect(mine.train)
    assert not is_protected(mine.helper)
    assert mine.train() == 4
    assert along_with_it(mine.helper)


def test_the_whole_package_comes_along_and_nothing_else(mine: Any) -> None:
    data = sys.modules["mine.data"]
    protect(mine.train)
    mine.train()
    images = data.Images
    for function in (
        images.__getitem__,
        images.__dict__["size"].fget,
        images.static,
        images.Inner.deep,
        data.make,
    ):
        assert along_with_it(function)
    assert along_with_it(data.cached.__wrapped__)
    assert not is_protected(sys.modules["other"].stranger)
    assert not is_protected(pytest.importorskip)


def test_closures_and_callbacks_that_live_already_come_along(mine: Any) -> None:
    hidden = sys.modules["mine.data"].HIDDEN
    protect(mine.train)
    mine.train()
    assert all(along_with_it(function) for function in hidden)
    assert [function() for function in hidden] == [1, 2]


@pytest.mark.parametrize(
    ("scope", "here", "there"), [("nested", False, False), ("module", True, False), ("project", True, True)]
)
def test_scopes(mine: Any, scope: str, here: bool, there: bool) -> None:
    protect(mine.train, scope=scope)
    mine.train()
    assert is_protected(mine.helper) is here
    assert is_protected(sys.modules["mine.data"].make) is there


def test_what_is_imported_later_comes_along(mine: Any) -> None:
    protect(mine.late)
    assert mine.late() == 5
    assert along_with_it(sys.modules["mine.late"].value)


def test_a_reload_and_a_module_loaded_by_path_come_along(mine: Any) -> None:
    data = sys.modules["mine.data"]
    protect(mine.train)
    mine.train()
    importlib.reload(data)
    assert along_with_it(data.make)
    spec = importlib.util.spec_from_file_location("mine.late", mine.__file__.replace("loop", "late"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert along_with_it(module.value)


def test_a_failing_import_shows_no_frame_of_ours(mine: Any, project: Any) -> None:
    project({"mine/broken.py": "1 / 0"})
    protect(mine.train)
    mine.train()
    with pytest.raises(ZeroDivisionError) as caught:
        importlib.import_module("mine.broken")
    assert not any(
        "daifu_bc/" in entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)[1:]
    )


def test_the_event_is_gone_after_the_first_call(mine: Any) -> None:
    protect(mine.train)
    tool = tool_ids.tool_id()
    assert tool is not None and sys.monitoring.get_local_events(tool, mine.train.__code__)
    mine.train()
    assert not sys.monitoring.get_local_events(tool, mine.train.__code__)
    assert mine.train() == 4
    assert len(along.expansions()) == 1


def test_one_first_call_serves_all_functions_of_a_target(mine: Any) -> None:
    data = sys.modules["mine.data"]
    protect(data.Images)
    data.Images.static()
    data.Images()[0]
    assert len(along.expansions()) == 1


def test_unprotecting_the_last_entry_puts_everything_back(mine: Any) -> None:
    data = sys.modules["mine.data"]
    functions = [mine.helper, data.make, data.Images.__getitem__, *data.HIDDEN]
    before = [function.__code__ for function in functions]
    protect(mine.train)
    protect(mine.late)
    mine.train()
    unprotect(mine.train)
    assert all(is_protected(function) for function in functions)
    unprotect(mine.late)
    assert all(function.__code__ is code for function, code in zip(functions, before, strict=True))
    assert tool_ids.tool_id() is None
    mine.late()
    assert not is_protected(sys.modules["mine.late"].value)


def test_an_entry_among_them_keeps_its_own_settings(mine: Any) -> None:
    protect(mine.helper, keep="all")
    code = mine.helper.__code__
    protect(mine.train)
    mine.train()
    assert mine.helper.__code__ is code and entry_of(code) is not None


def test_what_came_along_can_become_an_entry_and_goes_back_to_its_original(mine: Any) -> None:
    before = mine.helper.__code__
    protect(mine.train)
    mine.train()
    protect(mine.helper)
    assert entry_of(mine.helper.__code__) is not None and original_of(mine.helper.__code__) is before
    unprotect(mine.helper)
    assert mine.helper.__code__ is before


def test_an_entry_that_asks_for_more_is_served(mine: Any) -> None:
    protect(mine.train)
    mine.train()
    plain = mine.helper.__code__
    protect(mine.late, keep="all", always=KeyError)
    mine.late()
    version = swaps.version_of(mine.helper)
    assert mine.helper.__code__ is not plain and version is not None
    assert (version.settings.keep, version.settings.always) == ("all", True)


def test_a_function_that_cannot_be_protected_is_left_and_the_rest_comes_along(
    mine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = swaps.protect_code

    def refuse_helper(code: Any, settings: Any) -> Any:
        if code.co_name == "helper":
            raise CannotProtect("helper is odd")
        if code.co_name == "make":
            raise ZeroDivisionError
        return really(code, settings)

    monkeypatch.setattr(swaps, "protect_code", refuse_helper)
    protect(mine.train)
    assert mine.train() == 4
    assert not is_protected(mine.helper) and swaps.why_refused(mine.helper) == "helper is odd"
    assert "ZeroDivisionError" in str(swaps.why_refused(sys.modules["mine.data"].make))
    assert along_with_it(sys.modules["mine.data"].Images.__getitem__)


def test_a_fault_of_ours_never_reaches_the_program(mine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*args: object) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(along, "_expand_scope", break_down)
    protect(mine.train)
    assert mine.train() == 4
    assert "ZeroDivisionError: oh" in along.expansions()[-1].fault


def test_without_a_tool_id_it_happens_at_once_and_is_said(mine: Any) -> None:
    for tool in (4, 3):
        sys.monitoring.use_tool_id(tool, "other")
    try:
        with pytest.warns(RuntimeWarning, match=r"4 \(other\) and 3 \(other\) are taken"):
            protect(mine.train)
        assert along_with_it(mine.helper)
    finally:
        for tool in (4, 3):
            sys.monitoring.free_tool_id(tool)


def test_threads_that_come_at_once_all_find_it_done(mine: Any) -> None:
    protect(mine.train)
    found: list[bool] = []
    gate = threading.Barrier(8)

    def call() -> None:
        gate.wait()
        mine.train()
        found.append(is_protected(mine.helper))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8 and len(along.expansions()) == 1


def test_generators_and_coroutines_bring_along_when_they_start(mine: Any) -> None:
    namespace = vars(mine)
    exec("def items():\n    yield helper()\nasync def go():\n    return helper()", namespace)
    for name in ("items", "go"):
        protect(namespace[name])
        started = namespace[name]()
        assert not is_protected(mine.helper)
        if name == "items":
            assert next(started) == 1
        else:
            with pytest.raises(StopIteration):
                started.send(None)
        assert along_with_it(mine.helper)
        unprotect(namespace[name])


def test_a_lazy_module_is_not_woken(mine: Any) -> None:
    spec = importlib.util.find_spec("mine.late")
    assert spec is not None and spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    lazy = importlib.util.module_from_spec(spec)
    sys.modules["mine.late"] = lazy
    assert spec.loader is not None
    spec.loader.exec_module(lazy)
    protect(mine.train)
    mine.train()
    assert "value" not in object.__getattribute__(lazy, "__dict__")
    assert along_with_it(lazy.value)


def test_layers_come_along_with_every_entry(mine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(along, "_layers", {})
    along.add_layers(
        {"other": (), "mine.late": ("value",), "mine.data": ("Images.static",), "never.imported": ()}
    )
    protect(mine.late, scope="nested")
    mine.late()
    data = sys.modules["mine.data"]
    assert along_with_it(sys.modules["other"].stranger) and along_with_it(sys.modules["mine.late"].value)
    assert along_with_it(data.Images.static) and not is_protected(data.make)


def numbers() -> Iterator[int]:
    yield from range(3)


def test_a_script_brings_its_folder_along(project: Any, run_python: Any) -> None:
    folder = project(
        {
            "train.py": """
                from daifu_bc.instrument import protect, is_protected
                import helper
                def before(): return 1
                @protect
                def main():
                    return before() + after() + helper.help()
                def after(): return 2
                assert not is_protected(after)
                print(main(), is_protected(before), is_protected(after), is_protected(helper.help))
            """,
            "helper.py": "def help(): return 3",
        }
    )
    assert run_python("train.py", cwd=folder).split() == ["6", "True", "True", "True"]


def test_code_typed_in_brings_main_along(project: Any, run_python: Any) -> None:
    folder = project({"helper.py": "def help(): return 3"})
    text = (
        "from daifu_bc.instrument import protect, is_protected\n"
        "import helper\n"
        "def other(): return 1\n"
        "def main(): return other() + helper.help()\n"
        "protect(main)\n"
        "print(main(), is_protected(other), is_protected(helper.help))\n"
    )
    assert run_python("-c", text, cwd=folder).split() == ["4", "True", "False"]


def test_a_forked_child_is_not_stuck(project: Any, run_python: Any) -> None:
    folder = project(
        {
            "train.py": """
                import os, threading
                from daifu_bc import swaps
                from daifu_bc.instrument import protect, is_protected
                held, go = threading.Event(), threading.Event()
                def hold():
                    with swaps.lock:
                        held.set(); go.wait()
                threading.Thread(target=hold, daemon=True).start()
                held.wait()
                def helper(): return 1
                def main(): return helper()
                if os.fork() == 0:
                    protect(main); main()
                    os._exit(0 if is_protected(helper) else 3)
                print(os.waitstatus_to_exitcode(os.wait()[1]))
                go.set()
            """
        }
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        assert run_python("-W", "ignore", "train.py", cwd=folder).split() == ["0"]


def test_functions_of_the_test_are_plain_again() -> None:
    assert isinstance(numbers, FunctionType) and not is_protected(numbers)
