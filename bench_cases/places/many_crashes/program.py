"""Requests to a server that is down half of the time."""

answered = []


def request(n):
    answered.append(n)
    return n


def main(seed=0):
    return {"total": sum([request(n) for n in range(1000)]), "answered": answered}
