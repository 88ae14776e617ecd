"""The loss function is put right, the two wrong values of this iteration are computed anew, and the step is made."""

import daifu_bc
from daifu_bc import At, Retry
from mending import change_file


def on_crash(crash):
    change_file(crash.filename, ("return ((CONSTANT - y) ** 2).mean()", "return ((model(x) - y) ** 2).mean()"))
    daifu_bc.patch(crash.globals["compute_loss"])
    main = next(frame for frame in crash.frames if frame.function == "main")
    main.run("loss = compute_loss(model, x, y)")
    main.run("grads = torch.autograd.grad(loss, list(model.parameters()), allow_unused=True)")
    return At(crash.frames.index(main), Retry())
