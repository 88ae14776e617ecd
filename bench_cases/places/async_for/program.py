"""A stream of messages."""

import asyncio

taken = []


def decode(number):
    taken.append(number)
    return number * number


async def messages():
    for number in range(6):
        await asyncio.sleep(0)
        yield decode(number)


async def listen():
    heard = []
    async for message in messages():
        heard.append(message)
    return heard


def main(seed=0):
    return {"heard": asyncio.run(listen()), "taken": taken}
