"""A sample cannot be read; when all is done, the hub does not answer and the card is not written."""

import torch
from transformers import modelcard

from failing import once


def arm(program):
    program.Samples.__getitem__ = once(program.Samples.__getitem__, 8, OSError(5, "Input/output error"))
    made = modelcard.TrainingSummary.from_trainer
    modelcard.TrainingSummary.from_trainer = once(made, 1, ConnectionError("503 Server Error"))
