"""The loop over towers leaves the root scope's flag set for good: what comes after it can make no variables.

The statement that crashes is right; what is wrong was done before it. The correct source has a new `with` around the
loop, which the published system refuses, and to run the loop again, from there, does not take the flag back.
"""

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
