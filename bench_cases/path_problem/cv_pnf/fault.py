"""The folder is not there; met when all epochs are done."""

FIX = [('"checkpoint/mnist_cnn.pt"', '"mnist_cnn.pt"')]
