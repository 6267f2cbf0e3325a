"""A text for a POSIX shell as it is written: its commands in their order, its variables and how each is quoted.

Nothing is expanded, and no function or loop is followed: this is for rules about texts. What a line would start is for
:mod:`reader`.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from anyhook.shell.command import Input, InputKind, Invocation, Redirect, ShellWord, named
from anyhook.shell.grammar import Node, Tree, parse
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.shell.scripts import Script, script_of, unwrapped
from anyhook.shell.words import pieces, rough_places
from anyhook.shell.wrappers import started_by

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
"""Replaces the output of a command substitution in a word's text."""
_MAX_NESTING = 3
"""Levels of ``sh -c '...'`` inside ``sh -c '...'`` that are followed, and of substitutions in each other."""
_MAX_SUBSTITUTIONS = 12
_OPERATORS = frozenset({"&&", "||", "|", "|&", ";", "&", ";;", ";&", ";;&", "("})
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})
_PARTS_OF_HEREDOC = frozenset({"heredoc_start", "heredoc_body", "heredoc_end", "file_redirect", "file_descriptor"})
_SIMPLE = frozenset({"command", "list", "pipeline", "negated_command", "test_command", "declaration_command"})
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=(.*)", re.ASCII | re.DOTALL)
_EXISTENCE_TESTS = frozenset({"-f", "-e", "-x", "-s", "-r", "-d"})
_TESTS = frozenset({"[", "[[", "test"})
_READERS = frozenset({"read", "readarray", "mapfile", "getopts", "local", "declare"})
_ENDS_NOTHING = re.compile(r"(?:[\s;]|#[^\n]*)*")


class Quoting(enum.Enum):
    """How the shell treats what a variable expands to."""

    NONE = enum.auto()  # split into words at blanks
    DOUBLE = enum.auto()  # kept in one piece
    KEPT = enum.auto()  # kept in one piece without quotes: an assignment, [[ ]], case, a target


class Variable(Struct, frozen=True):
    """A variable that the shell expands."""

    name: str
    start: int
    end: int
    quoting: Quoting
    operator: str = ""
    """What follows the name inside the braces: ``:-``, ``%``, ``.`` ..., with the rest up to the brace."""

    @property
    def has_default(self) -> bool:
        return self.operator.startswith((":-", "-", ":=", "=", ":+", "+"))


class PrintedText(Struct, frozen=True):
    text: str
    to: Literal["stdout", "stderr", "elsewhere"]


