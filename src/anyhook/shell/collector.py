"""What a shell knows while it reads a line: variables, folder, aliases and files, and the commands that were found.

:mod:`reader` walks the grammar's tree and hands commands over; each is followed into what it starts itself.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from msgspec.structs import replace

from anyhook.shell.command import Input, InputKind, Invocation, Redirect, ShellWord, Started, command_of, named
from anyhook.shell.git_aliases import alias_options
from anyhook.shell.holders import (
    DEFAULT_FILES,
    EVALUATORS,
    HOLDERS,
    PROMPTS,
    evaluates,
    held_by,
    held_by_variable,
)
from anyhook.shell.one_liners import lines_in_code, printed_by_code
from anyhook.shell.outputs import known_output
from anyhook.shell.paths import join
from anyhook.shell.programs import AWKS, SHELLS, is_interpreter, is_shell
from anyhook.shell.words import NOWHERE, Place, expand, quoted, rough_words
from anyhook.shell.wrappers import STARTERS, started_by

MAX_WORK = 25_000
"""What the reading of one line may take, roughly in microseconds. Loops, functions, substitutions and braces multiply
what is written; all of them count."""
MAX_DEPTH = 12
"""Lines within lines, functions and substitutions."""
_MAX_SOURCES = 64
"""Commands of a pipeline that the last one knows of."""
_UNSET = re.compile(r"\$\{\w+\}(?=\w)|(?<=\w)\$\{\w+\}")
_SCRIPT_READERS = SHELLS | {"pwsh", "powershell", "source", ".", "at", "batch", "su", "ssh", "sudo", "doas", "parallel"}
"""Programs that may read a script from their input."""
_SHELL_OPTION = re.compile(r"(?:^| )-[a-zA-Z]*[si]\b")
"""``sudo -s`` and ``sudo -i`` start a shell."""
_OPERANDS_NO_SCRIPT = frozenset({"ssh", "sudo", "doas", "su", "at", "batch"})
"""Those of them whose operands are no script."""
_CHANGES_FOLDER = frozenset({"cd", "pushd", "chdir", "set-location", "sl"})
_READS_VALUES = frozenset({"read", "mapfile", "readarray", "getopts"})
_CHANGES_STATE = _CHANGES_FOLDER | _READS_VALUES | {"tee", "cp", "mv", "alias", "hash", "set", "printf", "git"}
"""Programs after which the shell knows something else."""
_MAY_START = STARTERS.keys() | HOLDERS.keys() | EVALUATORS.keys()
"""Programs whose arguments may start something: those of most commands need no second look."""


class TooMuchError(Exception):
    """The line needs more than the budget."""


class Collector(ABC):
    """Collects the commands of one line, and of the lines in it."""

    def __init__(self) -> None:
        self.commands: list[Invocation] = []
        self.is_complete = True
        self.reason = ""
        """Why the line is not read to its end; empty: it is."""
        self.work = 0
        self.values: dict[str, tuple[ShellWord, ...] | None] = {}
        self.aliases: dict[str, str] = {}
        self.coprocesses: dict[str, Invocation] = {}
        """What ``coproc`` has started, by the name of the array with its descriptors."""
        self.git_options: tuple[ShellWord, ...] = ()
        """The aliases that the line has set by ``git config``, as options of git."""
        self.folder: str | None = "."
        self.depth = 0
        self.input: Input | None = None
        self.wrapped_by: tuple[str, ...] = ()
        self.started_by: int | None = None
        self.place = NOWHERE
        """Where the command that is read, or the one whose text is read, is in the line."""
        self.written: dict[str, str] = {}
        """Files that the line itself writes, with their text: ``cat > x.sh <<END; bash x.sh``."""

    @abstractmethod
    def line(self, text: str) -> None:
        """Read a text as a command line of its own, in the present state."""

    @abstractmethod
    def call(self, name: str, arguments: Sequence[ShellWord]) -> bool:
        """Read the body of a function with its arguments; whether there is one of this name."""

    def spend(self, work: int) -> None:
        self.work += work
        if self.work > MAX_WORK:
            raise TooMuchError

    def assign(self, name: str, words: tuple[ShellWord, ...]) -> None:
        self.values[name] = words

    def is_too_deep(self) -> bool:
        if self.depth >= MAX_DEPTH:
            self.reason = "it has too many commands within each other"
        return self.depth >= MAX_DEPTH

    # ------------------------------------------------------------------------------------------------------- state

    @contextmanager
    def separate(self) -> Iterator[None]:
        """A subshell: folder and variables are its own."""
        values, folder = self.values, self.folder
        self.values = dict(values)
        yield
        self.values, self.folder = values, folder

    @contextmanager
    def reading(self, source: Input | None) -> Iterator[None]:
        outer = self.input
        if source is not None:
            self.input = source
        yield
        self.input = outer

    def output_of(self, commands: list[Invocation]) -> Input:
        """What a part of a pipeline hands to the next one."""
        earlier = commands[0].input.sources if commands and commands[0].input is not None else ()
        return Input(InputKind.PIPE, _text_of(commands), (*earlier, *commands)[-_MAX_SOURCES:])

    def note_written(self, redirects: tuple[Redirect, ...], commands: list[Invocation]) -> None:
        for redirect in redirects:
            if redirect.writes and commands:
                text = _text_of(commands)
                if text is not None:
                    self.written[redirect.target.text] = text

    def variables(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Follow variables in which programs find commands."""
        for name, value in pairs:
            if name in PROMPTS:
                self.expanded([value])
            elif (started := held_by_variable(name, value)) is not None:
                self.start(name, started)

    # ---------------------------------------------------------------------------------------------------- commands

    def add(
        self,
        words: list[ShellWord],
        redirects: tuple[Redirect, ...],
        assignments: tuple[tuple[str, str], ...] = (),
        *,
        has_more_arguments: bool = False,
    ) -> None:
        """Add a command, and whatever it starts itself."""
        if words and not words[0].is_known and (name := _UNSET.sub("", words[0].text)) and name != words[0].text:
            words = [ShellWord(name), *words[1:]]  # an unset variable within a name hides it
        if words and (alias := self.aliases.get(words[0].text)) is not None:
            words = [*self.expanded(rough_words(alias)), *words[1:]]
        number = len(self.commands)
        command = self.append(words, redirects, assignments, has_more_arguments=has_more_arguments)
        if assignments:
            self.variables(assignments)
        if not words:
            return
        if self.depth < MAX_DEPTH and self.call(words[0].text, words[1:]):
            return
        if command.name in _CHANGES_STATE:
            self.apply(command)
        outer, self.started_by = self.started_by, number
        self.unwrap(command)
        self.started_by = outer
        if command.name == "coproc" and len(self.commands) > number + 1:
            is_named = "{" in command.arguments[1:2]
            self.coprocesses[command.arguments[0] if is_named else "COPROC"] = self.commands[number + 1]
        if self.coprocesses:
            self.tell_coprocess(command)

    def append(
        self,
        words: Sequence[ShellWord],
        redirects: tuple[Redirect, ...] = (),
        assignments: tuple[tuple[str, str], ...] = (),
        *,
        has_more_arguments: bool = False,
    ) -> Invocation:
        self.spend(20 + len(words))
        all_words, name, arguments = named(words)
        files: tuple[str, ...] = ()
        if self.written:
            paths = (*arguments, *DEFAULT_FILES.get(name, ()))
            files = tuple([self.written[path] for path in paths if path in self.written])
        if name in HOLDERS and "<(" in "".join(arguments):
            substituted = [self.substitute(text[2:-1]) for text in arguments if text.startswith("<(")]
            files += tuple([text for text in substituted if text])
        state = (self.input if words else None, self.folder, self.wrapped_by, has_more_arguments, files)
        command = Invocation(all_words, name, arguments, redirects, assignments, *state, *self.place, self.started_by)
        self.commands.append(command)
        return command

    def apply(self, command: Invocation) -> None:
        """What a builtin changes for the commands after it."""
        name, arguments = command.name, command.words[1:]
        if name in _CHANGES_FOLDER:
            target = next(
                (word for word in arguments if not re.fullmatch(r"-[LPe@]+|--|/d", word.text)), ShellWord("~")
            )
            self.folder = None if target.text == "-" else join(self.folder, target.text)
        elif name == "tee" and command.input is not None and command.input.text is not None:
            self.written.update(dict.fromkeys(command.arguments, command.input.text))
        elif name in ("cp", "mv") and self.written and command.arguments[-2:-1]:
            copied, copy = command.arguments[-2:]
            if copied in self.written:
                self.written[copy] = self.written[copied]
        elif name == "alias":
            for word in arguments:
                alias, equals, value = word.text.partition("=")
                if equals:
                    self.aliases[alias] = value
        elif name == "git":
            self.git_options += alias_options(command.arguments) if "config" in command.arguments else ()
        elif name in _READS_VALUES:
            names = [word.text for word in arguments if not word.text.startswith("-")]
            given = _read_by(command, len(names)) if name != "getopts" else {}
            for number, read in enumerate(names):
                self.values[read] = given.get(number)
        elif name == "hash" and len(arguments) == 3 and arguments[0].text == "-p":
            self.aliases[arguments[2].text] = arguments[1].text
        elif name == "set" and len(arguments) > 1 and arguments[0].text == "--":
            for number, word in enumerate(arguments[1:], 1):
                self.values[str(number)] = (word,)
            self.values["@"] = tuple(arguments[1:])
        elif name == "printf" and len(arguments) > 2 and arguments[0].text == "-v":
            text = known_output(command_of((command.words[0], *arguments[2:])), None)
            self.values[arguments[1].text] = None if text is None else (ShellWord(text),)

    def unwrap(self, command: Invocation) -> None:
        if self.is_too_deep():
            return
        name = command.name
        if name in _MAY_START:
            self.evaluate(command)
            for started in chain(started_by(self.as_told(command)), held_by(command)):
                self.spend(20)
                if started.line != "":
                    self.start(name, started, command)
        if name in _SCRIPT_READERS:
            self.script_of(command)
        elif self.written:
            path = command.words[0].text
            if text := self.written.get(path.removeprefix("./")) or self.written.get(path):
                self.start(name, Started(line=text))
        if name in AWKS or is_interpreter(name):
            for line in lines_in_code(command):
                self.spend(20)
                if line:
                    self.start(name, Started(line=line))

    def tell_coprocess(self, command: Invocation) -> None:
        """``echo 'rm x' >&"${COPROC[1]}"`` is the input of the program that was started before."""
        for redirect in command.redirects:
            found = re.match(r"\$\{(\w+)", redirect.target.text)
            other = self.coprocesses.get(found[1]) if found is not None else None
            if other is not None and (text := _text_of([command])):
                self.unwrap(replace(other, input=Input(InputKind.PIPE, text, (command,))))

    def evaluate(self, command: Invocation) -> None:
        """What a builtin evaluates itself, quoted or not: ``test -v 'a[$(...)]'``."""
        if evaluates(command.name, command.arguments):
            self.expanded(text for text in command.arguments if "$(" in text or "`" in text)

    def as_told(self, command: Invocation) -> Invocation:
        """The command; of ``xargs -I X``, with what is read in the place of X if it is known. Of git, with aliases."""
        if command.name == "git" and self.git_options:
            return command_of((command.words[0], *self.git_options, *command.words[1:]), command)
        text = command.input.text if command.input is not None else None
        if command.name not in ("xargs", "gxargs") or not text:
            return command
        mark = _xargs_mark(command.arguments)
        if not mark:
            return command
        first = text.strip().split("\n")[0]
        option = next((number for number, text in enumerate(command.arguments, 1) if text in ("-I", "--replace")), 0)
        start = option + 2 if option else 1
        words = [
            word if number < start else ShellWord(word.text.replace(mark, first))
            for number, word in enumerate(command.words)
        ]
        return command_of(words, command)

    def start(self, name: str, started: Started, by: Invocation | None = None) -> None:
        """Read what a program starts, in the state that the program gives it."""
        wrapped_by, folder, input_ = self.wrapped_by, self.folder, self.input
        self.wrapped_by = (*wrapped_by, name)
        if started.folder is not None:
            self.folder = join(folder, started.folder)
        if started.is_isolated:
            self.folder = None
        self.depth += 1
        if started.line is not None:
            with self.separate():
                self.pass_on(started, by)
                self.line(started.line)
        else:
            more = started.adds_arguments or (by is not None and by.has_more_arguments)
            self.add(list(started.words), (), started.assignments, has_more_arguments=more)
        self.depth -= 1
        self.wrapped_by, self.folder, self.input = wrapped_by, folder, input_

    def pass_on(self, started: Started, by: Invocation | None) -> None:
        """The variables of a program that starts a line, and the line's own arguments."""
        for name, value in by.assignments if by is not None else ():
            self.values[name] = (ShellWord(value),)
        for number, word in enumerate(started.parameters):
            self.values[str(number)] = (word,)
        if started.parameters:
            self.values["@"] = self.values["*"] = started.parameters[1:] or None

    def script_of(self, command: Invocation) -> None:
        """A shell that reads its script from a pipe, a here-document or a file which the line itself wrote."""
        if command.name in ("sudo", "doas") and not _SHELL_OPTION.search(" ".join(command.arguments)):
            return
        operands = [word.text for word in command.words[1:] if not word.text.startswith(("-", "+"))]
        if command.name in _OPERANDS_NO_SCRIPT:
            operands = []
        text = self.written.get(operands[0]) if operands else None
        if operands and operands[0].startswith("<("):
            text = self.substitute(operands[0][2:-1])
        is_file = (
            operands and operands[0] != "-" and not operands[0].startswith(("/dev/stdin", "/dev/fd/", "/proc/self/fd/"))
        )
        reads_input = not is_file or "-s" in command.arguments
        if text is None and reads_input and command.input is not None:
            text = command.input.text
            if text is None and is_shell(command.name):
                text = "\n".join([line for source in command.input.sources for line in printed_by_code(source)])
        if text:
            self.start(command.name, Started(line=text))

    # ------------------------------------------------------------------------------------------------------- words

    def expanded(self, raw_words: Iterable[str], places: Iterable[Place] = ()) -> list[ShellWord]:
        return expand(raw_words, self, places)

    def substitute(self, inner: str) -> str | None:
        """Read the commands of ``$(...)``, and tell their output if it is known."""
        start = len(self.commands)
        with self.separate():
            self.line(inner)
        commands = self.commands[start:]
        if not commands:
            return None
        # Of a pipeline the last command's output is the whole output; of several statements all count.
        last = commands[-1]
        return known_output(last, last.input.text if last.input is not None else None)


