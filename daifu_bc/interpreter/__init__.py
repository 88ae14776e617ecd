"""What this Python does: version facts, opcode sets, exception tables. Only this room knows versions and opcodes."""
