"""Read a command line: every program it starts, through variables, substitutions, functions and wrappers.

tree-sitter-bash finds statements and commands; :mod:`words` expands their words; :mod:`wrappers` tells what a command
starts itself. Nothing is run. Where a line has several ways to go, all of them are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from anyhook.shell.command import (
    Input,
    InputKind,
    Invocation,
    Redirect,
    ShellScript,
    ShellWord,
    command_of,
    program_name,
)
from anyhook.shell.one_liners import lines_in_code
from anyhook.shell.outputs import known_output
from anyhook.shell.paths import join
from anyhook.shell.words import expand
from anyhook.shell.wrappers import Started, is_interpreter, is_shell, started_by

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_LENGTH = 64_000
"""Characters; a longer line is not read, and is incomplete."""
MAX_COMMANDS = 2_000
MAX_DEPTH = 12
"""Lines within lines, functions and substitutions."""
_MAX_LOOP = 16
_MAX_VALUE = 8_000
"""Characters of a variable; a longer value counts as unknown."""
_MAX_SOURCES = 64
"""Commands of a pipeline that the last one knows of."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_SEPARATORS = re.compile(r"[;\n|&(){}]+")
_BRACE_LIST = re.compile(r"(?<![\w$])\{([^{}\s;]+,[^{}\s;]*)\}")
_UNSET = re.compile(r"\$\{\w+\}(?=\w)|(?<=\w)\$\{\w+\}")
_FOLDED = re.compile(r"\\\r?\n")


