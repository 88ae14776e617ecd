"""PyTorch's loaders with worker processes: one whose worker was killed never gives what it was to give.

In: an iterator. Out: a judge for resume/stuck. Always true: torch is not imported, and nothing is taken from a loader.

Why: the loader strikes a dead worker off its list before it raises. Asked again it does not raise, it waits.
"""

from __future__ import annotations

from typing import Any

from daifu_bc.resume import stuck

_KIND = "_MultiProcessingDataLoaderIter", "torch.utils.data.dataloader"


def waits_for_the_dead(iterator: Any) -> str | None:
    """Why this loader's next batch would never come, or None."""
    if not any((kind.__name__, kind.__module__) == _KIND for kind in type(iterator).__mro__):
        return None
    try:
        waited_for = {task[0] for task in iterator._task_info.values() if len(task) == 1}
        gone = any(not iterator._workers[number].is_alive() for number in waited_for)
    except (AttributeError, LookupError, AssertionError, ValueError):  # another torch; asked in a forked child
        return None
    return _WHY if gone else None


_WHY = (
    "a worker process of the loader is gone, and what it was to give would be waited for for ever; choose the frame of "
    "the loop, put a fresh iterator over what is left in its loops[0].iterator, and retry there"
)


def install() -> None:
    """Ask about loaders too. Once per process."""
    stuck.add_judge(waits_for_the_dead)
