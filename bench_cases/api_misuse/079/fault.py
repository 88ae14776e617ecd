"""The loss does not depend on the model: no variable has a gradient. Met two loops deep."""

FIX = [("return ((CONSTANT - y) ** 2).mean()", "return ((model(x) - y) ** 2).mean()")]
