"""A tensor of no dimensions has no element 0. Met in the loop of one function, called from the loop of another."""

FIX = [(".data[0]", ".data.item()")]
