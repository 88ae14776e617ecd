"""The line is edited."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("model.fit(x, y, epochs=4)", "model.fit(np.array(x), np.array(y), epochs=4)"))
