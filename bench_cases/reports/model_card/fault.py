"""The hub refuses, and will go on refusing."""


def arm(program):
    def refused(name):
        raise ConnectionError("connection refused")

    program.ask_hub = refused
