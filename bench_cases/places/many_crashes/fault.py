"""Every request fails once."""


def arm(program):
    request, failed = program.request, set()

    def request_or_fail(n):
        if n not in failed:
            failed.add(n)
            raise ConnectionError("503")
        return request(n)

    program.request = request_or_fail
