"""The fourth convolution has nothing left to look at; a name was not imported; the loss does not fit the targets."""

FIX = [
    ("    model.add(Conv2D(2, 4))\n", "    model.add(Conv2D(2, 2))\n"),
    ("import Conv2D, Dense", "import SGD, Conv2D, Dense"),
    ('"categorical"', '"squared"'),
]
