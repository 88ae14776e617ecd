"""One axes object, where the plot wants several."""

FIX = [("axes[0].imshow(image)", "axes.imshow(image)")]