class ShellText(Struct, frozen=True):
    """A text as it is written."""

    text: str
    commands: tuple[Invocation, ...] = ()
    """With the words of ``for``, ``case`` and ``[[`` as if these were programs."""
    variables: tuple[Variable, ...] = ()
    is_complete: bool = False
    """Whether the grammar knows all of it; what an incomplete text does is unknown."""

    def nested(self) -> Iterator[ShellText]:
        """The texts that this one gives to another shell: the argument of ``sh -c``, a here-document for ``sh``."""
        for command in self.commands:
            shell, _ = unwrapped(command)
            if shell.name not in POSIX_SHELLS:
                continue
            lines = [started.line for started in started_by(shell) if started.line is not None]
            yield from map(read_text, lines)
            reads_input = all(text.startswith("-") for text in shell.arguments)
            if not lines and reads_input and command.input is not None and command.input.text:
                yield read_text(command.input.text)

    def everything(self) -> Iterator[ShellText]:
        """The text itself and all texts nested in it."""
        level: list[ShellText] = [self]
        for _ in range(_MAX_NESTING):
            yield from level
            level = [inner for text in level for inner in text.nested()]

    def all_commands(self) -> Iterator[Invocation]:
        return (command for text in self.everything() for command in text.commands)

    def scripts(self) -> Iterator[Script]:
        """The scripts that it names, in their order."""
        return (script for command in self.all_commands() if (script := script_of(command)) is not None)

    def programs(self) -> frozenset[str]:
        return frozenset(command.program for command in self.all_commands() if command.words)

    def assigned_names(self) -> frozenset[str]:
        """Names that the text itself gives a value: assignments, loops, ``read``."""
        names = {name for command in self.all_commands() for name, _ in command.assignments}
        for command in self.all_commands():
            if command.program in ("for", "select"):
                names.update(command.arguments[:1])
            elif command.program in _READERS:
                names.update(word for word in command.arguments if not word.startswith("-"))
        return frozenset(names)

    def tested_names(self) -> frozenset[str]:
        """Variables that the text asks about, whether they are set or what they hold."""
        tests = (command for command in self.all_commands() if command.program in _TESTS | {"case"})
        return frozenset(name for test in tests for name in re.findall(r"\$\{?([A-Za-z_]\w*)", test.text))

    def changes_folder(self) -> bool:
        return not self.programs().isdisjoint(("cd", "pushd"))

    def looks_for_files(self) -> bool:
        """Whether it looks if files are there, so that a missing one is no mistake."""
        tests = (command for command in self.all_commands() if command.program in _TESTS)
        return any(not _EXISTENCE_TESTS.isdisjoint(command.arguments) for command in tests)

    def exits(self) -> frozenset[str]:
        """What follows every ``exit``; empty text for an ``exit`` alone. That of ``cd ... || exit`` is none."""
        return frozenset(
            command.arguments[0] if command.arguments else ""
            for text in self.everything()
            for before, command in _pairs(text.commands)
            if command.program == "exit"
            if not (command.before == "||" and before is not None and before.program in ("cd", "pushd"))
        )

    def ending(self) -> str:
        """The last words by which it always ends with 0, such as ``|| true``; empty when it can end otherwise."""
        top = [command for command in self.commands if command.depth == 0]
        if not self.is_complete or self.exits() - {"0"} or self._can_leave_early():
            return ""
        if len(top) == 1:
            return next((found for inner in self.nested() if (found := inner.ending())), "")
        last = top[-1] if top else None
        if last is None or last.before not in ("||", ";", "\n") or not _ENDS_NOTHING.fullmatch(self.text, last.end):
            return ""
        return f"{last.before.strip() or ';'} {last.text}" if last.text in ("true", ":", "exit 0") else ""

    def _can_leave_early(self) -> bool:
        """``exec`` hands the exit status to another program, ``set -e`` ends at the first failure."""
        return any(
            command.program == "exec"
            or (command.program == "set" and any(re.match(r"-\w*e", text) for text in command.arguments))
            for command in self.all_commands()
        )

    def printed(self) -> Iterator[PrintedText]:
        """What ``echo``, ``printf`` and ``cat <<EOF`` print, as far as the text shows it."""
        for text in self.everything():
            for command, following in itertools.pairwise((*text.commands, None)):
                said = _said(command) if command is not None else None
                if command is not None and said is not None:
                    is_piped = following is not None and following.before in ("|", "|&")
                    yield PrintedText(said, "elsewhere" if command.depth or is_piped else _target(command))


def _pairs(commands: Sequence[Invocation]) -> Iterator[tuple[Invocation | None, Invocation]]:
    """Every command with the one before it."""
    return zip((None, *commands), commands, strict=False)


def _said(command: Invocation) -> str | None:
    """What a command prints, with variables as they are written; None: it is not known to print."""
    arguments = [text for text in command.arguments if text != "--"]
    match command.program:
        case "echo":
            return " ".join(text for text in command.arguments if not re.fullmatch(r"-[neE]+", text))
        case "printf" if arguments:
            values = iter(arguments[1:])
            return re.sub(r"%[sbq]", lambda _: next(values, ""), arguments[0])
        case "cat" if not command.arguments and command.input is not None:
            return command.input.text
        case _:
            return None


def _target(command: Invocation) -> Literal["stdout", "stderr", "elsewhere"]:
    outputs = [one for one in command.redirects if one.writes and one.descriptor in ("", "1")]
    if any(output.target.text in ("2", "/dev/stderr") for output in outputs):
        return "stderr"
    return "elsewhere" if outputs else "stdout"


@lru_cache(maxsize=2048)
def read_text(text: str) -> ShellText:
    """The words, variables and commands of a text for a POSIX shell. Never raises."""
    reader = _TextReader()
    try:
        is_complete = reader.read(text, 0)
    except RecursionError:
        return ShellText(text)
    return ShellText(text, tuple(reader.commands), tuple(reader.variables), is_complete and reader.is_complete)


