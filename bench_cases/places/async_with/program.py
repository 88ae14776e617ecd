"""Transfers, each within a session of its own."""

import asyncio

log = []


class Session:
    def __init__(self, number):
        self.number = number

    async def __aenter__(self):
        await asyncio.sleep(0)
        log.append(("open", self.number))
        return self

    async def __aexit__(self, *error):
        await asyncio.sleep(0)
        log.append(("close", self.number, error[0] is None))


def transfer(number):
    log.append(("transfer", number))
    return number * 2


async def work():
    done = []
    for number in range(4):
        async with Session(number) as session:
            await asyncio.sleep(0)
            done.append(transfer(session.number))
    return done


def main(seed=0):
    return {"done": asyncio.run(work()), "log": log}
