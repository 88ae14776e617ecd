"""The library has its channels last: first the layer fails, then the data do not fit."""

FIX = [
    ("input_shape=(1, 6, 6)", "input_shape=(6, 6, 1)"),
    ("np.random.normal(size=(16, 1, 6, 6))", "np.random.normal(size=(16, 1, 6, 6)).reshape(16, 6, 6, 1)"),
]
