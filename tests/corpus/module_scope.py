"""Programs whose whole module is protected with them: failures surface in helpers, generators and classes of the module."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

import contextlib

from sweep.declare import module_scope

SEEN = []


class Dataset:
    def __init__(self, p, n):
        self.p, self.n = p, n

    def __len__(self):
        return self.n

    def __getitem__(self, at):
        if at >= self.n:
            raise IndexError(at)
        return self.p.call("read", at) * self.p.call("scale", 2)

    def __iter__(self):
        for at in range(self.n):
            yield self[at]


class Model:
    def __init__(self, p):
        self.p = p
        self.weight = p.call("weight")

    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        return self.p.call("forward", x) + self.weight


@contextlib.contextmanager
def _timer(p):
    p.call("start")
    yield p.call("timer")
    p.call("stop")


def _batches(p, data, size):
    batch = []
    for x in data:
        batch.append(p.call("collect", x))
        if len(batch) == size:
            yield p.call("batch", batch)
            batch = []
    if batch:
        yield batch


async def _fetch(p, x):
    await p.awaitable("fetch")
    return p.call("fetched", x)


@module_scope
def train(p):
    model, losses = Model(p), []
    with _timer(p) as t:
        for epoch in range(2):
            for batch in _batches(p, Dataset(p, 2), 2):
                losses.append(p.call("loss", [model(x) for x in batch]))
    return losses, t


@module_scope
def items_by_index(p):
    data = Dataset(p, 2)
    return data[0] + data[p.call("at")], list(data), len(data)


@module_scope
def generator_of_the_module(p):
    return [p.call("use", x) for x in _batches(p, p.iter(3), 2)]


@module_scope
def coroutine_of_the_module(p):
    async def main():
        return [await _fetch(p, x) for x in p.iter(2)]

    return p.drive(main())


@module_scope
def helper_fails_for_its_caller(p):
    try:
        return _strict(p, p.call("x"))
    except ValueError as error:
        return p.call("handled", str(error))


def _strict(p, x):
    p.call("strict", x)
    raise ValueError("always")


@module_scope
def recursion_of_the_module(p):
    return _down(p, 3)


def _down(p, n):
    if n == 0:
        return p.call("bottom")
    with p.manager(str(n)):
        return _down(p, n - 1) + p.call("up", n)


@module_scope
def module_globals_change(p):
    SEEN.clear()
    for x in p.iter(2):
        _see(p, x)
    return list(SEEN)


def _see(p, x):
    global SEEN
    SEEN = [*SEEN, p.call("see", x)]
