"""A batch of one, which the layer counts before it refuses it; the correct source takes two."""

FIX = [("[4, 4, 1, 4]", "[4, 4, 2, 4]")]
