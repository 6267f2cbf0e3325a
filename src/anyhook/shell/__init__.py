"""Command lines as data, for hooks that judge them: what a line starts, through wrappers and disguises."""

from anyhook.shell.command import Input, InputKind, Invocation, Redirect, ShellScript, ShellWord
from anyhook.shell.reader import read_script

__all__ = ["Invocation", "Input", "InputKind", "Redirect", "ShellScript", "ShellWord", "read_script"]
