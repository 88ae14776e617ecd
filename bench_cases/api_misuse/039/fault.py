"""A parenthesis in the wrong place, while a run is open."""

FIX = [("Dense(8), input_dim=12)", "Dense(8, input_dim=12))")]
