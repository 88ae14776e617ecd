"""In Python 3 a half of something is a float: four places, of which three are in one iteration."""

FIX = [
    ("units / 2", "units // 2"),
    ("real = x[index : index + batch / 2]", "real = x[index : index + batch // 2]"),
    ("size=(batch / 2, self.latent)", "size=(batch // 2, self.latent)"),
    ("np.ones((batch / 2, 1))", "np.ones((batch // 2, 1))"),
]
