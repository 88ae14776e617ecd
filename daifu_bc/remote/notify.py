"""The command of the user's choice that is run when a crash begins to wait.

In: the facts. Out: a process that has them as JSON on its standard input. Always true: the crash does not wait for it,
no zombie is left while the crash waits, and what goes wrong is one line on stderr.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading

from daifu_bc.autoinstrument.announce import say
from daifu_bc.remote import settings
from daifu_bc.remote.wire import Message


def run(facts: Message) -> None:
    """Run the command, if there is one."""
    command = settings.notify_command()
    if not command:
        return
    try:
        quiet = subprocess.DEVNULL  # what the program prints is for whoever reads the program's output
        with tempfile.TemporaryFile() as file:
            file.write(json.dumps(facts).encode() + b"\n")
            file.seek(0)
            process = subprocess.Popen(command, shell=True, stdin=file, stdout=quiet, start_new_session=True)
        threading.Thread(target=process.wait, name="daifu_bc notify", daemon=True).start()
    except Exception as error:  # the crash waits all the same
        say(f"notify: {error}")
