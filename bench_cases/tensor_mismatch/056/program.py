"""What the filters of a network see: images that excite them, in ever finer resolution."""

import numpy as np


def iterate(image, filters):
    if image.ndim != 2:
        raise ValueError(f"an image of {image.ndim} dimensions")
    return float((image * filters).sum()), filters


def generate(filters, upscaling, epochs):
    image = np.random.normal(size=(8, 8))
    for step in range(upscaling):
        for epoch in range(epochs):
            loss, gradient = iterate(np.asarray(image), filters)
            image = image + 0.1 * gradient
        image = [np.repeat(np.repeat(image, 2, 0), 2, 1)[:8, :8]]
    return np.asarray(image), loss


def visualize_layer(layers):
    images, losses = [], []
    for filters in layers:
        image, loss = generate(filters, upscaling=3, epochs=4)
        images.append(image.reshape(8, 8))
        losses.append(loss)
    return images, losses


def main(seed=0):
    np.random.seed(seed)
    images, losses = visualize_layer([np.random.normal(size=(8, 8)) for _ in range(3)])
    return {"images": images, "losses": losses}
