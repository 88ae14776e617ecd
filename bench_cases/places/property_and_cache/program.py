"""A data set whose statistics are computed when they are asked for."""

import functools
import random

computed = []


def compute(name):
    computed.append(name)
    return random.random()


@functools.lru_cache
def statistic(name):
    return compute(name)


class Data:
    @property
    def mean(self):
        return statistic("mean")

    @functools.cached_property
    def spread(self):
        return statistic("spread") + self.mean


def main(seed=0):
    random.seed(seed)
    data = Data()
    return {"facts": [data.mean, data.spread, data.spread, data.mean], "computed": computed}
