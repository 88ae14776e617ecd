"""The console: a developer at a terminal decides how a crashed run goes on. Knows no bytecode.

In: a crash. Out: a restart, or None where nobody can be asked.
"""

from daifu_bc.console.local import ask, available

__all__ = ["ask", "available"]
