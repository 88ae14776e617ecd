"""There are more steps than the schedule was told: it counts the step, then refuses it. The correct source stops there."""

FIX = [("        scheduler.step()\n", "        if step < 5:\n            scheduler.step()\n")]
