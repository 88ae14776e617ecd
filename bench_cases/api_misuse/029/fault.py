"""A private method that is no longer there, in the last statement of `__init__`."""

FIX = [("self.network._make_predict_function()", "self.network.freeze()")]
