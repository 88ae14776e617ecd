"""Image restoration; the save tries three times, and then only says that it gave up."""

import logging

import numpy as np

logger = logging.getLogger("training")
said = []


class DiskError(OSError):
    pass


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


class Model:
    def save_network(self, path, text):
        retry = 3
        while retry > 0:
            try:
                write(path, text)
            except Exception as e:
                said.append(f"save error: {e}, remaining {retry - 1}")
            else:
                break
            finally:
                retry -= 1
        if retry == 0:
            said.append("gave up")


def main(seed=0):
    np.random.seed(seed)
    losses = []
    for step in range(3):
        losses.append(float(np.random.normal()))
        Model().save_network(f"net-{step}.txt", str(losses[-1]))
    if said:
        raise RuntimeError(f"the run is not to be trusted: {said}")
    return {"losses": losses, "said": said}
