"""A crash under `asyncio.timeout()`: a clause for TimeoutError around it does not mean this exception."""

from __future__ import annotations

import asyncio

import daifu_bc
from daifu_bc import Retry
from whole.crash_at import Boom, Out, crash_at


@crash_at(2, Retry())
async def test_under_a_timeout_with_a_clause_for_it(out):
    try:
        async with asyncio.timeout(10):
            out(1)
            await asyncio.sleep(0)
            out(2)
    except TimeoutError:
        out("too late")
    return out(3)


@crash_at(2, Retry())
async def test_in_what_is_awaited_under_a_timeout(out):
    async def slow():
        return out(2)

    try:
        async with asyncio.timeout_at(None):
            await slow()
        await asyncio.wait_for(slow(), 10)
    except TimeoutError:
        out("too late")


def test_what_the_timeout_itself_raises_is_handled():
    asked = []

    async def program(out):
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            out("too late")

    daifu_bc.protect(program, on_crash=asked.append)
    out = Out(error=Boom)
    asyncio.run(program(out))
    assert out.log == ["too late"] and not asked
