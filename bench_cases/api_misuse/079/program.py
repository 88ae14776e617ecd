"""Eager regression with a loss of its own and gradients by hand."""

import torch
from torch import nn

CONSTANT = torch.ones(4, 1, requires_grad=True)


def compute_loss(model, x, y):
    return ((CONSTANT - y) ** 2).mean()


def apply_gradients(optimizer, parameters, grads):
    if all(grad is None for grad in grads):
        raise ValueError("no gradients for any variable")
    for parameter, grad in zip(parameters, grads):
        parameter.grad = grad
    optimizer.step()


def batches(seen):
    for number in range(4):
        seen.append(number)
        yield torch.randn(4, 3), torch.randn(4, 1)


def main(seed=0):
    if seed is not None:
        torch.manual_seed(seed)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    losses, seen = [], []
    for epoch in range(3):
        for x, y in batches(seen):
            loss = compute_loss(model, x, y)
            grads = torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)
            apply_gradients(optimizer, list(model.parameters()), grads)
            losses.append(loss.item())
    return {"losses": losses, "model": model, "optimizer": optimizer, "batches": seen, "loss": losses[-1]}
