"""Images of different shapes cannot be stacked; the queue has been told of them already."""

FIX = [("image for image in images", "image[:3] for image in images")]
