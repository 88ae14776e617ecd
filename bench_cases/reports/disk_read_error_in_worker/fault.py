"""One sample cannot be read, in a worker process."""


def arm(program):
    open("broken", "w").close()
