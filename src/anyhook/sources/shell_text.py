"""Reads a shell command without running it: its words, its variables and how each is quoted.

A light scan, not a parser of the whole language. It never fails and takes one pass, whatever the text is; where the
text is odd it sees less, so a rule that asks about it stays silent.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

MAX_LENGTH = 100_000
"""Characters of a command that are read; a longer one was not written by hand."""
_MAX_NESTING = 3
"""Levels of ``sh -c '...'`` inside ``sh -c '...'`` that are followed."""
_MAX_OPERATOR_LENGTH = 200
"""Characters behind a variable's name, inside its braces, that are read."""
UNKNOWN = "\N{REPLACEMENT CHARACTER}"
"""Replaces the output of a command substitution in a word's text."""

_name = re.compile(r"[A-Za-z_]\w*", re.ASCII).match
is_assignment = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=", re.ASCII).match
_is_array = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII).fullmatch
_operator = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|\n]").match
_redirection = re.compile(r"&>>?|<<<|<<-?|<>|>>|>\||[<>]&?").match
_plain = re.compile(r"[^\s\\'\"$`;&|<>()#{}]+").match
_special_in_quotes = re.compile(r'["\\$`]').search
_heredoc_word = re.compile(r"[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|([^\s;&|<>()]+))").match


class Quoting(enum.Enum):
    """How the shell treats what a variable expands to."""

    NONE = enum.auto()  # split into words at blanks
    DOUBLE = enum.auto()  # kept in one piece
    KEPT = enum.auto()  # kept in one piece without quotes: an assignment, [[ ]], case, a heredoc


class Variable(Struct, frozen=True):
    """A variable that the shell expands. Offsets are those of the scanned text."""

    name: str
    start: int
    end: int
    quoting: Quoting
    operator: str = ""
    """What follows the name inside the braces: ``:-``, ``%``, ``.`` ..., with the rest up to the brace."""

    @property
    def has_default(self) -> bool:
        return self.operator.startswith((":-", "-", ":=", "=", ":+", "+"))


class Word(Struct, frozen=True):
    """A word of a command. ``text`` is without its quotes; variables stay in it as they are written."""

    text: str
    start: int
    end: int
    is_quoted: bool = False
    """Part of it is quoted."""


class Redirection(Struct, frozen=True):
    descriptor: str
    operator: str
    target: str


class ShellCommand(Struct, frozen=True):
    """A simple command: what comes before it, its words, and where its output goes."""

    before: str
    """The operator in front of it: empty at the start, else ``;``, ``&&``, ``||``, ``|``, ``(`` ..."""
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    depth: int
    """0: of the text itself; more: inside a command substitution or a subshell."""

    def argument_words(self) -> tuple[Word, ...]:
        """The words from the program on, behind assignments and words like ``if``."""
        for index, word in enumerate(self.words):
            if not is_assignment(word.text) and (word.is_quoted or word.text not in _KEYWORDS):
                return self.words[index:]
        return ()

    @property
    def program(self) -> str:
        words = self.argument_words()
        return words[0].text if words else ""

    @property
    def writes_to_stderr(self) -> bool:
        outputs = [r for r in self.redirections if r.operator.startswith(">") and r.descriptor != "2"]
        return any(output.target.strip() in {"2", "/dev/stderr"} for output in outputs)


class ShellText(Struct, frozen=True):
    """A command text, scanned."""

    text: str
    variables: tuple[Variable, ...]
    commands: tuple[ShellCommand, ...]
    heredocs: tuple[str, ...]
    is_complete: bool
    """Whether every quote and bracket is closed; what an incomplete text does is unknown."""

    def nested(self) -> Iterator[ShellText]:
        """The texts that this one gives to another shell: the argument of ``sh -c``, a heredoc for ``bash -s``."""
        from anyhook.shell.programs import POSIX_SHELLS  # the package is large; a client may wait for this module

        has_shell_input = False
        for command in self.commands:
            words = [word.text for word in command.argument_words()]
            if not words or words[0].rpartition("/")[2] not in POSIX_SHELLS:
                continue
            options = list(itertools.takewhile(lambda word: word.startswith("-"), words[1:]))
            if len(words) > len(options) + 1:
                if any(re.fullmatch(r"-[a-z]*c", option) for option in options):
                    yield scan(words[len(options) + 1])
            else:
                has_shell_input = has_shell_input or any(r.operator.startswith("<<") for r in command.redirections)
        if has_shell_input:
            yield from (scan(body) for body in self.heredocs)

    def everything(self) -> Iterator[ShellText]:
        """The text itself and all texts nested in it."""
        level: list[ShellText] = [self]
        for _ in range(_MAX_NESTING):
            yield from level
            level = [inner for text in level for inner in text.nested()]


_KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"})


def _is_head_of_case(words: list[Word]) -> bool:
    return len(words) == 3 and words[0].text == "case" and words[2].text == "in"


def _is_end_of_case(words: list[Word]) -> bool:
    return bool(words) and words[0].text == "esac"


