"""The model does not fit: the first parameter is on the device when the second one fails."""

FIX = [
    ("np.full((5, 60), 0.1)", "np.full((5, 25), 0.1)"),
    ("np.full((60, 60), 0.2)", "np.full((25, 25), 0.2)"),
]
