"""Programs: asyncio's own loop: tasks, gather, timeout, cancel, groups, queues."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

import asyncio

from sweep.declare import carried, undecided


def run_with_sleep(p):
    async def main():
        p.call("before")
        await asyncio.sleep(0)
        return p.call("after")

    return asyncio.run(main())


@carried
def gather_of_coroutines(p):
    async def work(name):
        p.call("start", name)
        await asyncio.sleep(0)
        return p.call("end", name)

    async def main():
        return await asyncio.gather(work("a"), work("b"))

    return asyncio.run(main())


@carried
def gather_that_returns_exceptions(p):
    async def work(name):
        await asyncio.sleep(0)
        if name == "b":
            raise ValueError(p.call("failing", name))
        return p.call("end", name)

    async def main():
        return await asyncio.gather(work("a"), work("b"), return_exceptions=True)

    return asyncio.run(main())


@carried
def tasks_and_awaits(p):
    async def work(x):
        return p.call("work", x)

    async def main():
        tasks = [asyncio.create_task(work(x)) for x in p.iter(2)]
        return [p.call("got", await task) for task in tasks]

    return asyncio.run(main())


@carried
def task_group(p):
    async def work(x):
        await asyncio.sleep(0)
        return p.call("work", x)

    async def main():
        async with asyncio.TaskGroup() as group:
            a = group.create_task(work(1))
            b = group.create_task(work(2))
        return p.call("sum", a.result() + b.result())

    return asyncio.run(main())


def timeout_is_handled(p):
    async def main():
        try:
            async with asyncio.timeout(0):
                await asyncio.sleep(10)
        except TimeoutError:
            return p.call("timed out")

    return asyncio.run(main())


def cancelled_task(p):
    async def work():
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            p.call("cancelled")
            raise
        finally:
            p.call("cleanup")

    async def main():
        task = asyncio.create_task(work())
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return p.call("seen")

    return asyncio.run(main())


@carried
@undecided
def queue_between_tasks(p):
    async def produce(queue):
        for x in p.iter(2):
            await queue.put(p.call("produce", x))
        await queue.put(None)

    async def consume(queue):
        seen = []
        while (x := await queue.get()) is not None:
            seen.append(p.call("consume", x))
        return seen

    async def main():
        queue = asyncio.Queue(1)
        return (await asyncio.gather(produce(queue), consume(queue)))[1]

    return asyncio.run(main())


@carried
def wait_for_and_shield(p):
    async def work():
        await asyncio.sleep(0)
        return p.call("work")

    async def main():
        return await asyncio.wait_for(work(), 60), await asyncio.shield(work())

    return asyncio.run(main())


def lock_and_event(p):
    async def main():
        lock = asyncio.Lock()
        async with lock:
            p.call("locked", lock.locked())
        event = asyncio.Event()
        event.set()
        await event.wait()
        return p.call("after", lock.locked())

    return asyncio.run(main())


def async_for_over_a_generator_in_a_loop(p):
    async def numbers():
        for x in range(2):
            await asyncio.sleep(0)
            yield p.call("make", x)

    async def main():
        return [p.call("use", x) async for x in numbers()]

    return asyncio.run(main())
