"""Another tenant has most of the first device: one parameter of the model gets there, the second does not."""


def arm(program):
    program.CARDS[0].take(700)
