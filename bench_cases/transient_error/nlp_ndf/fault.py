"""The device does not answer once, within `clip_grad_norm_` before it scales anything; the disk refuses once."""

import torch

from failing import once


def arm(program):
    torch.Tensor.to = once(torch.Tensor.to, 13, RuntimeError("the device does not answer"))
    torch.save = once(torch.save, 2, PermissionError(13, "Permission denied"))
