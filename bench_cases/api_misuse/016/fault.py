"""One subplot is not a sequence of subplots. The callback is called by the library's loop."""

FIX = [("ax[0].imshow", "ax.imshow")]
