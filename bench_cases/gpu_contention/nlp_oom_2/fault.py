"""Another tenant has most of the first device; its name is a global of the module that crashes."""

from devices import CARDS


def arm(program):
    CARDS[0].take(700)
