"""Too many hidden units; the failing statement would rebind the name of the module that it calls."""

FIX = [("default=650", "default=20")]
