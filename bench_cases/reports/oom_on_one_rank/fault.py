"""Memory runs out once on one rank, which handles that by itself: the other waits for it, until its time is over."""


def arm(program):
    check, calls = program.check, []

    def check_or_fail(batch):
        calls.append(batch)
        if len(calls) == 2 and program.dist.get_rank() == 1:
            raise program.OutOfMemory("out of memory")
        return check(batch)

    program.check = check_or_fail
