"""The generator is edited where it crashed, and ends; the next epoch's is made of the edited source too."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("            raise StopIteration\n", "            return\n"))
