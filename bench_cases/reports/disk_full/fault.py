"""The first checkpoint does not fit on the disk: a part of it is written."""


def arm(program):
    write, calls = program.write, []

    def write_until_full(file, data):
        calls.append(1)
        if len(calls) == 1:
            write(file, data[:100])
            raise OSError(28, "No space left on device")
        write(file, data)

    program.write = write_until_full
