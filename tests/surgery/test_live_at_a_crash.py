"""A surgery at a crash brings the whole edit along, or the crash is there to decide on as it was."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import Return, Surgery, decide, instrument, swaps
from daifu_bc.analysis.source import remember_file
from daifu_bc.surgery.keep import write_back
from daifu_bc.transform import Settings, protect_code
from daifu_bc.updates import apply, undo

LOOP = """
done = []

def step(i):
    return i

def run(n):
    for i in range(n):
        done.append(step(i))
        if i == 2:
            raise ValueError(i)
    return done
"""


def test_the_run_goes_on_with_new_helpers_and_changed_ones(program, save_and_go_on):
    one = program(LOOP)
    edit = (
        ("done = []\n", "done = []\nimport math\nSCALE = 10\n\ndef scaled(i):\n    return i * SCALE\n"),
        ("return i\n\ndef run", "return scaled(i)\n\ndef run"),
        ("raise ValueError(i)", "done.append(math.floor(0.5))"),
    )
    run = one.protect(on_crash=save_and_go_on(one, edit))
    assert run(5) == [0, 1, 2, 0, 30, 40]
    assert run(1)[-1] == 0 and daifu_bc.is_protected(one.module.scaled)


def test_later_calls_and_later_crashes_use_the_new_code(program, save_and_go_on):
    one = program(LOOP)
    policy = save_and_go_on(
        one,
        (("raise ValueError(i)", "1 / 0"),),
        (("1 / 0", "pass\n        if i == 3:\n            {}[i]"),),
        (("{}[i]", "pass"),),
    )
    run = one.protect(on_crash=policy)
    assert run(5) == [0, 1, 2, 3, 4]
    assert policy.crashes == [("run", 11), ("run", 11), ("run", 13)]
    assert run(4)[-4:] == [0, 1, 2, 3] and len(policy.crashes) == 3
    version = swaps.version_of(run)
    assert version.entry.on_crash is policy and "pass" in one.path.read_text()


def test_fourteen_in_a_row(program, save_and_go_on):
    one = program("def run(n):\n    i = 0\n    raise ValueError(0)\n    return i\n")
    edits = [((f"raise ValueError({k})", f"i += 1\n    raise ValueError({k + 1})"),) for k in range(13)]
    run = one.protect(on_crash=save_and_go_on(one, *edits, (("raise ValueError(13)", "pass"),)))
    assert run(3) == 13 and len(undo.applied_edits()) == 14


def test_a_frame_that_runs_the_old_code_of_an_entry_stays_below_it(program, save_and_go_on):
    one = program(LOOP)
    policy = save_and_go_on(one, (("raise ValueError(i)", "1 / 0"),), (("1 / 0", "pass"),))

    def asked(crash):
        instrument._sweep()  # as when many functions have been protected in the meantime
        return policy(crash)

    run = one.protect(on_crash=asked)
    assert run(4) == [0, 1, 2, 3] and len(policy.crashes) == 2
    daifu_bc.unprotect(run)
    assert not instrument.entries(), "then nothing of the old versions is left"


def test_new_code_that_raises_leaves_the_crash_to_the_next_decider(program, save_and_go_on):
    one = program(LOOP)
    policy = save_and_go_on(
        one, (("raise ValueError(i)", "pass"), ("done = []\n", "done = []\nBROKEN = 1 / 0\n"))
    )
    run = one.protect(on_crash=policy)
    seen = []

    def next_one(crash):
        seen.append(crash.exception.__notes__)
        return Return(list(one.module.done))

    daifu_bc.set_default_policy(next_one)
    assert run(5) == [0, 1, 2] and not hasattr(one.module, "BROKEN")
    assert "ZeroDivisionError" in seen[0][0] and "nothing was changed" in seen[0][0]
    with pytest.raises(ValueError):
        daifu_bc.unprotect(run)(5)


def test_the_console_is_asked_again_with_the_reason(program):
    one = program(LOOP)
    run, reasons = one.protect(), []

    def console(crash, first=""):
        reasons.append(first)
        if len(reasons) == 1:
            one.replace(("raise ValueError(i)", "pass"), ("done = []\n", "done = []\nBROKEN = 1 / 0\n"))
        elif len(reasons) == 2:
            one.replace(("1 / 0", "1"))
        return Surgery()

    before = decide._console
    decide.set_console(console)
    try:
        assert run(5) == [0, 1, 2, 3, 4]
    finally:
        decide.set_console(before)
    assert len(reasons) == 2 and "ZeroDivisionError" in reasons[1]


def test_the_preview_names_what_will_not_run_and_changes_nothing(program):
    one = program(LOOP + "\nprint(end='')\n")
    seen = []

    def policy(crash):
        one.replace(("raise ValueError(i)", "pass"), ("print(end='')", "print(end='', flush=True)"))
        seen.append(crash.frames[0].preview(Surgery()))
        return Return(None)

    run = one.protect(on_crash=policy)
    code = run.__code__
    assert run(5) is None and run.__code__ is code
    assert any("flush" in note and "not run again" in note for note in seen[0].notes)


def test_a_surgery_of_the_text_alone_and_then_of_the_file(program):
    one = program(LOOP)
    texts = iter(
        [
            Surgery(source="def run(n):\n    for i in range(n):\n        done.append(step(i))\n        if i == 2:\n"
                           "            raise KeyError(i)\n    return done\n"),
            Surgery(),
        ]
    )  # fmt: skip

    def policy(crash):
        restart = next(texts)
        if restart.source is None:
            assert crash.filename.startswith("<surgery")
            one.replace(("raise ValueError(i)", "done.append('file')"), ("return i\n", "return -i\n"))
        return restart

    run = one.protect(on_crash=policy)
    assert run(4) == [0, 1, 2, "file", -3]
    assert run.__code__.co_filename == str(one.path)


def test_a_method_its_subclasses_and_bound_methods(program, save_and_go_on):
    one = program(
        """
        class Trainer:
            def __init__(self):
                self.log = []

            def run(self, n):
                for i in range(n):
                    self.log.append(self.step(i))
                return self.log

            def step(self, i):
                return 1 / (i - 1)

        class Mine(Trainer):
            pass
        """
    )
    trainer = one.module.Mine()
    bound = trainer.run
    policy = save_and_go_on(
        one, (("return 1 / (i - 1)", "return self.safe(i)\n\n    def safe(self, i):\n        return -i"),)
    )
    daifu_bc.protect(one.module.Trainer.run, on_crash=policy)
    assert bound(3) == [-1.0, -1, -2] and policy.crashes == [("Trainer.step", 12)]
    assert one.module.Mine().run(2) == [0, -1]


def test_a_method_that_crashed_for_want_of_super(program, save_and_go_on):
    one = program(
        """
        class Base:
            def __init__(self):
                self.parts = []

        class Model(Base):
            def __init__(self, n):
                for i in range(n):
                    self.parts.append(i)

        class Mine(Model):
            pass

        def run(n):
            return Mine(n).parts
        """
    )
    first = "if not i:\n                super().__init__()\n            "
    policy = save_and_go_on(one, (("self.parts.append(i)", f"{first}self.parts.append(i)"),))
    run = one.protect(on_crash=policy)
    assert run(3) == [0, 1, 2] and run(2) == [0, 1] and len(policy.crashes) == 1


def test_a_generator_and_a_closure_that_run(program, save_and_go_on):
    one = program(
        """
        def run(n):
            total = []
            def add(x):
                total.append(x)
                return 1 / (x - 1)
            def feed():
                for i in range(n):
                    add(i)
                    yield i
            for i in feed():
                pass
            return total, add
        """
    )
    run = one.protect(on_crash=save_and_go_on(one, (("return 1 / (x - 1)", "total.append('ok')"),)))
    total, add = run(3)
    assert total == [0, 1, "ok", 2, "ok"]
    add(9)
    assert total[-2:] == [9, "ok"]


def test_crashed_module_code_leaves_its_own_statements_to_the_frame(program, tmp_path, monkeypatch):
    path = tmp_path / "script_that_crashes.py"
    path.write_text(
        "log = []\ndef helper():\n    return 1\nfor i in range(3):\n    log.append(helper() / (i - 1))\n"
    )
    code = compile(path.read_text(), str(path), "exec")
    namespace = {"__name__": "script_that_crashes", "__file__": str(path)}

    def policy(crash):
        path.write_text(path.read_text().replace("/ (i - 1)", "* i").replace("return 1", "return 5"))
        return Surgery()

    remember_file(str(path))

    def main():
        exec(protect_code(code, Settings()), namespace)

    daifu_bc.protect(main, on_crash=policy)
    main()
    assert namespace["log"] == [-1.0, 5, 10]


def test_revert_after_a_crash(program, save_and_go_on):
    one = program(LOOP)
    run = one.protect(
        on_crash=save_and_go_on(
            one, (("raise ValueError(i)", "pass"), ("done = []\n", "done = []\nNEW = 1\n"))
        )
    )
    assert run(4) == [0, 1, 2, 3]
    undo.revert()
    assert not hasattr(one.module, "NEW") and daifu_bc.is_protected(run)
    with pytest.raises(ValueError):
        run(4)


# Other files.


def test_reload_all_brings_every_changed_file_of_the_project(program):
    settings = program("LR = 1\nSIZE = 2\n", "settings_of_reload_all")
    helper = program("def helper(x):\n    return x + 1\n", "helper_of_reload_all")
    one = program(
        "import settings_of_reload_all as s\nfrom helper_of_reload_all import helper\n\n"
        "def run(x):\n    return helper(x) * s.LR\n",
        "main_of_reload_all",
    )
    run = one.protect()
    assert run(1) == 2
    assert apply.changed_files() == [] and apply.reload_all() == []
    settings.replace(("LR = 1", "LR = 10"))
    helper.replace(
        ("x + 1", "more(x)"),
        (
            "def helper",
            "from settings_of_reload_all import SIZE\n\ndef more(x):\n    return x * SIZE\n\ndef helper",
        ),
    )
    one.replace(("* s.LR", "* s.LR + 1"))
    assert len(apply.reload_all()) == 3
    assert run(3) == 61 and apply.changed_files() == []
    undo.revert(), undo.revert(), undo.revert()
    assert run(1) == 2


def test_reload_all_is_all_or_nothing(program):
    helper = program("def helper(x):\n    return x + 1\n", "helper_of_nothing")
    one = program(
        "from helper_of_nothing import helper\n\ndef run(x):\n    return helper(x)\n", "main_of_nothing"
    )
    run = one.protect()
    assert run(1) == 2
    helper.replace(("x + 1", "x + 2"))
    one.replace(("def run", "BROKEN = 1 / 0\n\ndef run"))
    with pytest.raises(daifu_bc.CannotResume):
        apply.reload_all()
    assert run(1) == 2 and len(apply.changed_files()) == 2
    assert len(apply.reload_all(leave_out=[str(one.path)])) == 1 and run(1) == 3


# The text written back.


def test_the_text_of_a_surgery_is_kept_in_a_file(program):
    one = program(
        '''
        class Model:
            @staticmethod
            def run(n):
                """Doc
            of two lines."""
                return 1 / n  # why

            other = 1
        '''
    )
    daifu_bc.protect(one.module.Model)
    text = 'def run(n):\n    """New\nlines."""\n    if n:\n\n        return 1 / n\n    return 0\n'
    apply.apply(apply.edit_of(one.module.Model.run, text), vars(one.module))
    assert one.module.Model.run(0) == 0
    lines = write_back(swaps.original_code(one.module.Model.run), str(one.path))
    assert lines == (4, 10)
    assert one.path.read_text() == (
        '\nclass Model:\n    @staticmethod\n    def run(n):\n        """New\nlines."""\n        if n:\n\n'
        "            return 1 / n\n        return 0\n\n    other = 1\n"
    )


def test_keep_leaves_bytes_and_rights_and_refuses_what_has_no_place(program, tmp_path):
    one = program("def run(n):\n    return 1 / n\n")
    one.protect()
    apply.apply(apply.edit_of(one.module.run, "def run(n):\n    return n\n"), vars(one.module))
    code = swaps.original_code(one.module.run)
    other = tmp_path / "other.py"
    other.write_bytes("# -*- coding: latin-1 -*-\r\nx = 'é'\r\ndef run(n):\r\n    pass\r\n".encode("latin-1"))
    other.chmod(0o640)
    write_back(code, str(other))
    assert (
        other.read_bytes()
        == "# -*- coding: latin-1 -*-\r\nx = 'é'\r\ndef run(n):\r\n    return n\r\n".encode("latin-1")
    )
    assert other.stat().st_mode & 0o777 == 0o640
    other.write_text("x = 1\n")
    with pytest.raises(daifu_bc.CannotResume, match="nothing was written"):
        write_back(code, str(other))
    assert other.read_text() == "x = 1\n"
