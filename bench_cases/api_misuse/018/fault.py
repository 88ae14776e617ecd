"""The new version has neither the private method nor the module's name; both in a method of another module."""

FIX = [("self._threshold()", "self.threshold()"), ("nn_ops.zeros()", "0.0")]
