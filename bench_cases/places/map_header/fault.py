"""One text is no number: the header fails, in C."""

import builtins


def arm(program):
    def read(text):
        if text == "0.75":
            raise ValueError("could not convert string to float: '0,75'")
        return builtins.float(text)

    program.float = read
