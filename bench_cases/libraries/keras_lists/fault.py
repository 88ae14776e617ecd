"""Lists, where the library wants arrays."""

FIX = [("model.fit(x, y,", "model.fit(np.array(x), np.array(y),")]
