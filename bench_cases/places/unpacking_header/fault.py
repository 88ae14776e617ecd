"""One batch has a third part: it exists on the value stack only."""


def arm(program):
    make = program.make
    program.make = lambda number: (*make(number), "extra") if number == 2 else make(number)
