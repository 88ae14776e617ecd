"""Protecting along: everything in an entry's scope, when the entry is first called, and later as it is imported.

In: entries (their code, their scope). Out: functions whose code is protected but which are no entries. Always true: no
code of the user's runs here; nothing is raised into the program; a code object that cannot be protected is left as it
is, with the reason on record; `undo` puts everything back.

What we want: to act when an entry is called for the first time, since everything that it needs has been imported by
then, and again when a module is imported later. What does not work: a wrapper (an extra frame, another object), a
check in the code (it would run at every call), wrapping loaders (our frames in the tracebacks of failing imports).
What we do: a local PY_START event on the entry's code, switched off by its first hit, and local PY_RETURN events on
the two functions of importlib that end an import. What still fails: with both tool ids taken, an entry is expanded
when it is protected, and what is defined or imported after that is not protected along.
"""

from __future__ import annotations

import gc
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from daifu_bc import swaps
from daifu_bc.crash import below, switches
from daifu_bc.errors import DaifuError
from daifu_bc.import_ends import watch_imports
from daifu_bc.interpreter import tool_ids
from daifu_bc.scope import Holds, scope_of
from daifu_bc.swaps import Version
from daifu_bc.targets import functions_in, innermost, is_generated, namespace_of
from daifu_bc.transform import Settings
from daifu_bc.transform.registry import is_protected_code
from daifu_bc.updates.files import see_module


@dataclass(frozen=True, slots=True)
class Expansion:
    """What was protected along at one moment, for reports."""

    scope: str
    functions: int
    seconds: float
    fault: str = ""  # what went wrong, if something did


_layers: dict[str, tuple[str, ...]] = {}  # module -> names of classes and functions in it, () for all
_settled: dict[Holds, Settings] = {}  # scopes that were expanded: what is imported into them later comes along
_kept: list[Holds] = []  # scopes that stay when no entry is left
_along: dict[int, Version] = {}  # id of an original -> its version without an entry
_waiting: dict[int, FirstCall] = {}  # id of an entry's code -> what its first call does
_imports: list[tool_ids.Watch] = []
_expansions: list[Expansion] = []


class FirstCall:
    """What happens when one of the functions that were protected by one `protect` is first called."""

    def __init__(self, functions: Sequence[FunctionType], kind: str, versions: Sequence[Version]) -> None:
        homes = {id(home): home for home in (innermost(function).__globals__ for function in functions)}
        self.homes = list(homes.values())
        self.kind = kind
        self.settings = versions[0].settings
        self.entries = [version.entry for version in versions]
        self.watches: dict[int, tool_ids.Watch] = {}
        self.done = False

    def await_on(self, code: CodeType) -> bool:
        """Wait for `code` to be called. Out: False where nothing can be watched."""
        watch = tool_ids.watch(code, tool_ids.events.PY_START, self._started)
        if watch is None:
            return False
        self.watches[id(code)] = watch
        _waiting[id(code)] = self
        return True

    def stop_waiting(self, code: CodeType) -> None:
        _waiting.pop(id(code), None)
        watch = self.watches.pop(id(code), None)
        if watch is not None:
            watch.stop()

    def expand(self) -> None:
        """Protect along. In another thread that comes at the same time: wait until it is done."""
        with swaps.lock:
            if self.done:
                return
            self.done = True  # also for a finalizer that calls an entry while we are at it
            try:
                switches.remember(self.entries)
                _expand([(scope_of(self.kind, home), home) for home in self.homes], self.settings)
            except Exception as error:  # runs inside the user's program, which must not notice
                _expansions.append(Expansion(self.kind, 0, 0.0, f"{type(error).__name__}: {error}"))
            except BaseException:
                self.done = False  # interrupted: the next call tries again
                raise
            for watch in list(self.watches.values()):
                self.stop_waiting(watch.codes[0])

    def _started(self, code: CodeType, offset: int) -> object:
        self.expand()
        return tool_ids.DISABLE


def await_first_call(versions: Sequence[Version], functions: Sequence[FunctionType], kind: str) -> None:
    """Protect along when one of the `versions`, code of entries, is first called."""
    if not versions:
        return
    call = FirstCall(functions, kind, versions)
    watched = [call.await_on(version.code) for version in versions]
    if not all(watched):
        _warn_without_events()
        call.expand()


def stop_waiting(code: CodeType) -> None:
    """`code` is no entry any more."""
    call = _waiting.get(id(code))
    if call is not None:
        call.stop_waiting(code)


def wait_there_too(code: CodeType, renewed: CodeType) -> None:
    """`renewed` is called from now on where `code` was."""
    if id(code) in _waiting:
        _waiting[id(code)].await_on(renewed)


def version_renewed(version: Version, original: CodeType) -> Version:
    """The version of new code that comes along as the one of the old code did. Raises CannotProtect."""
    return _version_along(original, version.settings)


def scopes() -> list[Holds]:
    """The scopes that were protected along."""
    return list(_settled)


def add_layers(table: Mapping[str, tuple[str, ...]]) -> None:
    """Modules that are protected along with every entry: name -> names of classes and functions in it, () for all."""
    _layers.update(table)


def expansions() -> tuple[Expansion, ...]:
    """What was protected along so far."""
    return tuple(_expansions)


def settle(scope: Holds, settings: Settings) -> None:
    """Protect along at once, and from now on as it is imported, until `leave(scope)`: there is no entry to wait for."""
    with swaps.lock:
        _kept.append(scope)
        _settled.setdefault(scope, settings)
        _expand([(scope, {})], settings)


