"""Facts about the running interpreter, named by what it does. Each is observed by a test in tests/interpreter.

Always true: nothing outside this room asks for a version; it asks for a behaviour.
"""

from __future__ import annotations

import sys
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from typing import Final

_version = sys.version_info[:2]

# Traceback entries of a specialised CALL or FOR_ITER may point into the inline cache (seen on 3.12.1).
lasti_points_into_caches: Final = _version < (3, 13)
# An exception out of an inlined Python callee looks its handler up one code unit before the instruction.
handler_is_looked_up_early: Final = _version >= (3, 13)
# The `lasti` that a handler receives is a tagged integer: it can be popped or re-raised with, never stored.
lasti_is_tagged: Final = _version >= (3, 14)
# COPY of a slot that holds NULL is harmless (elsewhere it kills the interpreter).
copy_of_null_is_safe: Final = _version >= (3, 14)
# LOAD_FAST_BORROW exists: values on the stack may be borrowed from locals.
loads_may_borrow: Final = _version >= (3, 14)
# GET_ITER leaves (list, tagged index) for lists and tuples; FOR_ITER wants (iterator, NULL) for iterators.
iteration_is_virtual: Final = _version >= (3, 15)
# CALL wants [callable, NULL or self, arguments]; before, the NULL comes below the callable.
null_follows_callable: Final = _version >= (3, 13)
# The argument of COMPARE_OP, shifted by so many bits, is an index into opcode.cmp_op.
comparison_shift: Final = 5 if _version >= (3, 13) else 4
# frame.f_locals of a function writes through to the frame.
f_locals_writes_through: Final = _version >= (3, 13)
# Conditional jumps test the truth of any object themselves (later ones leave that to TO_BOOL).
jumps_test_truth: Final = _version < (3, 13)
# Reading f_locals of a module or class frame removes names that equal an unbound hidden local.
f_locals_drops_hidden_names: Final = _version < (3, 13)
# Entering a `with` block and asking for a loop's next item have the position of the whole statement, body included.
headers_span_their_statement: Final = _version < (3, 13)
# RAISE and RERAISE events of sys.monitoring can be set for one code object and disabled.
raise_events_are_local: Final = _version >= (3, 15)
# The argument of IMPORT_NAME is a name's index shifted by two, with flags for lazy imports below.
imports_may_be_lazy: Final = _version >= (3, 15)
# The main module has an `__annotations__` from the start.
main_has_annotations: Final = _version < (3, 14)
# The main module of a script has a `__cached__`, which is None.
modules_have_cached: Final = _version < (3, 15)

# co_flags of code whose calls make an object that runs it: generators, coroutines, asynchronous generators.
GENERATES: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
