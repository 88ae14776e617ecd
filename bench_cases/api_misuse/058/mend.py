"""Two local variables become arrays, and `fit` is called again."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("x_data = np.array(x_data)")
    crash.run("y_data = np.array(y_data)")
    return Retry()
