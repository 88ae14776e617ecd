"""As 036: the library has its channels last; first the layer fails, then the data do not fit."""

FIX = [
    ("input_shape=(1, 5, 5)", "input_shape=(5, 5, 1)"),
    ("    model = Sequential()\n", "    X_train = X_train.transpose(0, 2, 3, 1)\n    model = Sequential()\n"),
]
