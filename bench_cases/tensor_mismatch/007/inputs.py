"""Images, and the queue that they come through."""

import numpy as np

QUEUE = []


def inputs():
    images = [np.random.normal(size=shape) for shape in [(3, 3), (3, 3), (4, 3)]]
    QUEUE.append(len(images))
    return np.stack([image for image in images]).reshape(len(images), -1)
