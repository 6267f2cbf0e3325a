"""Entry point of the ``anyhook`` command: ``exec``, which a client waits for, imports neither click nor the rest."""

from __future__ import annotations

import gc
import os
import sys


def main() -> int:
    if sys.argv[1:2] == ["exec"]:
        gc.disable()  # it usually ends before there is anything to collect
        from anyhook.cli.operate.exec_command import main as exec_main

        status = exec_main(sys.argv[2:])
        os._exit(status)  # a client waits: do not wait for threads of functions or the end of the interpreter
    from anyhook.cli.main import main as command_main

    return command_main()
