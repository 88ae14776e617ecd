"""One batch is not a number, and of another dtype. The correct source passes such batches over."""

TAIL = """\
        output = model(data)
        loss = nn.functional.cross_entropy(output, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seen.append(batch_idx)
"""
TRIED = "        try:\n" + "".join("    " + line + "\n" for line in TAIL.splitlines())
FIX = [(TAIL, TRIED + "        except RuntimeError:\n            continue\n")]


def arm(program):
    load = program.load

    def load_with_exception():
        batches = load()
        batches[3] = (batches[3][0].double() * float("nan"), batches[3][1])
        return batches

    program.load = load_with_exception
