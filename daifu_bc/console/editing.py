"""Commands that change the code of the crashed function: edit, diff, reload, watch.

In: what is typed, the developer's editor, saved files. Out: a Surgery. Always true: nothing is changed before `reload`
(or a save, where it was asked for), and an edit that cannot be taken over leaves the crash as it was; a function whose
file is not there is edited in a temporary copy of its text.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from daifu_bc.console.banner import Line
from daifu_bc.console.choices import placed, refusal
from daifu_bc.console.deciding import Deciding
from daifu_bc.console.terminal import FarLines
from daifu_bc.console.view import PreviewLike
from daifu_bc.restarts.restarts import Surgery

EDITING = ("edit", "diff", "reload", "watch", "revert", "keep")
_STYLES = {"-": "error", "+": "number", "...": "dim", " ": ""}


class Editing(Deciding):
    """The commands that change code."""

    _copy: str | None = None  # the text from a temporary copy, for `diff` and `reload`

    def _run_rc(self) -> None:
        super()._run_rc()
        if os.environ.get("DAIFU_BC_WATCH", "") not in ("", "0"):
            self.cmdqueue.append("watch")

    def _surgery(self, arg: str) -> Surgery | None:
        if arg and not arg.isdecimal():
            self.error("a line of the new text is wanted, or nothing")
            return None
        return Surgery(source=self._copy, at=int(arg) if arg else None)

    def do_edit(self, arg: str) -> bool:
        """edit

        Open $VISUAL or $EDITOR on the function. Then `diff` shows what would happen, `reload` goes on in the new code.
        """
        self.lastcmd = ""
        index = self.frame_index()
        if index is None:
            return False
        frame = self.crash.frames[index]
        path = Path(frame.filename)
        if path.is_file():
            if self._open(path, frame.lineno or 1):
                self._copy = None
                self.do_diff("")
            return False
        if not frame.text:
            self.error(f"the text of {frame.function} is not there to be edited: it has no file that can be read")
            return False
        edited = self._edit_copy(self._copy or frame.text)
        if edited is not None:
            self._copy = edited
            self.do_diff("")
        return False

    def _validate_file_mtime(self) -> None:
        """pdb warns at every command that an edited file does not run; here it can."""

    def _edit_copy(self, text: str) -> str | None:
        with tempfile.TemporaryDirectory(prefix="daifu_bc-") as folder:
            path = Path(folder) / "function.py"
            path.write_text(text, encoding="utf-8")
            if not self._open(path, 1):
                return None
            return path.read_text(encoding="utf-8")

    def _open(self, path: Path, lineno: int) -> bool:
        """Let the developer edit a file."""
        if isinstance(self.stdin, FarLines):  # an editor would want this process's terminal
            self.error(f"edit {path}, line {lineno}, in an editor of your own; then `diff` and `reload`")
            return False
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        command = shlex.split(editor)
        if Path(command[0]).name in ("vi", "vim", "nvim", "nano", "emacs", "emacsclient", "ed"):
            command.append(f"+{lineno}")
        try:
            status = subprocess.run([*command, str(path)], check=False).returncode
        except OSError as error:
            self.error(f"{editor} cannot be started ({error}); set $VISUAL or $EDITOR, or edit {path} elsewhere")
            return False
        if status:
            self.error(f"{editor} ended with status {status}; `diff` shows what is saved")
        return status == 0

    def do_diff(self, arg: str) -> bool:
        """diff [LINE]

        Show the saved text of the function against what runs, where it crashed and where `reload` would go on.
        """
        self.lastcmd = ""
        index, surgery = self.frame_index(), self._surgery(arg)
        if index is None or surgery is None:
            return False
        try:
            preview = self.crash.frames[index].preview(surgery)
        except Exception as reason:  # what stands in the way is what is to be shown
            self.error(str(reason))
            return False
        self.paint(preview_lines(preview))
        return False

    def do_reload(self, arg: str) -> bool:
        """reload [LINE | all]

        Go on in the saved text: where it corresponds to the crash, or at LINE of it. `diff` shows it beforehand.
        `reload all` brings every other changed file of the project into the program, and stays here.
        """
        self.lastcmd = ""
        if arg == "all":
            return self._reload_others()
        surgery = self._surgery(arg)
        return surgery is not None and self._decide(surgery, f"reload {arg}".rstrip())

    def _reload_others(self) -> bool:
        own = [frame.filename for frame in self.crash.frames[:1]]
        applied = updates("apply").reload_all(leave_out=own)
        for one in applied:
            self.message(f"{one.edit.new.code.co_filename}: {one.functions} functions brought up to date")
            for note in one.notes:
                self.message(f"  {note}")
        if not applied:
            self.message("no other file of the project has changed")
        return False

    def do_revert(self, arg: str) -> None:
        """revert

        Take the last edit back: functions get their code back, modules their values. What runs already goes on in it.
        """
        self.lastcmd = ""
        undone = updates("undo").revert()
        if undone is None:
            self.message("there is no edit to be taken back")
        else:
            new = undone.edit.new.code
            self.message(f"taken back: the edit of {new.co_qualname} ({new.co_filename})")

    def do_keep(self, arg: str) -> None:
        """keep FILE

        Write the text of the function that is running back into FILE, in place of the function's text there.
        """
        self.lastcmd = ""
        index = self.frame_index()
        if index is None:
            return
        if not arg:
            self.error("usage: keep FILE")
            return
        write_back = import_module("daifu_bc.surgery.keep").write_back
        original_of = import_module("daifu_bc.transform").original_of
        first, last = write_back(original_of(self.crash.frames[index].python_frame.f_code), arg)
        self.message(f"written to {arg}, lines {first} to {last}")

    def do_watch(self, arg: str) -> bool:
        """watch

        Wait until a file of the crashed functions is saved, and go on in its text. Ctrl-C leads back here.
        """
        self.lastcmd = ""
        index = self.frame_index()
        if index is None:
            return False
        try:
            from watchfiles import watch
        except ImportError:
            self.error("the package watchfiles is not installed (pip install 'daifu_bc[watch]'); `reload` needs none")
            return False
        files = sorted({frame.filename for frame in self.crash.frames if Path(frame.filename).is_file()})
        if not files:
            self.error("no crashed function has a file; `edit` works on a copy of the text")
            return False
        seen = _stamps(files)
        self.message(f"waiting for {', '.join(map(os.path.basename, files))} to be saved; Ctrl-C leads back")
        # The clock beside the events: a save may come before the watch is in place.
        for _changes in watch(*_folders(files), rust_timeout=1000, yield_on_timeout=True, raise_interrupt=True):
            if _stamps(files) == seen:
                continue
            seen = _stamps(files)
            decision = placed(self.crash, index, Surgery())
            reason = refusal(self.crash, decision)
            if reason is None:
                self.do_diff("")
                return self.take(decision)
            self.error(f"still waiting: {reason}")
        return False


def updates(name: str) -> Any:
    """A part of what brings edits into the program; the console needs it only when it is asked for."""
    return import_module(f"daifu_bc.updates.{name}")


def _folders(files: Iterable[str]) -> list[str]:
    """Folders, not files: editors save by putting another file in the place of the old one."""
    return sorted({str(Path(file).parent) for file in files})


def _stamps(files: Iterable[str]) -> list[tuple[int, int] | None]:
    """When each file was written last, and its size; None for one that is just being replaced."""
    found: list[tuple[int, int] | None] = []
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            found.append(None)
        else:
            found.append((status.st_mtime_ns, status.st_size))
    return found


def preview_lines(preview: PreviewLike) -> list[Line]:
    """A diff, and what it does not run again."""
    lines: list[Line] = []
    for row in preview.rows:
        number = f"{row.lineno:>5} " if row.lineno else "      "
        mark = f"   <- {row.mark}" if row.mark else ""
        lines.append([(number, "dim"), (f"{row.sign} {row.text}", _STYLES[row.sign]), (mark, "mark")])
    lines += [[(note, "dim")] for note in preview.notes]
    if preview.lineno is None:
        lines.append([("reload leaves the function: nothing is left to run in it", "name")])
    else:
        what = ", at the failing call; finished ones are kept" if preview.exactly else ""
        lines.append([(f"reload goes on at line {preview.lineno}{what}", "name")])
    return lines
