"""Every third step fails once; what is counted is what the failures keep alive."""


def arm(program):
    check, failed = program.check, set()

    def check_with_failures(step):
        if step % 3 == 0 and step not in failed:
            failed.add(step)
            raise RuntimeError("the device does not answer")
        return check(step)

    program.check = check_with_failures
