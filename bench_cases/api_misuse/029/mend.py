"""One name; the file is not read again."""

from mending import edit


def on_crash(crash):
    return edit(crash, ("self.network._make_predict_function()", "self.network.freeze()"))
