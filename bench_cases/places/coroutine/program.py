"""Three clients that fetch pages at once."""

import asyncio

fetched = []


def parse(page):
    fetched.append(page)
    return len(page)


async def client(name, pages):
    total = 0
    for number in range(pages):
        await asyncio.sleep(0)
        total += parse(f"{name}{number}")
    return total


async def crawl():
    return await asyncio.gather(client("a", 3), client("bb", 4), client("ccc", 2))


def main(seed=0):
    return {"totals": asyncio.run(crawl()), "fetched": fetched}
