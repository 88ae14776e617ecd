"""Devices with a budget of bytes, in the manner of graphics cards: what does not fit raises, what goes is freed."""


class OutOfMemoryError(RuntimeError):
    """As torch's."""


class Device:
    def __init__(self, name, budget):
        self.name, self.budget, self.used = name, budget, 0

    def take(self, size):
        if self.used + size > self.budget:
            raise OutOfMemoryError(f"{self.name} out of memory: {size} asked for, {self.budget - self.used} free")
        self.used += size


class Buffer:
    """Bytes on a device, as long as somebody holds them."""

    def __init__(self, device, size):
        device.take(size)
        self.device, self.size = device, size

    def __del__(self):
        if hasattr(self, "device"):
            self.device.used -= self.size


CARDS = [Device(f"card {number}", 1000) for number in range(3)]


def move(value, device):
    """An array's twin on a device: its bytes are taken there for as long as the twin lives."""
    return Placed(value, Buffer(device, value.size))


class Placed:
    def __init__(self, value, buffer):
        self.value, self.buffer = value, buffer


class Model:
    """Parameters that move to a device one by one, in place."""

    def to(self, device):
        for name, value in list(vars(self).items()):
            setattr(self, name, move(getattr(value, "value", value), device))
        return self

    def state_dict(self):
        return {name: getattr(value, "value", value) for name, value in vars(self).items()}
