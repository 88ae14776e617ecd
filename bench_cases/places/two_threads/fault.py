"""Each thread fails once, at a different point; unprotected, both are gone without a word to the main one."""


def arm(program):
    check, due = program.check, {("left", 2), ("right", 3)}

    def check_or_fail(name, n):
        if (name, n) in due:
            due.remove((name, n))
            raise OSError(5, "Input/output error")
        return check(name, n)

    program.check = check_or_fail
