"""The first statement moves the model in place, one parameter and no more."""

FIX = [("np.full((4, 100), 0.1)", "np.full((4, 10), 0.1)"), ("np.full((100, 8), 0.1)", "np.full((10, 8), 0.1)")]
