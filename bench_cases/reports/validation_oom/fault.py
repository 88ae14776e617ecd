"""From the third epoch's validation on no more than six samples fit."""

import functools


def arm(program):
    forward, calls = program.forward, []

    @functools.wraps(forward)
    def forward_with_less(model, x):
        calls.append(len(x))
        if len(calls) > 19:
            program.LIMIT = 6
        return forward(model, x)

    program.forward = forward_with_less
