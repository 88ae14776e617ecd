"""The device does not answer once, in the half that scales: a retry would clip twice what is scaled already."""

import torch

from failing import once


def arm(program):
    torch.Tensor.to = once(torch.Tensor.to, 22, RuntimeError("the device does not answer"))
