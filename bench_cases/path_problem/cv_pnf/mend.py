"""The literal is edited; nothing is trained again."""

from mending import edit


def on_crash(crash):
    return edit(crash, ('"checkpoint/mnist_cnn.pt"', '"mnist_cnn.pt"'))
