"""Command lines as data, for hooks that judge them: what a line starts, through wrappers and disguises."""

from anyhook.shell.command import Command, Input, InputKind, Redirect, Script, Word
from anyhook.shell.reader import read_script

__all__ = ["Command", "Input", "InputKind", "Redirect", "Script", "Word", "read_script"]
