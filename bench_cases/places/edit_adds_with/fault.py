"""The loop over towers leaves a flag set for good; the correct source has a new `with` around the loop."""

LOOP = """\
        for tower in range(2):
            with graph:
                with contextlib.nullcontext(tower):
                    index = np.random.randint(len(batches))
                    drawn.append(index)
                    gradient, loss = tower_gradient(scope, *batches[index])
                    scope.reuse_variables()
                    towers.append(gradient)
                    losses.append(loss)
"""
NESTED = "        with scope.nested():\n" + "".join("    " + line + "\n" for line in LOOP.splitlines())
FIX = [(LOOP, NESTED)]
