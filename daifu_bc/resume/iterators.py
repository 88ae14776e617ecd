"""What state an iterator is in after a failure: alive, dead, exhausted, invalid.

In: an iterator and the exception that came out of it. Out: words.
Always true: nothing is taken from the iterator; in doubt it is alive.

A generator that raised is finished for good, and whoever asks again (enumerate, zip, map, a loader) takes its
end for the end of the data. So what an iterator holds is looked through for generators that the traceback names.
"""

from __future__ import annotations

import gc
import inspect
import itertools
import operator
from types import CodeType, FrameType, FunctionType, ModuleType

from daifu_bc.transform.registry import protection_of

_AWAITED = frozenset({"coroutine_wrapper", "async_generator_asend", "async_generator_athrow", "FutureIter"})
_MOST = 400  # objects looked at
_LONGEST_CHAIN = 20  # exceptions of a chain of causes


def loses_an_item(iterator: object, exception: BaseException, frame: FrameType) -> bool:
    """May this iterator have taken an item before it failed in `frame` (which asking again would skip)?"""
    if type(iterator) is zip:
        sources = gc.get_referents(iterator)
        return any(not _never_fails(source) for holder in sources for source in _sources(holder)[1:])
    return type(iterator) in _TAKE_FIRST and not _its_source_failed(iterator, exception, frame)


def _its_source_failed(iterator: object, exception: BaseException, frame: FrameType) -> bool:
    """Did the exception come out of the only source's own `__next__`, called from `frame` (by what has no frame)?"""
    sources = sources_of(iterator)
    return len(sources) == 1 and raised_by_itself(sources[0], exception, frame)


def sources_of(iterator: object) -> list[object]:
    """The iterators that an iterator of builtins or itertools takes from."""
    held = gc.get_referents(iterator)
    return [source for holder in held for source in _sources(holder)] or [
        one for one in held if hasattr(type(one), "__next__")
    ]


def raised_by_itself(iterator: object, exception: BaseException, frame: FrameType) -> bool:
    """Did the exception come out of this iterator's own `__next__`, called from `frame` (by what has no frame)?"""
    method = getattr(type(iterator), "__next__", None)
    if not isinstance(method, FunctionType):
        return False
    entry, below = exception.__traceback__, None
    while entry is not None:
        if entry.tb_frame is frame:
            below = entry.tb_next
        entry = entry.tb_next
    return below is not None and _written(below.tb_frame.f_code) is _written(method.__code__)


def asking_again_loses(iterator: object, exception: BaseException, frame: FrameType) -> str | None:
    """Why the next item of an iterator would not be the one that failed, or None."""
    dead = what_died(iterator, exception)
    kind = dead or type(iterator).__name__
    if dead is None and is_finished(iterator):
        return None  # it ended before, and says so again
    if dead is not None or gave_up_its_source(iterator) or loses_an_item(iterator, exception, frame):
        return f"the {kind} that this asks does not give again what it failed at; supply the result with use VALUE"
    return None


def gave_up_its_source(iterator: object) -> bool:
    """Does this iterator drop its source at any exception, and then end as if the source had ended?"""
    return type(iterator) in _GIVE_UP


def _sources(holder: object) -> tuple[object, ...]:
    """Of a tuple of iterators: these. A zip_longest's has NULL in it, which to index or iterate would be the end."""
    if not isinstance(holder, tuple):
        return ()
    items = tuple(reversed(gc.get_referents(holder)))  # visited from the last to the first, without NULL
    return items if all(hasattr(type(item), "__next__") for item in items) else ()


def _never_fails(iterator: object) -> bool:
    kind = type(iterator)
    return kind.__module__ == "builtins" and kind.__name__.endswith(("_iterator", "iterator"))


_TAKE_FIRST = frozenset(
    (map, filter, itertools.starmap, itertools.accumulate, itertools.takewhile, itertools.dropwhile)
) | {itertools.filterfalse}
_GIVE_UP = frozenset(
    getattr(itertools, name) for name in ("islice", "batched", "pairwise", "zip_longest") if hasattr(itertools, name)
)
_CHANGED = (  # iterators, and what they say when what they go through has changed: some only end from then on
    (("dict_", "set_", "odict_"), "changed size during iteration"),
    (("odict_",), "OrderedDict mutated during iteration"),
    (("_deque_",), "deque mutated during iteration"),
)


def loop_state(iterator: object, exception: BaseException | None = None) -> str:
    """ "alive", "dead", "exhausted" or "invalid"."""
    if exception is not None and (what_died(iterator, exception) is not None or gave_up_its_source(iterator)):
        return "dead"
    if is_finished(iterator):
        return "exhausted"
    name = type(iterator).__name__
    if isinstance(exception, RuntimeError):
        said = str(exception)
        if any(name.startswith(kinds) and text in said for kinds, text in _CHANGED):
            return "invalid"
    if type(iterator).__module__ == "builtins" and name.endswith("_iterator"):
        try:
            if operator.length_hint(iterator, 1) == 0:
                return "exhausted"
        except Exception:  # a length hint of the user's that fails: in doubt it is alive
            return "alive"
    return "alive"


def is_finished(iterator: object) -> bool:
    """Is this a generator, coroutine or awaited thing that has ended?"""
    if inspect.isgenerator(iterator):
        return iterator.gi_frame is None
    if inspect.iscoroutine(iterator):
        return iterator.cr_frame is None
    return type(iterator).__name__ in _AWAITED


def _raised_in(exception: BaseException, generator: object) -> bool:
    code = getattr(generator, "gi_code", None) or getattr(generator, "cr_code", None)
    return code is not None and _written(code) in _generators_of(exception)


def _written(code: CodeType) -> CodeType:
    """The compiler's code object that `code` stands for: after a recovery a generator's frame runs another one."""
    protection = protection_of(code)
    return protection.original if protection is not None else code


def _generators_of(exception: BaseException) -> set[CodeType]:
    """Code of the generators that the exception, or one that it was made from, came through."""
    found = set()
    chain = [exception]
    for link in chain:
        entry = link.__traceback__
        while entry is not None:
            code = entry.tb_frame.f_code
            if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
                found.add(_written(code))
            entry = entry.tb_next
        before = (link.__cause__, link.__context__)
        chain += [one for one in before if one is not None and one not in chain and len(chain) < _LONGEST_CHAIN]
    return found


def what_died(iterator: object, exception: BaseException) -> str | None:
    """ "generator" or "coroutine" if asking `iterator` again would meet one that is finished, else None."""
    if iterator is None:
        return None
    if is_finished(iterator):
        if type(iterator).__name__ not in _AWAITED and not _raised_in(exception, iterator):
            return None  # it ended before this exception came up: asking it again gives what it gives anyway
        return "generator" if inspect.isgenerator(iterator) else "coroutine"
    codes = _generators_of(exception)
    if not codes:
        return None
    seen = {id(iterator)}
    queue = [iterator]
    while queue and len(seen) < _MOST:
        for held in gc.get_referents(queue.pop(0)):
            if id(held) in seen or isinstance(held, (type, ModuleType, FunctionType, CodeType, FrameType)):
                continue
            seen.add(id(held))
            if inspect.isgenerator(held):
                if held.gi_frame is None and _written(held.gi_code) in codes:
                    return "generator"
            elif not isinstance(held, (str, bytes, int, float)):
                queue.append(held)
    return None
