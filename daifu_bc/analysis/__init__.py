"""Code -> facts: instructions, value-stack shapes, what is kept, statements. Pure: reads code, changes nothing."""
