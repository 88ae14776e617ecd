"""The device does not answer once, two loops deep in a callee; the disk refuses once, before a `break`."""

import torch

from failing import once


def arm(program):
    torch.Tensor.to = once(torch.Tensor.to, 9, RuntimeError("the device does not answer"))
    torch.save = once(torch.save, 1, PermissionError(13, "Permission denied"))