class _Frame:
    """A piece of text with one way of reading it: a list of commands, double quotes, or the braces of ``${...}``."""

    __slots__ = ("closer", "command", "depth", "is_list", "is_pattern", "kind", "owner", "quoted")

    def __init__(self, kind: str, closer: str, parent: _Frame | None = None, quoted: bool = False) -> None:
        self.kind, self.closer, self.quoted = kind, closer, quoted
        is_command = parent is None or kind == "command"
        self.owner: _Frame = self if is_command or parent is None else parent.owner
        """The frame whose command the words here belong to."""
        self.depth: int = 0 if parent is None else parent.depth + is_command
        self.command = _Building("" if parent is None else "(")
        self.is_list = False
        """The words are the values of an array, not commands."""
        self.is_pattern = False
        """The words are a pattern of ``case``, up to its bracket."""


class _Building:
    """A simple command while its words are read."""

    __slots__ = ("before", "descriptor", "has_quotes", "operator", "parts", "redirections", "start", "words")

    def __init__(self, before: str) -> None:
        self.before = before
        self.words: list[Word] = []
        self.redirections: list[Redirection] = []
        self.parts: list[str] | None = None
        self.start = 0
        self.has_quotes = False
        self.operator = ""
        """A redirection that waits for its target."""
        self.descriptor = ""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.frames = [_Frame("command", "")]
        self.variables: list[Variable] = []
        self.commands: list[ShellCommand] = []
        self.pending: list[tuple[str, bool]] = []
        self.heredocs: list[str] = []
        self.is_complete = True

    def run(self) -> ShellText:
        text, end = self.text, len(self.text)
        while self.at < end:
            frame = self.frames[-1]
            if frame.kind == "command":
                self._in_command(frame, text[self.at])
            elif frame.kind == "quotes":
                self._in_quotes(text[self.at])
            else:
                self._in_braces(frame, text[self.at])
        is_complete = self.is_complete and len(self.frames) == 1
        for frame in reversed(self.frames):
            if frame.kind == "command":
                self._end_command(frame, "")
        commands = tuple(command for command in self.commands if command.words or command.redirections)
        return ShellText(text, tuple(self.variables), commands, tuple(self.heredocs), is_complete)

    # ----------------------------------------------------------------------------------------------- three ways to read

    def _in_command(self, frame: _Frame, char: str) -> None:
        building = frame.command
        if char in " \t\r":
            self._end_word(building)
            if _is_head_of_case(building.words):
                self._end_command(frame, ";")
            self.at += 1
        elif char in "<>&" and (found := _redirection(self.text, self.at)):
            self._redirect(building, found[0])
            self.at = found.end()
        elif found := _operator(self.text, self.at):
            self._end_command(frame, found[0])
            self.at = found.end()
            if found[0] == "\n":
                self._skip_heredocs()
            frame.is_pattern = frame.is_pattern or found[0] in {";;", ";&", ";;&"}
        elif char == "#" and building.parts is None:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif char in "()":
            self._bracket(frame, char)
        elif char == "'":
            self._single_quoted(self.at + 1)
        elif char == "`" and frame.closer == "`":
            self._close_command(frame)
        elif not self._expansion(char):
            found = _plain(self.text, self.at)
            piece = found[0] if found else char
            self._add(piece)
            self.at += len(piece)

    def _in_quotes(self, char: str) -> None:
        if char == '"':
            self.frames.pop()
            self.at += 1
        elif not self._expansion(char, opens_quotes=False):
            stop = _special_in_quotes(self.text, self.at)
            end = stop.start() if stop else len(self.text)
            self._add(self.text[self.at : max(end, self.at + 1)])
            self.at = max(end, self.at + 1)

    def _in_braces(self, frame: _Frame, char: str) -> None:
        if char == frame.closer:
            self.frames.pop()
            self._add(char)
            self.at += 1
        elif char == "'" and not frame.quoted:
            self._single_quoted(self.at + 1)
        elif not self._expansion(char):
            self._add(char)
            self.at += 1

    # ----------------------------------------------------------------------------------------------------------- pieces

    def _expansion(self, char: str, *, opens_quotes: bool = True) -> bool:
        """Reads an escape, a dollar, a backquote or an opening quote; False when there is none of them here."""
        frame = self.frames[-1]
        if char == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if following == "\n":  # the line goes on; between words there is no word of its own
                self.at += 2
                return True
            keeps = frame.kind == "quotes" and following not in '"\\$`\n'
            self._add(char + following if keeps else following, quoted=True)
            self.at += 2
        elif char == "$":
            self._dollar(frame)
        elif char == "`":
            self._add(UNKNOWN)
            self.frames.append(_Frame("command", "`", frame))
            self.at += 1
        elif char == '"' and opens_quotes:
            self._add("", quoted=True)
            self.frames.append(_Frame("quotes", '"', frame, quoted=True))
            self.at += 1
        else:
            return False
        return True

    def _dollar(self, frame: _Frame) -> None:
        text, start = self.text, self.at
        following = text[start + 1 : start + 2]
        if following == "(":
            self._add(UNKNOWN)
            self.frames.append(_Frame("command", ")", frame))
            self.at = start + 2
        elif following == "{" and (name := _name(text, start + 2)):
            closing = text.find("}", name.end(), name.end() + _MAX_OPERATOR_LENGTH)
            operator = "" if closing < 0 else text[name.end() : closing]
            self._variable(name[0], start, name.end() if closing < 0 else closing + 1, operator)
            self._add(text[start : name.end()])
            self.frames.append(_Frame("braces", "}", frame, frame.quoted))
            self.at = name.end()
        elif following == "'" and frame.kind == "command":
            self._single_quoted(start + 2)
        elif name := _name(text, start + 1):
            self._variable(name[0], start, name.end(), "")
            self._add(text[start : name.end()])
            self.at = name.end()
        else:
            self._add("$")
            self.at = start + 1

    def _variable(self, name: str, start: int, end: int, operator: str) -> None:
        quoting = Quoting.DOUBLE if self.frames[-1].quoted else Quoting.NONE
        if quoting is Quoting.NONE and self._is_kept():
            quoting = Quoting.KEPT
        self.variables.append(Variable(name, start, end, quoting, operator))

    def _is_kept(self) -> bool:
        """Whether the shell keeps an unquoted value in one piece here."""
        owner = self.frames[-1].owner
        building = owner.command
        if building.operator or self.frames[-1].kind == "braces" or owner.is_pattern:
            return True
        if building.parts is not None and is_assignment("".join(building.parts[:1])[:_MAX_OPERATOR_LENGTH]):
            return True
        program = next((word.text for word in building.words if word.text not in _KEYWORDS), "")
        return program in {"[[", "case", "(("}

    def _add(self, piece: str, *, quoted: bool = False) -> None:
        building = self.frames[-1].owner.command
        if building.parts is None:
            building.parts, building.start = [], self.at
        building.parts.append(piece)
        building.has_quotes = building.has_quotes or quoted

    def _single_quoted(self, start: int) -> None:
        end = self.text.find("'", start)
        self.is_complete = self.is_complete and end >= 0
        end = len(self.text) if end < 0 else end
        self._add(self.text[start:end], quoted=True)
        self.at = end + 1

    def _bracket(self, frame: _Frame, char: str) -> None:
        is_list = _is_array("".join(frame.command.parts or ())) is not None
        self._end_word(frame.command)
        if frame.is_pattern and not _is_end_of_case(frame.command.words):  # its end, or the bracket before it
            self._end_command(frame, char)
            if char == ")":
                frame.is_pattern = False
            self.at += 1
            return
        if char == ")" and frame.closer == ")":
            self._close_command(frame)
            return
        self._end_command(frame, char)  # a subshell, a function, or an array
        self.at += 1
        if char == "(":
            inner = _Frame("command", ")", frame)
            inner.is_list = is_list
            self.frames.append(inner)

    def _close_command(self, frame: _Frame) -> None:
        self._end_command(frame, "")
        self.frames.pop()
        self.at += 1

    def _redirect(self, building: _Building, operator: str) -> None:
        parts = building.parts
        is_descriptor = parts is not None and not building.has_quotes and "".join(parts).isdigit()
        descriptor = "".join(parts or []) if is_descriptor else ""
        if is_descriptor:
            building.parts = None
        else:
            self._end_word(building)
        building.operator, building.descriptor = operator, descriptor
        if (
            operator.startswith("<<")
            and operator != "<<<"
            and (word := _heredoc_word(self.text, self.at + len(operator)))
        ):
            self.pending.append((next(part for part in word.groups() if part is not None), operator == "<<-"))

    def _end_word(self, building: _Building) -> None:
        if building.parts is None:
            return
        text = "".join(building.parts)
        if building.operator:
            building.redirections.append(Redirection(building.descriptor, building.operator, text))
            building.operator = building.descriptor = ""
        else:
            building.words.append(Word(text, building.start, min(self.at, len(self.text)), building.has_quotes))
        building.parts, building.has_quotes = None, False

    def _end_command(self, frame: _Frame, operator: str) -> None:
        building = frame.command
        self._end_word(building)
        frame.command = _Building(operator)
        if _is_end_of_case(building.words):
            frame.is_pattern = False
        if frame.is_pattern or frame.is_list:
            return
        self.commands.append(
            ShellCommand(building.before, tuple(building.words), tuple(building.redirections), frame.depth)
        )
        frame.is_pattern = _is_head_of_case(building.words)

    def _skip_heredocs(self) -> None:
        for delimiter, is_indented in self.pending:
            body: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                line = self.text[self.at : len(self.text) if end < 0 else end]
                self.at = len(self.text) if end < 0 else end + 1
                if (line.lstrip("\t") if is_indented else line) == delimiter:
                    break
                body.append(line)
            self.heredocs.append("\n".join(body))
        self.pending.clear()


@lru_cache(maxsize=2048)
def scan(text: str) -> ShellText:
    """The words, variables and commands of a text for a POSIX shell."""
    return _Scanner(text[:MAX_LENGTH]).run()
