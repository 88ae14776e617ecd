"""Numbers read from texts, with a second reading for those that fail."""

import sys

handled = []


def read_slowly(text):
    return sum(map(ord, text))


def main(seed=0):
    numbers = []
    for text in ("1", "x", "3", "yy"):
        try:
            numbers.append(int(text))
        except ValueError as error:
            handled.append(str(error))
            numbers.append(read_slowly(text))
            handled.append(type(sys.exc_info()[1]).__name__)
    return {"numbers": numbers, "handled": handled}
