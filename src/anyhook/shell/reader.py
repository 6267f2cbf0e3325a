"""Read a command line: every program it starts, through variables, substitutions, functions and wrappers.

tree-sitter-bash finds statements and commands; :mod:`words` expands their words; :mod:`collector` follows what a
command starts itself. Nothing is run. Where a line has several ways to go, all of them are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from anyhook.shell.collector import MAX_DEPTH, Collector, TooMuchError
from anyhook.shell.command import Input, InputKind, Invocation, Redirect, ShellScript, ShellWord
from anyhook.shell.grammar import MAX_LENGTH, Node, Tree, parse
from anyhook.shell.holders import evaluates
from anyhook.shell.words import Place, expand_quoted, rough_words, value_text

_MAX_LOOP = 16
_MAX_VALUE = 8_000
"""Characters of a variable; a longer value counts as unknown."""
_MAX_EXPANDED = 500
"""Variables in a here-document; one with more is taken as it is written."""
_SEPARATORS = re.compile(r"[;\n|&(){}]+")
_BRACE_LIST = re.compile(r"(?<![\w$])\{([^{}\s;]+,[^{}\s;]*)\}")
_KEY = re.compile(r"^\[[^\]$`]*\]\+?=")
"""The key of an item of an array: ``([key]=value)``."""
_ITEM = re.compile(r"(\w+)\[(\d{1,3})\]")
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})


def read_script(text: str) -> ShellScript:
    """Every command of a command line, wherever it is. Never raises."""
    reader = _Reader()
    try:
        reader.line(text)
    except TooMuchError:
        reader.reason = reader.reason or "it starts too many commands to read them all"
    except RecursionError:
        reader.reason = "it has too many commands within each other"
    commands, reason = tuple(reader.commands), reader.reason
    return ShellScript(commands, reader.is_complete and not reason, reason != "", reason)


class _Reader(Collector):
    """Walks the trees of one command line and of the lines in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tree: Tree
        self.is_line = False
        """What is read is the line itself, not a text in it, whose places are not places in the line."""
        self.functions: dict[str, tuple[Tree, bool, Node]] = {}
        self.called: set[str] = set()

    # ------------------------------------------------------------------------------------------------------- lines

    def line(self, text: str) -> None:
        """Read a text as a command line of its own, in the present state."""
        if self.is_too_deep():
            return
        tree = parse(text)
        if tree is None:
            is_long = len(text) > MAX_LENGTH
            self.reason = f"it has more than {MAX_LENGTH:,} characters" if is_long else "it is too much to be parsed"
            raise TooMuchError
        self.spend(10 + tree.work)
        outer = (self.tree, self.is_line) if self.depth else (tree, True)
        self.tree, self.is_line, self.depth = tree, self.depth == 0, self.depth + 1
        self.statements(tree.root.named_children)
        if tree.root.has_error:
            self.broken(text)
        self.uncalled_functions()
        (self.tree, self.is_line), self.depth = outer, self.depth - 1

    def broken(self, text: str) -> None:
        """A line that the grammar cannot read: look at each part between separators as a simple command."""
        self.is_complete = False
        text = _BRACE_LIST.sub(lambda match: match[1].replace(",", " "), text)
        for part in _SEPARATORS.split(text):
            words = self.expanded(rough_words(part))
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
        self.spend(2)
        self.note_place(node)
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
            case "test_command":
                self.test(node)
            case "word" | "string" | "concatenation" | "command_substitution" | "process_substitution":
                self.expanded([self.raw(node)])
            case "case_item":
                self.statements(child for child in node.named_children if child.type != "word")
            case _:
                self.statements(node.named_children)

    def test(self, node: Node) -> None:
        """``[ ... ]`` and ``[[ ... ]]``. Some of their operators evaluate a text that is quoted."""
        raw = self.raw(node)
        self.expanded([raw])
        if "'" in raw and evaluates("test", [raw]):
            self.expanded([raw.replace("'", "")])

    def pipeline(self, nodes: Iterable[Node], redirects: tuple[Redirect, ...] = ()) -> None:
        parts = [node for node in nodes if node.type != "comment"]
        values, folder, source = self.values, self.folder, self.input
        for number, node in enumerate(parts, 1):  # each in a subshell of its own
            self.values, self.folder, start = dict(values), folder, len(self.commands)
            self.body(node, redirects if number == len(parts) else ())
            self.input = self.output_of(self.commands[start:])
        self.values, self.folder, self.input = values, folder, source

    def redirected(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        redirects, source = self.redirects(node)
        while body is not None and body.type == "list":  # of `a && b <<END | c` only b is redirected and piped
            self.statements(body.named_children[:-1])
            body = body.named_children[-1]
        start = len(self.commands)
        with self.reading(source):
            self.body(body, redirects)
        self.note_written(redirects, self.commands[start:])
        self.after_heredoc(node, self.commands[start:])

    def body(self, node: Node | None, redirects: tuple[Redirect, ...]) -> None:
        """What is redirected."""
        if node is None:
            self.append((), redirects)  # `> file` alone empties it
        elif node.type == "command":
            self.command(node, redirects)
        elif node.type == "pipeline":
            self.pipeline(node.named_children, redirects)
        else:
            self.statement(node)
            if redirects:
                self.append((ShellWord("{"),), redirects)

    def redirects(self, node: Node) -> tuple[tuple[Redirect, ...], Input | None]:
        redirects: list[Redirect] = []
        source: Input | None = None
        start = len(self.commands)
        for child in node.children:
            kind = child.type
            if kind not in _REDIRECTS:
                continue
            if kind == "file_redirect":
                redirects += self.file_redirect(child)
            elif kind == "herestring_redirect":
                source = Input(InputKind.TEXT, self.text_of(child.named_children))
            else:
                source = Input(InputKind.TEXT, self.heredoc(child))
                redirects += [
                    one for part in child.children if part.type == "file_redirect" for one in self.file_redirect(part)
                ]
        for redirect in redirects:
            if redirect.operator == "<" and redirect.target.text.startswith("<("):
                source = self.output_of(self.commands[start:])
            elif redirect.operator == "<" and source is None:
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
        if body is not None and (
            first := next((one for one in node.named_children if self.raw(one)[:1] == "\n"), None)
        ):
            # The grammar takes a first line that begins with a backslash for the end of the line before it.
            text = self.tree.text[first.start_byte + 1 : body.end_byte]
        if start is None or self.raw(start)[:1] in ("'", '"', "\\"):
            return text
        runs_commands = "$(" in text or "`" in text
        return expand_quoted(text, self) if runs_commands or text.count("$") <= _MAX_EXPANDED else text

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
            self.functions[self.raw(name)] = (self.tree, self.is_line, body)
            self.called.discard(self.raw(name))

    def call(self, name: str, arguments: Sequence[ShellWord]) -> bool:
        """Read the body of a function with its arguments; a function that calls itself is read once."""
        if name not in self.functions:
            return False
        tree, is_line, body = self.functions[name]
        if name in self.called and self.depth >= MAX_DEPTH:
            return True
        self.called.add(name)
        outer, outer_values = (self.tree, self.is_line, self.place), dict(self.values)
        definition = self.functions.pop(name)
        self.tree, self.is_line = tree, is_line
        for number in range(1, 10):
            self.values[str(number)] = (arguments[number - 1],) if number <= len(arguments) else None
        self.values["@"] = self.values["*"] = tuple(arguments) or None
        self.depth += 1
        self.statement(body)
        self.depth -= 1
        (self.tree, self.is_line, self.place), self.values = outer, outer_values
        self.functions[name] = definition
        return True

    # ------------------------------------------------------------------------------------------------- assignments

    def assignments(self, node: Node) -> None:
        for child in [node] if node.type == "variable_assignment" else node.named_children:
            if (pair := self.assigned(child)) is not None:
                self.values[pair[0]] = pair[1]
        # `X=1` alone is a command without words: guards may ask about the variable.
        pairs = tuple([(name, value_text(self.values.get(name))) for name in self.names(node)])
        self.append((), assignments=pairs)
        self.variables(pairs)

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
            words = self.expanded(_KEY.sub("", self.raw(item)) for item in value.named_children)
        else:
            words = self.expanded([self.raw(value)])
        if (item := _ITEM.fullmatch(name)) is not None:  # cmd[1]=-rf
            name, items = item[1], list(self.values.get(item[1]) or ())
            items[int(item[2]) :] = [*words, *items[int(item[2]) + 1 :]]
            words = items
        added = any(child.type == "+=" for child in node.children)
        if added and value.type != "array":
            words = [ShellWord(value_text(self.values.get(name)) + value_text(tuple(words)))]
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
                    words.append(ShellWord(f"{pair[0]}={value_text(pair[1])}"))
            else:
                words += self.expanded([self.raw(child)])
        command = self.append(words)
        self.variables([(name, value) for name, _, value in (text.partition("=") for text in command.arguments)])
        self.evaluate(command)

    # ---------------------------------------------------------------------------------------------------- commands

    def command(self, node: Node, redirects: tuple[Redirect, ...] = ()) -> None:
        self.note_place(node)
        raw_words: list[str] = []
        places: list[Place] = []
        pairs: list[tuple[str, str]] = []
        children = node.children
        kinds = [child.type for child in children]
        own, source = self.redirects(node) if not _REDIRECTS.isdisjoint(kinds) else ((), None)
        end = -1
        for child, kind in zip(children, kinds, strict=True):
            if kind in _REDIRECTS:
                continue
            start, before, end = child.start_byte, end, child.end_byte
            if kind == "variable_assignment":
                if (pair := self.assigned(child)) is not None:
                    pairs.append((pair[0], value_text(pair[1])))
            elif raw_words and start == before:  # the grammar splits some words: `${IFS}$HOME/`
                raw_words[-1] += self.tree.text[start:end]
                places[-1] = (places[-1][0], end)
            elif child.is_named:
                raw_words.append(self.tree.text[start:end])
                places.append((start, end))
        outer, self.input = self.input, source if source is not None else self.input
        words = self.expanded(raw_words, places if self.is_line else ())
        self.add(words, (*redirects, *own), tuple(pairs))
        self.input = outer

    # ------------------------------------------------------------------------------------------------------- words

    def text_of(self, nodes: Iterable[Node]) -> str:
        return " ".join([word.text for word in self.expanded(self.raw(node) for node in nodes)])

    def note_place(self, node: Node) -> None:
        if self.is_line:
            self.place = node.start_byte, node.end_byte

    def raw(self, node: Node) -> str:
        return self.tree.raw(node)
