"""One step of training fails, its batch only on the value stack."""

from failing import once


def arm(program):
    program.Trainer.train_step = once(program.Trainer.train_step, 4, RuntimeError("a background worker is gone"))
