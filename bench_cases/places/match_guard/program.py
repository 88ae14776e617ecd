"""Events, told apart by their shape and a lookup."""

import random

looked = []


def known(name):
    looked.append(name)
    return name != "c"


def main(seed=0):
    random.seed(seed)
    out = []
    for event in [("a", 1), {"name": "b"}, ("c", 2), ("d", 3)]:
        match event:
            case (name, count) if known(name):
                out.append((name, count + random.random()))
            case {"name": name}:
                out.append(name)
            case _:
                out.append(None)
    return {"out": out, "looked": looked}
