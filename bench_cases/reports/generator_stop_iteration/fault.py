"""Since PEP 479 a generator may not end so: at the true end of the first epoch's data."""

FIX = [("            raise StopIteration\n", "            return\n")]
