"""Programs as the documentation of their library teaches them: started with the environment variable and nothing else.

Each meets four faults in one run: a file that its dataset reads is away, then what a callback or hook writes to, then
what the evaluation reads, then the place of the final save is taken. A policy puts things right and retries. What the
program prints and saves is then what a run prints and saves that met none of them, without daifu_bc, to the bit.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from autoinstrument.conftest import python  # noqa: F401 - a fixture
from autoinstrument.files import write

PROGRAMS = Path(__file__).parent / "programs"
POLICY = """\
import os, sys
from pathlib import Path
import daifu_bc

def mend(crash):
    sys.stderr.write(f"daifu_bc: mended {type(crash.exception).__name__} in {crash.function}\\n")
    if isinstance(crash.exception, FileNotFoundError):
        away = Path(crash.exception.filename)
        away = away if away.parent.exists() else away.parent
        away.with_name(away.name + ".away").rename(away)
    else:
        Path("store").unlink()
    return daifu_bc.Retry()
"""
CASES = {  # program: the library it is about; where it meets its faults
    "plain": ("torch", ["Samples.__getitem__", "count_zeros", "<module>", "<module>"]),
    "transformers_trainer": (
        "transformers", ["Samples.__getitem__", "Losses.on_step_end", "compute_metrics", "<module>"],
    ),
    "lightning_trainer": (
        "lightning", ["Samples.__getitem__", "Losses.on_train_batch_end", "Classifier.validation_step", "<module>"],
    ),
    "accelerate_loop": ("accelerate", ["Samples.__getitem__", "report", "evaluate", "main"]),
}


def a_project(folder: Path, program: str) -> Path:
    """A program with its data, and a policy in its pyproject.toml."""
    np = pytest.importorskip("numpy", reason="needs numpy")
    text = (PROGRAMS / f"{program}.py").read_text()
    settings = '[tool.daifu_bc]\npolicy = "policy:mend"\n'
    write(folder, {"train.py": text, "policy.py": POLICY, "pyproject.toml": settings})
    write(folder, {"metric.json": json.dumps({"weight": 1.5}), "log/about.txt": "", "data/about.txt": ""})
    values = np.random.default_rng(0).random((24, 4), dtype=np.float32)
    for index, one in enumerate(values):
        np.save(folder / f"data/{index}.npy", one)
    return folder


def break_it(folder: Path) -> None:
    """The four faults."""
    for name in ("data/17.npy", "log", "metric.json"):
        (folder / name).rename(folder / f"{name}.away")
    (folder / "store").write_text("in the way")


def results(folder: Path) -> dict[str, str]:
    """What the program has left: a digest of each file that it wrote."""
    found = [path for room in ("store", "log") for path in sorted((folder / room).rglob("*")) if path.is_file()]
    kept = [path for path in found if path.name != "training_args.bin"]  # when and on which machine it ran
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in kept}


@pytest.mark.parametrize("program", CASES)
def test_each_fault_is_recovered_and_the_results_are_those_of_a_run_without(python, tmp_path, program) -> None:  # noqa: F811
    library, places = CASES[program]
    pytest.importorskip("torch", reason="needs torch")
    pytest.importorskip(library, reason=f"needs {library}")
    clean, broken = a_project(tmp_path / "clean", program), a_project(tmp_path / "broken", program)
    break_it(broken)
    env = {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    expected = python.run("train.py", cwd=clean, on=False, env=env)
    assert expected.status == 0, expected.stderr
    ours = python.run("train.py", cwd=broken, env=env)
    assert ours.status == 0, ours.stderr
    assert ours.stdout == expected.stdout
    assert results(broken) == results(clean) and len(results(clean)) >= 2
    mended = [line.rpartition(" in ")[2] for line in ours.said if " mended " in line]
    assert sorted(mended) == sorted(places)


@pytest.mark.parametrize("program", CASES)
def test_without_it_the_first_fault_ends_the_program(python, tmp_path, program) -> None:  # noqa: F811
    pytest.importorskip("torch", reason="needs torch")
    pytest.importorskip(CASES[program][0], reason=f"needs {CASES[program][0]}")
    folder = a_project(tmp_path / "broken", program)
    break_it(folder)
    assert "FileNotFoundError" in python.run("train.py", cwd=folder, on=False).stderr
