"""The file system has no hard links; met between two halves of a checkpoint's save."""

import os

FIX = [('os.link("last.pkl", name)', 'shutil.copy2("last.pkl", name)'), ("import pickle", "import pickle\nimport shutil")]


def arm(program):
    def link(*args):
        raise OSError(38, "Function not implemented")

    os.link = link