def leave(scope: Holds) -> None:
    """What is imported from now on does not come along for this scope; what has come along stays."""
    with swaps.lock:
        _kept.remove(scope)
        _settled.pop(scope, None)


def undo() -> None:
    """No entry is left: give everything that came along its own code back and stop waiting for imports."""
    with swaps.lock:
        if _kept:
            return
        for watch in _imports:
            watch.stop()
        _imports.clear()
        below.end()
        _settled.clear()
        for version in list(_along.values()):
            for function in list(version.functions):
                swaps.restore(function)
        _along.clear()


def _expand(scopes: Sequence[tuple[Holds, dict[str, Any]]], settings: Settings) -> None:
    started = time.perf_counter()
    count = sum(_expand_scope(scope, home, settings) for scope, home in scopes)
    for name in _layers:
        module = sys.modules.get(name)
        if isinstance(module, ModuleType):
            count += _protect_all(_layer_functions(module), settings)
    _await_imports()
    named = ", ".join(str(scope) for scope, _ in scopes)
    _expansions.append(Expansion(named, count, time.perf_counter() - started))


def _expand_scope(scope: Holds, home: dict[str, Any], settings: Settings) -> int:
    """Out: how many functions were protected."""
    if scope.kind == "nested":
        return 0
    modules = [module for module in _loaded_modules() if scope.holds(module)]
    namespaces = {id(namespace_of(module)) for module in modules} | {id(home)}
    count = sum(_protect_all(_defined_in(module, namespaces), settings) for module in modules)
    if count or scope not in _settled:
        count += _protect_all(_alive_in(namespaces), settings)
    _settled[scope] = _join(_settled.get(scope, settings), settings)
    return count


def _loaded_modules() -> list[ModuleType]:
    return [module for module in list(sys.modules.values()) if issubclass(type(module), ModuleType)]


def _defined_in(module: ModuleType, namespaces: set[int]) -> Iterator[FunctionType]:
    """Functions reachable from the module's dictionary; a wrapper that a library made is the library's."""
    see_module(module)
    return (function for function in functions_in(module) if id(function.__globals__) in namespaces)


def _alive_in(namespaces: set[int]) -> Iterator[FunctionType]:
    """All living functions with these globals: closures, callbacks, registered hooks."""
    for item in gc.get_objects():
        if type(item) is FunctionType and id(item.__globals__) in namespaces:
            yield item


def _layer_functions(module: ModuleType) -> Iterator[FunctionType]:
    namespace = namespace_of(module)
    names = _layers.get(str(namespace.get("__name__")), ())
    for function in functions_in(module):
        owner = function.__qualname__.partition(".")[0]
        if function.__globals__ is namespace and (
            not names or owner in names or function.__qualname__ in names
        ):
            yield function


def _protect_all(functions: Iterable[FunctionType], settings: Settings) -> int:
    return sum([_protect(function, settings) for function in functions])


def _protect(function: FunctionType, settings: Settings) -> bool:
    """Protect one function along. Out: whether its code was swapped."""
    version = swaps.version_of(function)
    if version is not None:
        settings = _join(version.settings, settings)
        if version.entry is not None or version.settings == settings:
            return False
    elif is_protected_code(function.__code__):
        return False
    if is_generated(function) or swaps.why_refused(function) is not None:
        return False
    try:
        swaps.install(function, _version_along(swaps.original_code(function), settings))
    except DaifuError:
        return False  # the reason is on record
    return True


def _version_along(original: CodeType, settings: Settings) -> Version:
    version = _along.get(id(original))
    if version is None or version.settings != settings:
        version = _along[id(original)] = swaps.make(original, settings)
    return version


def _join(one: Settings, other: Settings) -> Settings:
    """What serves both."""
    return Settings(
        keep="all" if "all" in (one.keep, other.keep) else "calls", always=one.always or other.always
    )


def _await_imports() -> None:
    """Be told of every module whose import ends."""
    if not _imports:
        below.begin()
        _imports.extend(watch_imports(try_imported))


def try_imported(module: object) -> None:
    """Protect what `module` has defined, if it is in a scope."""
    try:
        _imported(module)
    except Exception as error:  # runs inside the user's import, which must not notice
        _expansions.append(Expansion(f"import of {module!r}", 0, 0.0, f"{type(error).__name__}: {error}"))


def _imported(module: object) -> None:
    """Protect what the import of `module` defined, if it is in a scope or is a layer."""
    if not isinstance(module, ModuleType):
        return
    if namespace_of(module).get("__name__") in (below.EXECUTORS, below.LOOPS):
        below.begin()
    wanted = [settings for scope, settings in list(_settled.items()) if scope.holds(module)]
    is_layer = namespace_of(module).get("__name__") in _layers
    if not wanted and not is_layer:
        return
    started = time.perf_counter()
    with swaps.lock:
        count = 0
        if wanted:
            settings = wanted[0]
            for other in wanted[1:]:
                settings = _join(settings, other)
            count += _protect_all(_defined_in(module, {id(namespace_of(module))}), settings)
        if is_layer:
            count += _protect_all(_layer_functions(module), Settings(keep="calls", always=False))
    if count:
        _expansions.append(Expansion(f"import of {module.__name__}", count, time.perf_counter() - started))


def _warn_without_events() -> None:
    held = " and ".join(f"{tool} ({name})" for tool, name in tool_ids.owners().items())
    warnings.warn(
        f"sys.monitoring tool ids {held} are taken: daifu_bc protects along what is imported by now, "
        "and nothing that is defined or imported later; call protect() when all is defined and imported",
        RuntimeWarning,
        stacklevel=4,
    )
