"""Where the ``anyhook`` command begins: what a client waits for takes the short way, past click and the rest."""

from __future__ import annotations

import sys


def main() -> int:
    if sys.argv[1:2] == ["exec"]:
        from anyhook.cli.exec_command import main as exec_main

        return exec_main(sys.argv[2:])
    from anyhook.cli.main import main as command_main

    return command_main()
