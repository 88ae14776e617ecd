"""The library wants arrays."""

FIX = [("model.fit(x, y, epochs=4)", "model.fit(np.array(x), np.array(y), epochs=4)")]
