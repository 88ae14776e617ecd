"""A configuration that is a class, made from answers."""

import random

asked = []


def ask(name):
    asked.append(name)
    return random.random()


def main(seed=0):
    random.seed(seed)

    class Config:
        rate = ask("rate")
        momentum = ask("momentum")
        product = rate * momentum

        def scaled(self):
            return self.product * 2

    return {"config": [Config.rate, Config.momentum, Config().scaled()], "asked": asked}
