"""One worker is killed, by the system; the loader says so in a signal handler, which meets the loop in its header."""

import os
import signal
import time

from failing import once_for


def arm(program):
    def fail():
        time.sleep(0.3)  # by then the loop waits
        os.kill(os.getpid(), signal.SIGKILL)

    program.read = once_for(program.read, 9, fail)
