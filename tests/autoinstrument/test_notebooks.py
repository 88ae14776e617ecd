"""Cells of a real kernel: a crash opens the console in the cell, and the cell goes on from there."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import daifu_bc

manager = pytest.importorskip("jupyter_client.manager", reason="needs jupyter_client")
pytest.importorskip("ipykernel", reason="needs ipykernel")
ROOT = str(Path(daifu_bc.__file__).parents[1])


@dataclass
class Kernel:
    """A kernel and somebody who types."""

    client: object
    owner: object
    seen: list[str] = field(default_factory=list)

    def run(self, cell: str, *typed: str, interrupt: bool = False) -> tuple[str, str]:
        """What the cell printed, and the name of the exception that it ended with ("" for none)."""
        waiting, printed = list(typed), []

        def output(message: dict) -> None:
            content = message["content"]
            printed.append(content.get("text", "") or content.get("data", {}).get("text/plain", ""))

        def asked(message: dict) -> None:
            if interrupt and not waiting:
                self.owner.interrupt_kernel()
            else:
                self.client.input(waiting.pop(0))

        reply = self.client.execute_interactive(
            cell, allow_stdin=True, stdin_hook=asked, output_hook=output, timeout=60
        )
        return "".join(printed), reply["content"].get("ename", "")


@pytest.fixture(scope="module")
def started():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])}
    owner = manager.KernelManager(kernel_name="python3")
    owner.kernel_spec.argv[0] = sys.executable
    owner.start_kernel(env=environment)
    client = owner.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    kernel = Kernel(client, owner)
    kernel.run("%load_ext daifu_bc")
    yield kernel
    client.stop_channels()
    owner.shutdown_kernel(now=True)


@pytest.fixture
def kernel(started: Kernel) -> Kernel:
    """The kernel, as it is after loading."""
    started.run("import daifu_bc\ndaifu_bc.set_default_policy(None)\n%daifu on\ndivisor = 0")
    return started


LOOP = "for n in range(3):\n    print('item', n / divisor)"


def test_a_crash_opens_the_console_and_the_cell_goes_on(kernel) -> None:
    printed, error = kernel.run(LOOP, "divisor = 2", "retry")
    assert error == "" and "ZeroDivisionError" in printed and "(daifu)" in printed
    assert [line for line in printed.splitlines() if line.startswith("item")] == ["item 0.0", "item 0.5", "item 1.0"]


def test_a_function_that_a_cell_defined_goes_on_at_its_own_line(kernel) -> None:
    kernel.run("def half(n):\n    print('half', n)\n    return n / divisor")
    printed, error = kernel.run("print('result', half(4))", "divisor = 2", "retry")
    assert error == "" and "in half" in printed and printed.count("half 4") == 1 and "result 2.0" in printed


def test_a_policy_is_asked(kernel) -> None:
    kernel.run("def mend(crash):\n    crash.globals['divisor'] = 4\n    return daifu_bc.Retry()")
    assert kernel.run("daifu_bc.set_default_policy(mend)\nprint(1 / divisor)") == ("0.25\n", "")


def test_the_value_of_the_last_line_is_shown(kernel) -> None:
    printed, error = kernel.run("1 / divisor", "use 7")
    assert error == "" and printed.endswith("7")


def test_a_cell_that_awaits_goes_on(kernel) -> None:
    cell = "import asyncio\nawait asyncio.sleep(0)\nprint('now', 1 / divisor)\nawait asyncio.sleep(0)\nprint('after')"
    printed, error = kernel.run(cell, "divisor = 2", "retry")
    assert error == "" and "now 0.5\nafter\n" in printed


def test_interrupting_the_kernel_leaves_the_prompt(kernel) -> None:
    printed, error = kernel.run(LOOP, interrupt=True)
    assert error == "ZeroDivisionError" and "(daifu)" in printed
    assert kernel.run("print('alive')") == ("alive\n", "")


def test_abort_ends_the_cell_with_its_exception(kernel) -> None:
    assert kernel.run("1 / divisor", "abort")[1] == "ZeroDivisionError"


def test_what_a_cell_handles_is_not_asked_about(kernel) -> None:
    assert kernel.run("try:\n    1 / divisor\nexcept ZeroDivisionError:\n    print('handled')") == ("handled\n", "")


def test_only_cells_that_say_so_are_protected_where_it_is_off(kernel) -> None:
    kernel.run("%daifu off\ndef mend(crash):\n    return daifu_bc.Use(5)")
    assert kernel.run("1 / divisor")[1] == "ZeroDivisionError"
    assert kernel.run("%%daifu mend\nx = 1 / divisor\nprint(x)\nx + 1") == ("5\n6", "")
    assert kernel.run("%daifu on") == ("", "")
    assert kernel.run("%%daifu mend\nprint(1 / divisor)") == ("5\n", "")


def test_an_error_in_what_is_typed_is_shown_and_the_prompt_stays(kernel) -> None:
    printed, error = kernel.run("1 / divisor", "nowhere", "use 1")
    assert error == "" and "NameError" in printed


def test_unloading_puts_everything_back(started) -> None:
    started.run("%unload_ext daifu_bc\ndivisor = 0")
    assert started.run("1 / divisor")[1] == "ZeroDivisionError"
    started.run("%load_ext daifu_bc")
    assert started.run("1 / divisor", "use 1")[1] == ""
