"""The disk refuses twice; the third attempt is well, and the program says all the same that it gave up."""


def arm(program):
    write, failures = program.write, [1, 2]

    def write_or_fail(path, text):
        if path == "net-1.txt" and failures:
            failures.pop()
            raise program.DiskError(28, "No space left on device")
        write(path, text)

    program.write = write_or_fail