def _text_of(commands: Sequence[Invocation]) -> str | None:
    """What commands print one after the other; None if that is not known."""
    texts: list[str] = []
    for command in commands:
        text = known_output(command, command.input.text if command.input is not None else None)
        if text is None:
            return None
        texts.append(text)
    return "".join(texts) if commands else None


def _read_by(command: Invocation, count: int) -> dict[int, tuple[ShellWord, ...]]:
    """What ``read`` and ``mapfile`` give so many variables: of a known text, or of what other commands list."""
    source = command.input
    if source is None or not (source.text or source.sources):
        return {}
    if not source.text:
        pipeline = " | ".join([" ".join([quoted(word.text) for word in one.words]) for one in source.sources])
        return dict.fromkeys(range(count), (ShellWord(f"$({pipeline})", is_known=False),))
    lines = source.text.strip("\n").split("\n")
    if command.name != "read":
        return dict.fromkeys(range(count), tuple([ShellWord(line) for line in lines]))
    separators = dict(command.assignments).get("IFS", "").strip() or None
    fields = lines[0].split(separators, max(count - 1, 0))
    return {number: (ShellWord(field),) for number, field in enumerate(fields)}


def _xargs_mark(arguments: Sequence[str]) -> str:
    for number, argument in enumerate(arguments):
        if argument in ("-I", "--replace") and number + 1 < len(arguments):
            return arguments[number + 1]
        if argument.startswith("-I") and len(argument) > len("-I"):
            return argument[2:]
        if argument.startswith("--replace="):
            return argument.partition("=")[2]
    return ""
