"""The device does not answer once; the disk refuses once."""

import torch

from failing import once


def arm(program):
    torch.Tensor.to = once(torch.Tensor.to, 14, RuntimeError("the device does not answer"))
    torch.save = once(torch.save, 1, PermissionError(13, "Permission denied"))
