"""The image becomes a list of one image, met in the second pass of the callee's outer loop."""

FIX = [("image = [np.repeat(np.repeat(image, 2, 0), 2, 1)[:8, :8]]", "image = np.repeat(np.repeat(image, 2, 0), 2, 1)[:8, :8]")]
