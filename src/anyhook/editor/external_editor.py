"""The command line that opens the user's editor at a line of a file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from anyhook.model.problems import AnyhookError

_PLUS_LINE = frozenset(
    {
        "ed", "emacs", "emacsclient", "gedit", "gvim", "jed", "joe", "jove", "kak", "mcedit", "mg", "micro", "mvim",
        "nano", "ne", "nvi", "nvim", "pico", "sensible-editor", "vi", "view", "vim",
    }
)  # fmt: skip
"""Editors that take the line as +LINE before the file."""
_FILE_LINE = frozenset({"hx", "helix", "subl", "sublime_text", "zed"})
_GOTO = frozenset({"code", "code-insiders", "codium"})
_WAITS = "--wait"
_USUAL = ("notepad",) if os.name == "nt" else ("sensible-editor", "nano", "vi")


def editor_command(file: str, line: int, environment: Mapping[str, str]) -> list[str]:
    """$VISUAL, else $EDITOR, else an editor that is installed, with the file and, where it is known how, the line."""
    words = _words(environment)
    name = PurePath(words[0]).stem.lower()
    if not line or name not in _PLUS_LINE | _FILE_LINE | _GOTO:
        return [*words, file]
    if name in _FILE_LINE:
        return [*words, f"{file}:{line}"]
    if name in _GOTO:
        waits = () if _WAITS in words or "-w" in words else (_WAITS,)
        return [*words, *waits, "--goto", f"{file}:{line}"]
    return [*words, f"+{line}", file]


def run_editor(command: Sequence[str]) -> None:
    """Run it until the user leaves it. AnyhookError: it cannot be started."""
    try:
        subprocess.run(command, check=False)
    except OSError as error:
        text = f"{command[0]}: cannot be started: {error.strerror or error}"
        raise AnyhookError(f"{text}\nset VISUAL or EDITOR to your editor") from None


def _words(environment: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        if value := environment.get(variable, "").strip():
            try:
                return shlex.split(value, posix=os.name != "nt")
            except ValueError as error:
                raise AnyhookError(
                    f"{variable} cannot be understood: {error}\nset it to a command: {variable}=vi"
                ) from None
    found = next((name for name in _USUAL if shutil.which(name)), None)
    if found is None:
        raise AnyhookError("there is no editor\nset VISUAL or EDITOR to one")
    return [found]
