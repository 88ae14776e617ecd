"""The model is built anew, from the random numbers that the first one was built from."""

from daifu_bc import Retry


def on_crash(crash):
    crash.run("np.random.seed(seed)")
    crash.run("model = Sequential()")
    for layer in ("Conv2D(2, 3, input_shape=(6, 6, 1))", "Flatten()", "Dense(1)"):
        crash.run(f"model.add({layer})")
    crash.run("model.compile('squared', SGD(0.01))")
    return Retry()
