"""Words counted by a library."""

from variables import REGISTRY, Variable


def main(seed=0):
    made = []
    for number in range(4):
        made.append(Variable(number, f"v{number}"))
    return {"made": [one.name for one in made], "registry": [one.name for one in REGISTRY]}
