"""The simple commands in a shell command line, found with tree-sitter-bash.

What counts as clear is what Claude Code 2.1.325 can read, for its ``if`` rules are the ones that ask. "Recorded" below
means: that client was given some 500 command lines, and did so. ``sudo``, ``timeout`` and ``bash -c`` are commands like
any other: what they start is not looked into, but for a bare ``xargs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from anyhook.shell.command import Invocation, ShellScript, ShellWord, command_of
from anyhook.shell.grammar import Node, Tree, parse

MAX_COMMAND_LENGTH = 10_000
"""Characters; a longer command line is not read (recorded: 9,995 are, 10,001 are not)."""

_UNUSUAL = re.compile(r"[^\S \t\n]|[\x00-\x08\x0e-\x1f\x7f]|\S\\\n\S")
"""White space that is no separator, control characters, a word that goes on in the next line."""
_SEQUENCES = frozenset(
    {"list", "pipeline", "negated_command", "if_statement", "elif_clause", "else_clause", "while_statement", "do_group"}
)
_COMPOUND = frozenset({"subshell", "if_statement", "while_statement", "for_statement"})
_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}")
_ONE_WORD = re.compile(r"[\w./:@%+,=$-]+")
"""A value that stays one word and itself when it is used without quotes."""
# fmt: off
_AMBIENT = frozenset({
    "?", "$", "!", "#", "-", "USER", "PATH", "SHELL", "TMPDIR", "PWD", "OLDPWD", "LOGNAME", "HOSTNAME", "UID", "EUID",
    "PPID", "RANDOM", "SECONDS", "LINENO", "BASH_VERSION", "SHLVL", "IFS", "BASHPID",
})
"""Variables that are harmless in the middle of a quoted text, such as ``echo "exit status: $?"``."""
_TAKES_CODE = frozenset({
    ".", "alias", "awk", "bash", "command", "env", "eval", "exec", "find", "getopts", "let", "mapfile", "nice", "node",
    "nohup", "perl", "powershell", "printf", "python", "python3", "read", "readarray", "ruby", "sh", "source", "sudo",
    "test", "time", "timeout", "trap", "xargs", "zsh",
})
"""Commands of which an argument can be a command, code, or the name of a variable to set."""
# fmt: on
_SETS_VARIABLES = frozenset({"getopts", "mapfile", "printf", "read", "readarray", "unset"})
_RESERVED = frozenset({"then", "fi", "do", "done", "elif", "else", "esac", "}"})
"""Words that are no commands; the grammar takes them for some where they are out of place."""


UNREADABLE = ShellScript(is_complete=False)
"""It is no shell, or it could start more than the client finds."""


class _UnclearError(Exception):
    """The client cannot tell what the line would start."""


@lru_cache(maxsize=64)  # several hooks ask about the same call
def read_command_line(text: str) -> ShellScript:
    """Every simple command of a command line, wherever it is, if the client can tell. Never raises.

    Words are without quotes; redirections and leading assignments are left out.
    """
    if len(text) > MAX_COMMAND_LENGTH or _UNUSUAL.search(text):
        return UNREADABLE
    tree = parse(text, is_mended=False)
    if tree is None or tree.root.has_error:
        return UNREADABLE
    reader = _ShellReader(tree)
    try:
        reader.sequence(tree.root.named_children)
    except (RecursionError, _UnclearError):
        return UNREADABLE
    is_clear = reader.is_plain or not reader.has_bare_variable
    return ShellScript(tuple(reader.commands)) if is_clear else UNREADABLE


class _ShellReader:
    """Walks the tree of one command line and collects its commands."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.commands: list[Invocation] = []
        self.is_plain = True
        """So far there is a single command, with nothing around it and nothing in single quotes."""
        self.has_bare_variable = False
        """``echo $X``: fine for a plain command, of which the name is known; elsewhere it could be anything."""
        self.values: dict[str, str | None] = {}
        """Variables that the line sets; None: it cannot be told to what."""

    # -------------------------------------------------------------------------------------------------- statements

    def sequence(self, nodes: Iterable[Node], certain: bool = True) -> None:
        statements = [node for node in nodes if node.type != "comment"]
        if len(statements) > 1:
            self.is_plain = False
        for node in statements:
            self.statement(node, certain)

    def statement(self, node: Node, certain: bool = False) -> None:
        """One statement; ``certain`` when it is known to run before whatever follows it."""
        if node.type == "command":
            self.command(node)
        else:
            self.is_plain = False
            self.compound(node, certain)

    def compound(self, node: Node, certain: bool) -> None:
        match node.type:
            case "list":
                left, *rest = node.named_children
                self.statement(left, certain)
                self.sequence(rest, certain=False)
            case kind if kind in _SEQUENCES:
                self.sequence(node.named_children, certain=False)
            case "subshell":
                self.subshell(node)
            case "for_statement":
                self.loop(node)
            case "redirected_statement":
                self.redirected(node, certain)
            case "variable_assignment":
                self.assignment(node, certain)
            case "declaration_command" | "unset_command":
                self.declaration(node, certain)
            case "test_command":
                self.test(node)
            case _:
                # Recorded: groups in braces, functions, case, select, (( )) and <( ) make every hook run.
                raise _UnclearError

    def subshell(self, node: Node) -> None:
        outside = dict(self.values)
        self.sequence(node.named_children)
        self.values = outside
        if sum(child.type != "comment" for child in node.named_children) > 1:
            raise _UnclearError  # recorded: (a && b) is read, (a; b) makes every hook run

    def loop(self, node: Node) -> None:
        if node.children and node.children[0].type == "select":
            raise _UnclearError
        if (variable := node.child_by_field_name("variable")) is not None:
            self.values[self.raw(variable)] = None
        for value in node.children_by_field_name("value"):
            self.word(value)
        if (body := node.child_by_field_name("body")) is not None:
            self.statement(body)

    def redirected(self, node: Node, certain: bool) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            if body.type in _COMPOUND:
                raise _UnclearError
            self.statement(body, certain)
        for redirect in node.children_by_field_name("redirect"):
            self.redirect(redirect)

    def redirect(self, node: Node) -> None:
        if node.type == "heredoc_redirect":
            if not self.is_literal_heredoc(node):
                raise _UnclearError
            return
        targets = [child for child in node.named_children if child.type != "file_descriptor"]
        if len(targets) > 1 or not all(self.word(target).is_known for target in targets):
            raise _UnclearError

    def is_literal_heredoc(self, node: Node) -> bool:
        """``<<'END'`` and nothing else in its line: text in which nothing is expanded."""
        kinds = [child.type for child in node.named_children]
        return kinds[:1] == ["heredoc_start"] and (
            self.raw(node.named_children[0])[0] in "'\"\\" and set(kinds[1:]) <= {"heredoc_body", "heredoc_end"}
        )

    # ---------------------------------------------------------------------------------------------------- commands

    def command(self, node: Node) -> None:
        words: list[ShellWord] = []
        for child in node.children:
            if child.type == "variable_assignment":
                self.is_plain = False
                self.assigned(child)
            elif child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
                self.is_plain = False
                self.redirect(child)
            elif child.type == "command_name":
                words.append(self.word(child.named_children[0]) if child.named_children else ShellWord(self.raw(child)))
            elif child.is_named:
                words.append(self.word(child))
            else:
                raise _UnclearError  # the $ of $"text", or a lonely one
        if words:
            self.add(words)

    def add(self, words: list[ShellWord]) -> None:
        name, *arguments = words
        if not name.is_known or name.text in _RESERVED:
            raise _UnclearError
        if name.text in _TAKES_CODE:
            self.is_plain = False
        if name.text in _SETS_VARIABLES:
            self.values = dict.fromkeys(self.values)
        self.commands.append(command_of(words))
        if name.text == "xargs" and arguments and not arguments[0].text.startswith("-"):
            self.add(arguments)

    def declaration(self, node: Node, certain: bool) -> None:
        words = [ShellWord(self.raw(node.children[0]))]
        for child in node.named_children:
            if child.type == "variable_assignment":
                self.assignment(child, certain and words[0].text != "local")
                words.append(ShellWord(self.raw(child)))
            else:
                words.append(self.word(child))
        self.add(words)

    def test(self, node: Node) -> None:
        """``[ ... ]`` and ``[[ ... ]]``; recorded: rules see both as ``[[``."""
        self.tested(node)
        self.commands.append(command_of([ShellWord(text) for text in ("[[", *self.raw(node).strip("[] \t\n").split())]))

    def tested(self, node: Node) -> None:
        for child in node.named_children:
            if child.type.endswith("_expression"):
                self.tested(child)
            elif child.type not in ("test_operator", "extglob_pattern", "regex"):
                self.word(child)

    def assignment(self, node: Node, certain: bool) -> None:
        """``X=value`` as a statement of its own, which later commands see."""
        name, value = self.assigned(node)
        if name in ("PATH", "IFS"):
            raise _UnclearError  # it changes what every other word means
        is_first = name not in self.values
        self.values[name] = value if certain and is_first else None

    def assigned(self, node: Node) -> tuple[str, str | None]:
        """The name and, if it is known, the value of an assignment."""
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None or target.type != "variable_name":
            raise _UnclearError
        name = self.raw(target)
        if value is None:
            return name, None
        if self.raw(value).startswith("~"):
            raise _UnclearError
        word = self.word(value)
        if not word.is_known and value.type == "string":
            raise _UnclearError  # recorded: x=$(date) is read, x="$(date)" makes every hook run
        is_plain = any(child.type == "=" for child in node.children)  # not +=
        return name, word.text if is_plain and word.is_known else None

    # ------------------------------------------------------------------------------------------------------- words

    def word(self, node: Node) -> ShellWord:
        """A word as the command gets it."""
        match node.type:
            case "word" | "variable_name":
                raw = self.raw(node)
                if re.search(r"\\\s", raw) or _BRACES.search(raw):
                    raise _UnclearError
                return ShellWord(re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL))
            case "number":
                return ShellWord(self.raw(node))
            case "raw_string":
                self.is_plain = False
                return ShellWord(self.raw(node)[1:-1])
            case "string":
                return self.quoted(node)
            case "concatenation":
                return self.joined(node)
            case "simple_expansion":
                return self.bare_variable(node)
            case "command_substitution":
                self.substitution(node)
                return ShellWord(self.raw(node), is_known=False)
            case "arithmetic_expansion" if _is_constant(node):
                return ShellWord(self.raw(node))
            case _:
                raise _UnclearError

    def joined(self, node: Node) -> ShellWord:
        """Parts without a space between them."""
        if _BRACES.search(self.raw(node)):
            raise _UnclearError
        parts = [self.variable(part) if part.type == "simple_expansion" else self.word(part) for part in node.children]
        return ShellWord("".join(part.text for part in parts), all(part.is_known for part in parts))

    def quoted(self, node: Node) -> ShellWord:
        """A text in double quotes. The tree has no nodes for some white space, so text is what lies between nodes."""
        if (text := self.heredoc_text(node)) is not None:
            return ShellWord(text)
        inserted = [part for part in node.named_children if part.type != "string_content"]
        starts = [node.start_byte + 1, *(part.end_byte for part in inserted)]
        ends = [*(part.start_byte for part in inserted), node.end_byte - 1]
        literals = [self.tree.text[start:end] for start, end in zip(starts, ends, strict=True)]
        # Recorded: a text with a space or a slash is no command and no option, whatever is put into it.
        is_prose = any(re.search(r"[\s/]", literal) for literal in literals)
        literals = [re.sub(r'\\([$`"\\\n])', r"\1", literal) for literal in literals]
        text = literals[0]
        is_known = True
        for part, literal in zip(inserted, literals[1:], strict=True):
            is_variable = part.type == "simple_expansion"
            word = self.variable(part, is_quoted=True, is_prose=is_prose) if is_variable else self.word(part)
            is_known &= word.is_known or is_prose
            text += word.text + literal
        return ShellWord(text, is_known)

    def heredoc_text(self, node: Node) -> str | None:
        """The text of ``"$(cat <<'END' ...)"``, the way in which agents write commit messages: it runs nothing."""
        if [child.type for child in node.named_children] != ["command_substitution"]:
            return None
        statements = node.named_children[0].named_children
        if [child.type for child in statements] != ["redirected_statement"]:
            return None
        [body, *redirects] = statements[0].named_children
        if self.raw(body) != "cat" or [part.type for part in redirects] != ["heredoc_redirect"]:
            return None
        if not self.is_literal_heredoc(redirects[0]):
            return None
        return "".join(self.raw(part) for part in redirects[0].named_children if part.type == "heredoc_body")

    def variable(self, node: Node, *, is_quoted: bool = False, is_prose: bool = False) -> ShellWord:
        """``$NAME`` beside other text."""
        name = self.raw(node)[1:]
        value = "$HOME" if name == "HOME" else self.values.get(name)
        if value is not None and (is_quoted or name == "HOME" or _ONE_WORD.fullmatch(value)):
            return ShellWord(value)
        if not (is_prose and name in _AMBIENT):
            raise _UnclearError
        return ShellWord(self.raw(node))

    def bare_variable(self, node: Node) -> ShellWord:
        """``$NAME`` as a whole word: when it is not known, it can be any number of words."""
        name = self.raw(node)[1:]
        if name == "HOME" or name in self.values:
            return self.variable(node)
        self.has_bare_variable = True
        return ShellWord(self.raw(node), is_known=False)

    def substitution(self, node: Node) -> None:
        """``$(...)`` and backticks: their commands run first. Recorded: variables of the line are not known there."""
        outside, self.values = self.values, {}
        self.sequence(node.named_children)
        self.values = outside

    def raw(self, node: Node) -> str:
        return self.tree.raw(node)


def _is_constant(node: Node) -> bool:
    return all(
        child.type == "number" or (child.type.endswith("_expression") and _is_constant(child))
        for child in node.named_children
    )