def read_script(text: str) -> ShellScript:
    """Every command of a command line, wherever it is. Never raises."""
    if len(text) > MAX_LENGTH:
        return ShellScript(is_complete=False, is_truncated=True)
    reader = _Reader()
    try:
        reader.line(text)
    except RecursionError:
        reader.is_truncated = True
    return ShellScript(tuple(reader.commands), reader.is_complete and not reader.is_truncated, reader.is_truncated)


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    """Walks the trees of one command line and of the lines in it, and collects commands."""

    def __init__(self) -> None:
        self.commands: list[Invocation] = []
        self.is_complete = True
        self.is_truncated = False
        self.values: dict[str, tuple[ShellWord, ...] | None] = {}
        self.functions: dict[str, tuple[str, Node]] = {}
        self.aliases: dict[str, str] = {}
        self.called: set[str] = set()
        self.folder: str | None = "."
        self.text = ""
        self.depth = 0
        self.input: Input | None = None
        self.wrapped_by: tuple[str, ...] = ()
        self.written: dict[str, str] = {}
        """Files that the line itself writes, with their text: ``cat > x.sh <<END; bash x.sh``."""

    # ------------------------------------------------------------------------------------------------------- lines

    def line(self, text: str) -> None:
        """Read a text as a command line of its own, in the present state."""
        if self.depth >= MAX_DEPTH or len(self.commands) >= MAX_COMMANDS:
            self.is_truncated = True
            return
        outer, self.text, self.depth = self.text, _FOLDED.sub("", text), self.depth + 1
        # The grammar's scanner calls isdigit() on any character, which reads outside of its table and can crash. With
        # plain letters in place of others no byte is more than 127, and a place in the bytes is a place in the text.
        root = _parser().parse(_NOT_ASCII.sub("x", self.text).encode("ascii")).root_node
        self.statements(root.named_children)
        if root.has_error:
            self.broken(self.text)
        self.uncalled_functions()
        self.text, self.depth = outer, self.depth - 1

    def broken(self, text: str) -> None:
        """A line that the grammar cannot read: look at each part between separators as a simple command."""
        self.is_complete = False
        text = _BRACE_LIST.sub(lambda match: match[1].replace(",", " "), text)
        for part in _SEPARATORS.split(text):
            words = self.expanded(_rough_words(part))
            while words and re.fullmatch(r"[A-Za-z_]\w*=.*|then|do|else|if|while|!|time", words[0].text, re.DOTALL):
                words = words[1:]
            if words:
                self.add(words, ())

    def uncalled_functions(self) -> None:
        for name in [name for name in self.functions if name not in self.called]:
            self.call(name, ())

    # -------------------------------------------------------------------------------------------------- statements

    def statements(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: Node) -> None:
        match node.type:
            case "command":
                self.command(node)
            case "pipeline":
                self.pipeline(node.named_children)
            case "redirected_statement":
                self.redirected(node)
            case "variable_assignment" | "variable_assignments":
                self.assignments(node)
            case "declaration_command" | "unset_command":
                self.declaration(node)
            case "subshell":
                with self.separate():
                    self.statements(node.named_children)
            case "for_statement":
                self.loop(node)
            case "function_definition":
                self.function(node)
            case "comment" | "heredoc_body" | "heredoc_start" | "heredoc_end":
                pass
            case "test_command" | "word" | "string" | "concatenation" | "command_substitution" | "process_substitution":
                self.expanded([self.raw(node)])
            case "case_item":
                self.statements(child for child in node.named_children if child.type != "word")
            case _:
                self.statements(node.named_children)

    @contextmanager
    def separate(self) -> Iterator[None]:
        """A subshell: folder and variables are its own."""
        values, folder = dict(self.values), self.folder
        yield
        self.values, self.folder = values, folder

    @contextmanager
    def reading(self, source: Input | None) -> Iterator[None]:
        outer = self.input
        if source is not None:
            self.input = source
        yield
        self.input = outer

    def pipeline(self, nodes: Iterable[Node], redirects: tuple[Redirect, ...] = ()) -> None:
        source: Input | None = None
        parts = [node for node in nodes if node.type != "comment"]
        for number, node in enumerate(parts, 1):
            start = len(self.commands)
            with self.separate(), self.reading(source):
                self.body(node, redirects if number == len(parts) else ())
            source = self.output_of(self.commands[start:])

    def output_of(self, commands: list[Invocation]) -> Input:
        """What a part of a pipeline hands to the next one."""
        text: str | None = ""
        for command in commands:
            given = command.input.text if command.input is not None else None
            output = known_output(command, given)
            text = None if text is None or output is None else text + output
        earlier = commands[0].input.sources if commands and commands[0].input is not None else ()
        return Input(InputKind.PIPE, text if commands else None, (*earlier, *commands)[-_MAX_SOURCES:])

    def redirected(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        redirects, source = self.redirects(node)
        start = len(self.commands)
        with self.reading(source):
            self.body(body, redirects)
        self.note_written(redirects, self.commands[start:])
        self.after_heredoc(node, self.commands[start:])

    def body(self, node: Node | None, redirects: tuple[Redirect, ...]) -> None:
        """What is redirected. The grammar redirects all of ``a && b > c``, the shell only the last command."""
        if node is None:
            self.append((), redirects)  # `> file` alone empties it
        elif node.type == "command":
            self.command(node, redirects)
        elif node.type == "list":
            self.statements(node.named_children[:-1])
            self.body(node.named_children[-1], redirects)
        elif node.type == "pipeline":
            self.pipeline(node.named_children, redirects)
        else:
            self.statement(node)
            if redirects:
                self.append((ShellWord("{"),), redirects)

    def redirects(self, node: Node) -> tuple[tuple[Redirect, ...], Input | None]:
        redirects: list[Redirect] = []
        source: Input | None = None
        for child in node.children:
            if child.type == "file_redirect":
                redirects += self.file_redirect(child)
            elif child.type == "herestring_redirect":
                source = Input(InputKind.TEXT, self.text_of(child.named_children))
            elif child.type == "heredoc_redirect":
                source = Input(InputKind.TEXT, self.heredoc(child))
                redirects += [
                    one for part in child.children if part.type == "file_redirect" for one in self.file_redirect(part)
                ]
        for redirect in redirects:
            if redirect.operator == "<" and source is None:
                source = Input(InputKind.FILE, self.written.get(redirect.target.text), file=redirect.target.text)
        return tuple(redirects), source

    def file_redirect(self, node: Node) -> list[Redirect]:
        operator = next((child.type for child in node.children if not child.is_named), ">")
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        if operator in (">&", "<&") and targets and self.raw(targets[0]).isdecimal():
            return []
        if self.raw(node).endswith("-"):
            return []
        return [Redirect(operator, word) for word in self.expanded(self.raw(target) for target in targets[:1])]

    def heredoc(self, node: Node) -> str:
        """The text of a here-document; what is written after ``<<END`` in its first line is read by the caller."""
        body = next((child for child in node.named_children if child.type == "heredoc_body"), None)
        start = next((child for child in node.named_children if child.type == "heredoc_start"), None)
        text = self.raw(body) if body is not None else ""
        if start is not None and self.raw(start)[:1] not in ("'", '"', "\\"):
            text = "".join([word.text for word in self.expanded(['"' + text.replace('"', '\\"') + '"'])])
        return text

    def after_heredoc(self, node: Node, commands: list[Invocation]) -> None:
        """``cat <<END | bash`` and ``cat <<END && bash x``: the rest of the line is inside the redirection's node."""
        for redirect in node.children:
            if redirect.type != "heredoc_redirect":
                continue
            for child in redirect.named_children:
                if child.type == "pipeline":
                    source: Input | None = self.output_of(commands)
                    for part in child.named_children:
                        start = len(self.commands)
                        with self.reading(source):
                            self.statement(part)
                        source = self.output_of(self.commands[start:])
                elif child.type not in (
                    "heredoc_start",
                    "heredoc_body",
                    "heredoc_end",
                    "file_redirect",
                    "file_descriptor",
                ):
                    self.statement(child) if child.type not in ("word", "string", "concatenation") else None

    def note_written(self, redirects: tuple[Redirect, ...], commands: list[Invocation]) -> None:
        for redirect in redirects:
            if redirect.writes and commands:
                text = self.output_of(commands).text
                if text is not None:
                    self.written[redirect.target.text] = text

    def loop(self, node: Node) -> None:
        variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        values = self.expanded(self.raw(value) for value in node.children_by_field_name("value"))
        if variable is None or body is None:
            self.statements(node.named_children)
            return
        name = self.raw(variable)
        if not values or len(values) > _MAX_LOOP or not all(value.is_known for value in values):
            self.values[name] = tuple(values[:1]) if len(values) == 1 else None
            self.statement(body)
            return
        for value in values:
            self.values[name] = (value,)
            self.statement(body)

    def function(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.raw(name)] = (self.text, body)
            self.called.discard(self.raw(name))

    def call(self, name: str, arguments: tuple[ShellWord, ...]) -> None:
        """Read the body of a function with its arguments; a function that calls itself is read once."""
        text, body = self.functions[name]
        if name in self.called and self.depth >= MAX_DEPTH:
            return
        self.called.add(name)
        outer_text, outer_values = self.text, dict(self.values)
        definition = self.functions.pop(name)
        self.text = text
        for number in range(1, 10):
            self.values[str(number)] = (arguments[number - 1],) if number <= len(arguments) else None
        self.values["@"] = self.values["*"] = arguments or None
        self.depth += 1
        self.statement(body)
        self.depth -= 1
        self.text, self.values = outer_text, outer_values
        self.functions[name] = definition

    # ------------------------------------------------------------------------------------------------- assignments

    def assignments(self, node: Node) -> None:
        for child in [node] if node.type == "variable_assignment" else node.named_children:
            if (pair := self.assigned(child)) is not None:
                self.values[pair[0]] = pair[1]
        # `X=1` alone is a command without words: guards may ask about the variable.
        pairs = tuple([(name, _text(self.values.get(name))) for name in self.names(node)])
        self.append((), assignments=pairs)

    def names(self, node: Node) -> list[str]:
        nodes = [node] if node.type == "variable_assignment" else node.named_children
        targets = [child.child_by_field_name("name") for child in nodes]
        return [self.raw(target) for target in targets if target is not None]

    def assigned(self, node: Node) -> tuple[str, tuple[ShellWord, ...] | None] | None:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return None
        name = self.raw(target)
        if "$(" in name or "`" in name:  # a subscript that substitutes
            self.expanded([name])
        if value is None:
            return name, (ShellWord(""),)
        if value.type == "array":
            words = self.expanded(self.raw(item) for item in value.named_children)
        else:
            words = self.expanded([self.raw(value)])
        added = any(child.type == "+=" for child in node.children)
        if added and value.type != "array":
            words = [ShellWord(_text(self.values.get(name)) + _text(tuple(words)))]
        elif added:
            words = [*(self.values.get(name) or ()), *words]
        if sum(len(word.text) for word in words) > _MAX_VALUE:
            return name, None  # `a=$a$a` again and again
        return name, tuple(words) or (ShellWord(""),)

    def declaration(self, node: Node) -> None:
        words = [ShellWord(self.raw(node.children[0]))]
        for child in node.named_children:
            if child.type == "variable_assignment":
                if (pair := self.assigned(child)) is not None:
                    self.values[pair[0]] = pair[1]
                    words.append(ShellWord(f"{pair[0]}={_text(pair[1])}"))
            else:
                words += self.expanded([self.raw(child)])
        self.append(words)

    # ---------------------------------------------------------------------------------------------------- commands

    def command(self, node: Node, redirects: tuple[Redirect, ...] = ()) -> None:
        raw_words: list[str] = []
        pairs: list[tuple[str, str]] = []
        own, source = self.redirects(node)
        end = -1
        for child in node.children:
            if child.type == "variable_assignment":
                if (pair := self.assigned(child)) is not None:
                    pairs.append((pair[0], _text(pair[1])))
            elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                continue
            elif raw_words and child.start_byte == end:  # the grammar splits some words: `${IFS}$HOME/`
                raw_words[-1] += self.raw(child)
            elif child.is_named:
                raw_words.append(self.raw(child))
            end = child.end_byte
        with self.reading(source):
            self.add(self.expanded(raw_words), (*redirects, *own), tuple(pairs))

    def add(
        self,
        words: list[ShellWord],
        redirects: tuple[Redirect, ...],
        assignments: tuple[tuple[str, str], ...] = (),
        *,
        has_more_arguments: bool = False,
    ) -> None:
        """Add a command, and whatever it starts itself."""
        if len(self.commands) >= MAX_COMMANDS:
            self.is_truncated = True
            return
        if words and not words[0].is_known and (name := _UNSET.sub("", words[0].text)) and name != words[0].text:
            words = [ShellWord(name), *words[1:]]  # an unset variable within a name hides it
        if words and (alias := self.aliases.get(words[0].text)) is not None:
            words = [*self.expanded(_rough_words(alias)), *words[1:]]
        command = self.append(words, redirects, assignments, has_more_arguments=has_more_arguments)
        if not words:
            return
        if words[0].text in self.functions and self.depth < MAX_DEPTH:
            self.call(words[0].text, tuple(words[1:]))
            return
        self.apply(command)
        self.unwrap(command)

    def append(
        self,
        words: Sequence[ShellWord],
        redirects: tuple[Redirect, ...] = (),
        assignments: tuple[tuple[str, str], ...] = (),
        *,
        has_more_arguments: bool = False,
    ) -> Invocation:
        name = program_name(words[0].text) if words else ""
        arguments = tuple([word.text for word in words[1:]])
        files = tuple([self.written[text] for text in arguments if text in self.written]) if self.written else ()
        state = (self.input if words else None, self.folder, self.wrapped_by, has_more_arguments, files)
        command = Invocation(tuple(words), name, arguments, redirects, assignments, *state)
        self.commands.append(command)
        return command

    def apply(self, command: Invocation) -> None:
        """What a builtin changes for the commands after it."""
        name, arguments = command.name, command.words[1:]
        if name in ("cd", "pushd", "chdir", "set-location", "sl"):
            target = next(
                (word for word in arguments if not re.fullmatch(r"-[LPe@]+|--|/d", word.text)), ShellWord("~")
            )
            self.folder = None if target.text == "-" else join(self.folder, target.text)
        elif name == "alias":
            for word in arguments:
                alias, equals, value = word.text.partition("=")
                if equals:
                    self.aliases[alias] = value
        elif name in ("read", "mapfile", "readarray", "getopts"):
            for word in arguments:
                self.values[word.text] = None
        elif name == "set" and len(arguments) > 1 and arguments[0].text == "--":
            for number, word in enumerate(arguments[1:], 1):
                self.values[str(number)] = (word,)
            self.values["@"] = tuple(arguments[1:])
        elif name == "printf" and len(arguments) > 2 and arguments[0].text == "-v":
            text = known_output(command_of((command.words[0], *arguments[2:])), None)
            self.values[arguments[1].text] = None if text is None else (ShellWord(text),)

    def unwrap(self, command: Invocation) -> None:
        if self.depth >= MAX_DEPTH:
            self.is_truncated = True
            return
        for started in started_by(self.with_input(command)):
            self.start(command, started)
        if (
            is_shell(command.name)
            or command.name in ("source", ".", "at", "batch", "su", "ssh")
            or (command.name in ("sudo", "doas") and re.search(r"(?:^| )-[a-zA-Z]*[si]\b", " ".join(command.arguments)))
        ):
            self.script_of(command)
        elif text := self.written.get(command.words[0].text.removeprefix("./")) or self.written.get(
            command.words[0].text
        ):
            self.start(command, Started(line=text))
        if is_interpreter(command.name) or command.name in (
            "awk",
            "gawk",
            "mawk",
            "nawk",
            "sed",
            "gsed",
            "vim",
            "ed",
            "make",
        ):
            for line in lines_in_code(command):
                self.start(command, Started(line=line))

    def with_input(self, command: Invocation) -> tuple[ShellWord, ...]:
        """The words of ``xargs -I X``, with what is read in the place of X if it is known."""
        text = command.input.text if command.input is not None else None
        if command.name not in ("xargs", "gxargs") or not text:
            return command.words
        mark = _xargs_mark(command.arguments)
        if not mark:
            return command.words
        first = text.strip().split("\n")[0]
        start = next((number for number, word in enumerate(command.words) if number and word.text == mark), 0) + 1
        words = [
            word if number < start else ShellWord(word.text.replace(mark, first))
            for number, word in enumerate(command.words)
        ]
        return tuple(words)

    def start(self, command: Invocation, started: Started) -> None:
        wrapped_by, folder, input_ = self.wrapped_by, self.folder, self.input
        self.wrapped_by = (*wrapped_by, command.name)
        if started.folder is not None:
            self.folder = join(folder, started.folder)
        if started.is_isolated:
            self.folder = None
        self.depth += 1
        if started.line is not None:
            with self.separate():
                self.line(started.line)
        else:
            more = started.adds_arguments or command.has_more_arguments
            self.add(list(started.words), (), started.assignments, has_more_arguments=more)
        self.depth -= 1
        self.wrapped_by, self.folder, self.input = wrapped_by, folder, input_

    def script_of(self, command: Invocation) -> None:
        """A shell that reads its script from a pipe, a here-document or a file which the line itself wrote."""
        operands = [word.text for word in command.words[1:] if not word.text.startswith(("-", "+"))]
        if command.name in ("ssh", "sudo", "doas", "su"):
            operands = []
        text = self.written.get(operands[0]) if operands else None
        reads_input = not operands or "-s" in command.arguments or operands[0] in ("/dev/stdin", "-")
        if text is None and reads_input and command.input is not None:
            text = command.input.text
        if text:
            self.start(command, Started(line=text))

    # ------------------------------------------------------------------------------------------------------- words

    def expanded(self, raw_words: Iterable[str]) -> list[ShellWord]:
        words: list[ShellWord] = []
        for raw in raw_words:
            words += expand(raw, self.values, self.substitute)
        return words

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

    def text_of(self, nodes: Iterable[Node]) -> str:
        return " ".join([word.text for word in self.expanded(self.raw(node) for node in nodes)])

    def raw(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]


def _xargs_mark(arguments: Sequence[str]) -> str:
    for number, argument in enumerate(arguments):
        if argument in ("-I", "--replace") and number + 1 < len(arguments):
            return arguments[number + 1]
        if argument.startswith("-I") and len(argument) > len("-I"):
            return argument[2:]
        if argument.startswith("--replace="):
            return argument.partition("=")[2]
    return ""


def _text(words: tuple[ShellWord, ...] | None) -> str:
    return " ".join([word.text for word in words]) if words else ""


_ROUGH = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?)+""", re.DOTALL)


def _rough_words(text: str) -> list[str]:
    """Words by quotes and white space alone."""
    return _ROUGH.findall(text)
