"""The second network is never saved; the program handles that, and crashes only when it wants it back."""


def arm(program):
    write = program.write

    def write_or_fail(path, text):
        if path == "net-1.txt":
            raise RuntimeError("unexpected pos 64 vs 0")
        write(path, text)

    program.write = write_or_fail
