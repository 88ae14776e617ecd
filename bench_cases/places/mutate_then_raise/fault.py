"""The library's third variable is registered before it fails."""

import variables


def arm(program):
    init, calls = variables.Variable.__init__, []

    def init_and_fail(self, *args):
        calls.append(1)
        init(self, *args)
        if len(calls) == 3:
            raise RuntimeError("no answer")

    variables.Variable.__init__ = init_and_fail
