"""The name is bound by an evaluation, and there was none before the first save."""

FIX = [("np.zeros(3), 2, [], 0\n", "np.zeros(3), 2, [], 0\n    val_loss = None\n")]
