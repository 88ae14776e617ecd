"""One batch's words are floats. The correct source passes such batches over."""

TAIL = """\
            output, hidden = model(data, hidden)
        loss = nn.functional.cross_entropy(output, targets)
        loss.backward()
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-0.1)
        losses.append(loss.item())
        seen.append(batch)
"""
WHOLE = """\
        if kind == "Transformer":
            output = model(data, None)[0]
        else:
            hidden = repackage_hidden(hidden)
""" + TAIL
TRIED = "        try:\n" + "".join("    " + line + "\n" for line in WHOLE.splitlines())
FIX = [(WHOLE, TRIED + "        except RuntimeError:\n            continue\n")]


def arm(program):
    get_batch, calls = program.get_batch, []

    def get_batch_with_exception(source, i):
        calls.append(i)
        data, targets = get_batch(source, i)
        return (data.float() if len(calls) == 4 else data), targets

    program.get_batch = get_batch_with_exception
