"""Carriers: code that catches everything in order to hand it on, to a future, a parent, an awaiting task.

Always true: what a carrier catches is not handled, unless it is what it waits for (a stream's end); the search goes on
outwards as if it were not there.
"""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Final

# qualified name -> modules
_CARRIERS: Final[dict[str, frozenset[str]]] = {
    name: frozenset(modules)
    for name, *modules in (
        ("Handle._run", "asyncio.events"),
        ("Task.__step", "asyncio.tasks"),
        ("Task.__step_run_and_handle_result", "asyncio.tasks"),
        ("Task.__wakeup", "asyncio.tasks"),
        ("_WorkItem.run", "concurrent.futures.thread"),
        ("WorkerContext.run", "concurrent.futures.thread", "concurrent.futures.interpreter"),
        ("_worker", "concurrent.futures.thread", "torch.nn.parallel.parallel_apply"),
        ("_process_worker", "concurrent.futures.process", "joblib.externals.loky.process_executor"),
        ("_call", "concurrent.futures.interpreter"),
        ("do_call", "concurrent.futures.interpreter"),
        ("_GeneratorContextManager.__exit__", "contextlib"),
        ("_AsyncGeneratorContextManager.__aexit__", "contextlib"),
        ("ExitStack.__exit__", "contextlib"),
        ("AsyncExitStack.__aexit__", "contextlib"),
        ("Thread._bootstrap", "threading"),
        ("Thread._bootstrap_inner", "threading"),
        ("BaseProcess._bootstrap", "multiprocessing.process"),
        ("worker", "multiprocessing.pool"),
        ("main", "multiprocessing.forkserver"),
        ("_serve_one", "multiprocessing.forkserver"),
        ("spawn_main", "multiprocessing.spawn"),
        ("_main", "multiprocessing.spawn"),
        ("Server.serve_client", "multiprocessing.managers"),
        ("_worker_loop", "torch.utils.data._utils.worker"),
        ("_pin_memory_loop", "torch.utils.data._utils.pin_memory"),
        ("_pin_memory_loop.<locals>.do_one_step", "torch.utils.data._utils.pin_memory"),
        ("_wrap", "torch.multiprocessing.spawn"),
        ("record.<locals>.wrap.<locals>.wrapper", "torch.distributed.elastic.multiprocessing.errors"),
        ("record.<locals>.wrapper", "torch.distributed.elastic.multiprocessing.errors"),
        ("SafeFunction.__call__", "joblib._parallel_backends"),
        ("WorkerThread.run", "anyio._backends._asyncio"),
        ("capture", "outcome._impl"),
        ("acapture", "outcome._impl"),
    )
}
# What they do not carry: a fetcher says by it that its stream has no more samples.
_AWAITED: Final[dict[str, type[BaseException]]] = {"_worker_loop": StopIteration}


def carries(code: CodeType, frame: FrameType, exception: BaseException) -> bool:
    """Does this frame only carry the exception elsewhere?"""
    modules = _CARRIERS.get(code.co_qualname)
    if modules is None or isinstance(exception, _AWAITED.get(code.co_qualname, ())):
        return False
    return frame.f_globals.get("__name__") in modules
