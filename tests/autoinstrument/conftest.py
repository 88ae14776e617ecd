"""A Python whose site-packages hold the start-up files, as an installed wheel puts them there; programs run in it."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import daifu_bc

PACKAGE = Path(daifu_bc.__file__).parent
STARTUP = Path(__file__).parents[2] / "daifu_bc" / "autoinstrument" / "startup"  # a wheel has them elsewhere


@dataclass(frozen=True)
class Ran:
    """What a process did. `said`: the lines of daifu_bc's on stderr, which `stderr` is without."""

    status: int
    stdout: str
    stderr: str
    said: list[str]

    @property
    def seen(self) -> tuple[int, str, str]:
        """What a user sees of the program."""
        return self.status, self.stdout, self.stderr


@dataclass(frozen=True)
class Python:
    """An interpreter to start programs with."""

    executable: Path

    def run(
        self,
        *arguments: str | os.PathLike[str],
        cwd: Path,
        on: bool | str = True,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Ran:
        """Run the interpreter with the variable set to `on` ("project" for True), or not set."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("DAIFU_BC", "PYTHON"))}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        if on:
            environment["DAIFU_BC_AUTOINSTRUMENT"] = "project" if on is True else on
        done = subprocess.run(
            [self.executable, *arguments],
            cwd=cwd,
            env={**environment, **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )
        lines = done.stderr.splitlines(keepends=True)
        return Ran(
            done.returncode,
            done.stdout,
            "".join(line for line in lines if not line.startswith("daifu_bc: ")),
            [line.rstrip("\n") for line in lines if line.startswith("daifu_bc: ")],
        )

    @property
    def site_packages(self) -> Path:
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        return self.executable.parent.parent / "lib" / version / "site-packages"


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Python:
    """The interpreter that runs the tests, with the start-up files. Sees the same packages."""
    folder = tmp_path_factory.mktemp("python") / "env"
    venv.EnvBuilder(symlinks=True).create(folder)
    made = Python(folder / "bin" / "python")
    for file in STARTUP.iterdir():
        if file.suffix in (".pth", ".start", ".py"):
            (made.site_packages / file.name).write_bytes(file.read_bytes())
    places = [str(PACKAGE.parent), *(place for place in sys.path if "site-packages" in place)]
    (made.site_packages / "_packages.pth").write_text("\n".join(places) + "\n")
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is a project."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    return folder
