"""The line is edited; the library's `fit` around it gets its answer as if nothing had been."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("ax[0].imshow", "ax.imshow"))
