"""Another tenant has most of the first device."""


def arm(program):
    program.CARDS[0].take(700)
