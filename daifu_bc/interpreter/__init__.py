"""What this Python does: version facts, opcode sets, exception tables. The only room that knows versions and opcode numbers."""
