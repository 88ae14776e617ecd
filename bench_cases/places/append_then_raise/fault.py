"""The device does not answer after the callee has appended: to call it again would append twice."""

import torch

from failing import once


def arm(program):
    torch.Tensor.to = once(torch.Tensor.to, 8, RuntimeError("the device does not answer"))