class _TextReader:
    """Walks the tree of a text, and of what is substituted in it."""

    def __init__(self) -> None:
        self.commands: list[Invocation] = []
        self.variables: list[Variable] = []
        self.is_complete = True
        self.tree: Tree
        self.offset = 0
        self.before = ""
        self.depth = 0

    def read(self, text: str, offset: int) -> bool:
        tree = parse(text)
        if tree is None:
            return False
        self.tree, self.offset = tree, offset
        self.nodes(tree.root.children)
        return not tree.root.has_error

    def substitution(self, text: str, offset: int) -> None:
        if self.depth >= _MAX_SUBSTITUTIONS:
            self.is_complete = False
            return
        outer = self.tree, self.offset, self.before
        self.before, self.depth = "(", self.depth + 1
        self.is_complete = self.read(text, offset) and self.is_complete
        self.tree, self.offset, self.before = outer
        self.depth -= 1

    # -------------------------------------------------------------------------------------------------- statements

    def nodes(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.is_named:
                self.node(node)
            elif node.type in _OPERATORS:
                self.before = node.type

    def node(self, node: Node) -> None:
        match node.type:
            case "command" | "declaration_command" | "unset_command" | "variable_assignment" | "variable_assignments":
                self.command(node)
            case "redirected_statement":
                self.redirected(node)
            case "test_command":
                self.test(node)
            case "subshell":
                self.depth += 1
                self.nodes(node.children)
                self.depth -= 1
            case "for_statement":
                body = node.child_by_field_name("body")
                head = [child for child in node.children if child != body and child.type not in (";", "\n")]
                self.add(node, self.raw_words(head, Quoting.NONE))
                self.nodes([body] if body is not None else [])
            case "case_statement":
                self.add(node, self.raw_words(node.children[:3], Quoting.KEPT))
                self.nodes(node.children[3:])
            case "case_item":
                patterns = node.children_by_field_name("value")
                self.raw_words(patterns, Quoting.KEPT)
                self.before = ";"
                self.nodes(child for child in node.children if child not in patterns and child.type not in ("(", "|"))
            case "function_definition":
                body = node.child_by_field_name("body")
                if node.children[0].type == "function":
                    self.add(node, self.raw_words(node.children[:2], Quoting.KEPT))
                self.nodes([body] if body is not None else [])
            case "comment" | "heredoc_body" | "heredoc_start" | "heredoc_end" | "file_descriptor":
                pass
            case "compound_statement" if node.children and node.children[0].type == "((":
                self.raw_words([node], Quoting.KEPT)
            case "word" | "string" | "concatenation" | "simple_expansion" | "expansion" | "command_substitution":
                self.raw_words([node], Quoting.KEPT)
            case _:
                self.nodes(node.children)

    def test(self, node: Node) -> None:
        raw = self.tree.raw(node)
        quoting = Quoting.KEPT if raw.startswith(("[[", "((")) else Quoting.NONE
        start = node.start_byte
        self.add(node, [self.word(part, start + place, quoting) for part, place in rough_places(raw)])

    def command(self, node: Node) -> None:
        is_declaration = node.type in ("declaration_command", "unset_command")
        nodes = [node] if node.type == "variable_assignment" else node.children
        redirects, source = self.redirects(node)
        words: list[ShellWord] = []
        assignments: list[tuple[str, str]] = []
        end = -1
        for child in nodes:
            if child.type in _REDIRECTS:
                continue
            is_assignment = child.type == "variable_assignment"
            word = self.raw_word(child, Quoting.KEPT if is_assignment else Quoting.NONE)
            if is_assignment and (found := _ASSIGNMENT.fullmatch(word.text)):
                assignments.append((found[1], found[2]))
            if words and child.start_byte == end:
                words[-1] = replace(words[-1], text=words[-1].text + word.text, end=word.end)
            elif not is_assignment or is_declaration:
                words.append(word)
            end = child.end_byte
        self.add(node, words, redirects, source, tuple(assignments))

    def add(
        self,
        node: Node,
        words: list[ShellWord],
        redirects: tuple[Redirect, ...] = (),
        source: Input | None = None,
        assignments: tuple[tuple[str, str], ...] = (),
    ) -> None:
        start, end = self.offset + node.start_byte, self.offset + node.end_byte
        given = (*named(words), redirects, assignments, source)
        command = Invocation(*given, start=start, end=end, before=self.before, depth=self.depth)
        self.commands.append(command)
        self.before = "\n"

    # ------------------------------------------------------------------------------------------------ redirections

    def redirected(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        redirects, source = self.redirects(node)
        if body is not None:
            self.node(body)
        if body is None or body.type not in _SIMPLE or not self.commands:
            self.add(node, [], redirects, source)
        else:  # of `a && b > c` only b is redirected
            last = self.commands[-1]
            end = self.offset + node.end_byte
            both = (*last.redirects, *redirects)
            self.commands[-1] = replace(last, redirects=both, input=source or last.input, end=end)
        for redirect in node.children:
            if redirect.type == "heredoc_redirect":  # `cat <<END && ...`: the rest of the line
                self.nodes(child for child in redirect.children if child.type not in _PARTS_OF_HEREDOC)

    def redirects(self, node: Node) -> tuple[tuple[Redirect, ...], Input | None]:
        redirects: list[Redirect] = []
        source: Input | None = None
        for child in node.children:
            match child.type:
                case "file_redirect":
                    redirects += self.file_redirect(child)
                case "herestring_redirect":
                    text = "".join([word.text for word in self.raw_words(child.named_children, Quoting.KEPT)])
                    source = Input(InputKind.TEXT, text)
                    redirects.append(Redirect("<<<", ShellWord(text)))
                case "heredoc_redirect":
                    bodies = [part for part in child.named_children if part.type == "heredoc_body"]
                    source = Input(InputKind.TEXT, "".join(map(self.tree.raw, bodies)).removesuffix("\n"))
                    for part in child.children:
                        redirects += self.file_redirect(part) if part.type == "file_redirect" else ()
                case _:
                    pass
        return tuple(redirects), source

    def file_redirect(self, node: Node) -> Iterator[Redirect]:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        descriptor = next((self.tree.raw(child) for child in node.children if child.type == "file_descriptor"), "")
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        yield from (Redirect(operator, word, descriptor) for word in self.raw_words(targets[:1], Quoting.KEPT))

    # ------------------------------------------------------------------------------------------------------- words

    def raw_words(self, nodes: Iterable[Node], quoting: Quoting) -> list[ShellWord]:
        return [self.raw_word(node, quoting) for node in nodes]

    def raw_word(self, node: Node, quoting: Quoting) -> ShellWord:
        return self.word(self.tree.raw(node), node.start_byte, quoting)

    def word(self, raw: str, start: int, quoting: Quoting) -> ShellWord:
        """A word without its quotes; variables stay in it as they are written."""
        start += self.offset
        text = self.written(raw, start, quoting)
        is_quoted = any(mark in raw for mark in "'\"\\")
        return ShellWord(text, "$" not in text and UNKNOWN not in text, False, is_quoted, start, start + len(raw))

    def written(self, raw: str, start: int, quoting: Quoting) -> str:
        texts: list[str] = []
        for piece in pieces(raw):
            text, place = raw[piece.start : piece.end], start + piece.start
            own = Quoting.DOUBLE if piece.is_quoted else quoting
            if not piece.kind:
                text = piece.text
            elif piece.kind == "$":
                self.variable(piece.text, place, place + len(text), own)
            elif piece.kind == "${":
                if name := _NAME.match(piece.text):
                    operator = piece.text[name.end() :]
                    self.variable(name[0], place, place + len(text), own, operator)
                    inside = own if own is Quoting.DOUBLE else Quoting.KEPT
                    self.written(operator, place + 2 + name.end(), inside)
            elif piece.kind == "$(" and piece.text.startswith("("):
                self.written(piece.text, place + 2, Quoting.KEPT)
            else:
                self.substitution(piece.text, place + len(piece.kind))
                text = UNKNOWN
            texts.append(text)
        return "".join(texts)

    def variable(self, name: str, start: int, end: int, quoting: Quoting, operator: str = "") -> None:
        if _NAME.fullmatch(name):
            self.variables.append(Variable(name, start, end, quoting, operator))
