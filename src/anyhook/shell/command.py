"""What a command line starts, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace


class ShellWord(Struct, frozen=True):
    """One argument as the program gets it, as far as that is known before it runs."""

    text: str
    """Without quotes and escapes. What is only known at run time is left as it is written: ``$DIR/x``."""
    is_known: bool = True
    has_glob: bool = False
    """It contains ``*``, ``?`` or ``[`` outside of quotes."""
    is_quoted: bool = False
    """A part of it is in quotes, or escaped."""
    start: int = -1
    end: int = -1
    """Where it is in the line; -1 if it is not written there: it comes from a variable, or from a text in the line."""


class Redirect(Struct, frozen=True):
    operator: str
    """``>``, ``>>``, ``<``, ``>|``, ``&>`` and so on, without a descriptor's number."""
    target: ShellWord
    descriptor: str = ""
    """The number before the operator."""

    @property
    def writes(self) -> bool:
        return ">" in self.operator


class InputKind(StrEnum):
    PIPE = "pipe"
    TEXT = "text"
    FILE = "file"


class Input(Struct, frozen=True):
    """What a command reads from its standard input."""

    kind: InputKind
    text: str | None = None
    """The text itself, if it is known."""
    sources: tuple[Invocation, ...] = ()
    """The commands whose output it is."""
    file: str = ""


class Invocation(Struct, frozen=True):
    """One program that a command line starts, whatever it is wrapped in."""

    words: tuple[ShellWord, ...]
    name: str = ""
    """The program's name without its folder and suffix, in lower case."""
    arguments: tuple[str, ...] = ()
    """The texts of the words after the first."""
    redirects: tuple[Redirect, ...] = ()
    assignments: tuple[tuple[str, str], ...] = ()
    """Variables that are set for this command alone."""
    input: Input | None = None
    folder: str | None = "."
    """The folder in which it runs, seen from where the line starts; None if that cannot be told."""
    wrapped_by: tuple[str, ...] = ()
    """The programs that start it, outermost first: ``sudo``, ``xargs``, ``bash``."""
    has_more_arguments: bool = False
    """``xargs`` and ``find -exec`` add arguments that are not in the line."""
    written_files: tuple[str, ...] = ()
    """The texts of files that it names and that the line itself wrote: ``cat > x.sql <<END; psql -f x.sql``."""
    start: int = -1
    end: int = -1
    """Where it is in the line, without redirections of a group around it. What is inside a text (``sh -c '...'``) is
    where the command with that text is."""
    started_by: int | None = None
    """The number of the command that starts it, among the commands of the line: ``sudo`` in ``sudo rm x``."""
    before: str = ""
    """Of a command as it is written: the operator in front of it; empty at the start, else ``;``, ``&&``, ``(`` ..."""
    depth: int = 0
    """Of a command as it is written: how many subshells and command substitutions are around it."""

    @property
    def text(self) -> str:
        return " ".join([word.text for word in self.words])

    @property
    def program(self) -> str:
        """The program as it is named."""
        return self.words[0].text if self.words else ""


class ShellScript(Struct, frozen=True):
    """All commands of a command line, in the order in which they are written."""

    commands: tuple[Invocation, ...] = ()
    is_complete: bool = True
    """False: a part of the line could not be read, so it may start more than these commands."""
    is_truncated: bool = False
    """It is more than is read, so that it may start anything."""
    reason: str = ""
    """Why it is truncated, as the end of a sentence: it has more than 64,000 characters."""


class Started(Struct, frozen=True):
    """What a program starts: words of its own line, or a text that is a command line itself."""

    words: tuple[ShellWord, ...] = ()
    line: str | None = None
    adds_arguments: bool = False
    assignments: tuple[tuple[str, str], ...] = ()
    folder: str | None = None
    """Where it runs, if the program says so (``env -C``, ``git -C``)."""
    is_isolated: bool = False
    """It runs inside a container or on another machine."""
    parameters: tuple[ShellWord, ...] = ()
    """``$0``, ``$1`` and so on of the line."""


def named(words: Sequence[ShellWord]) -> tuple[tuple[ShellWord, ...], str, tuple[str, ...]]:
    """The first three fields of an invocation with these words."""
    return tuple(words), program_name(words[0].text) if words else "", tuple([word.text for word in words[1:]])


def command_of(words: Sequence[ShellWord], base: Invocation | None = None) -> Invocation:
    """A command with these words, and otherwise like another one."""
    if base is None:
        return Invocation(*named(words))
    words, name, arguments = named(words)
    return replace(base, words=words, name=name, arguments=arguments)


def program_name(path: str) -> str:
    if "/" in path or "\\" in path:
        path = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    name = path.lower()
    return name.removesuffix(".exe").removesuffix(".cmd") if "." in name else name
