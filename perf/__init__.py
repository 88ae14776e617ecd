"""What protection costs, measured: a plain and a protected twin of the same text, interleaved in one process.

`python perf/report.py` measures every row of the README's table; `pytest perf` runs the same programs as
pytest-benchmark suites. Always true: nothing here asserts a time.
"""
