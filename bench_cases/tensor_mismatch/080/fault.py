"""The output has four dimensions, the targets have two."""

FIX = [("    model.add(Dense(1))", "    model.add(Flatten())\n    model.add(Dense(1))")]
