"""Entry point of the ``anyhook`` command: ``exec``, which a client waits for, imports neither click nor the rest."""

from __future__ import annotations

import gc
import os
import signal
import sys


def hear_of_children() -> None:
    """Undo what a parent may have left: a process that ignores SIGCHLD does not learn how its hooks have ended.

    Hooks inherit the result: Python, make and others lose exit statuses in the same way.
    """
    if hasattr(signal, "SIGCHLD"):  # not on Windows
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))


def main() -> int:
    hear_of_children()
    try:
        return _main()
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "anyhook":
            raise
        why = f"{error.name} is missing: anyhook is being upgraded; try again, and reinstall it if that persists"
        sys.stderr.write(f"anyhook: {why}\n")
        return 2


def _main() -> int:
    if sys.argv[1:2] == ["exec"]:
        gc.disable()  # it usually ends before there is anything to collect
        from anyhook.cli.exec_command import main as exec_main

        status = exec_main(sys.argv[2:])
        os._exit(status)  # a client waits: do not wait for threads of functions or the end of the interpreter
    from anyhook.cli.main import main as command_main

    return command_main()
