"""The grammar of bash, and how much of a text it is given. No other module imports tree-sitter.

The grammar takes time that grows with the square of what some texts contain: 64,000 characters of ``a|`` take minutes.
So a text is counted before it is parsed. What stands in quotes and here-documents is not counted if the text is too
long with it: it is blanked, which changes no other place, and whoever needs it takes it from the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from tree_sitter import Node, Parser

if TYPE_CHECKING:
    from tree_sitter import Language

__all__ = ["MAX_LENGTH", "Node", "Tree", "parse"]

MAX_LENGTH = 64_000
"""Characters; a longer text is not read."""
_SHORT = 800
"""Characters that take no time, whatever they are."""
_MAX_BRANCHES = 450
_MAX_TOKENS = 10_000
_BRANCHES = re.compile(r"[(|\[{]|<<|[`)\]}](?=[)\]}`])")
"""What the grammar takes square time for: groups, pipelines, here-documents, and brackets that close nothing."""
_WORDS = re.compile(r"[\w./:,@%+-]+")
_SIGNS = re.compile(r"[^\s\w./:,@%+-]|\n")
"""Each counts as two words."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_FOLDED = re.compile(r"(?P<before>\s?)(?<!\\)\\\r?\n(?P<after>\s?)|(?<=\s)\d+(?=<<<)")
"""A line that goes on, and the descriptor of a here-string (``3<<<``), which the grammar rejects."""
_PLAIN_BRACES = re.compile(r"(?<!\$)\{(?:[\w.-]+|\{[^{}\n$]*\})\}|\$\{\w+\.[\w.]+\}")
"""``{word}`` and ``{{word}}`` are words, but the grammar takes them for groups. It rejects ``${name.part}``."""
_IN_CODE = re.compile(
    r"""\\. | \$'(?:[^'\\]|\\.)*' | '(?P<single>[^']*)' | (?:\A|(?<=[\s;&|(]))\#(?P<comment>[^\n]*)
        | <<< | <<-?[ \t]*(?P<quote>['"\\]?)(?P<delimiter>\w+)(?P=quote)? | (?P<mark>\$[({]|["`()}\n])""",
    re.VERBOSE | re.DOTALL,
)
_IN_QUOTES = re.compile(r"""\\. | (?P<mark>\$[({]|["`}])""", re.VERBOSE | re.DOTALL)
_OPENS = {'"': ('"', True), "`": ("`", False), "(": (")", False), "$(": (")", False)}
"""What closes what a mark opens, and whether it is in double quotes."""
_BLANKED = frozenset({"raw_string", "string", "string_content", "comment", "heredoc_body"})


class Tree(Struct, frozen=True):
    """A text with its syntax. Places in the tree are places in the text."""

    text: str
    root: Node
    work: int
    """How many microseconds the grammar may have needed, roughly."""

    def raw(self, node: Node) -> str:
        return self.text[node.start_byte : node.end_byte]


def parse(text: str, *, is_mended: bool = True) -> Tree | None:
    """The syntax of a text; None if it is too much to read.

    ``is_mended``: what is good shell although the grammar rejects it is changed for the grammar.
    """
    # The grammar's scanner calls isdigit() on any character, which reads outside of its table and can crash. With
    # plain letters in place of others no byte is more than 127, and a place in the bytes is a place in the text.
    plain = text if text.isascii() else _NOT_ASCII.sub("x", text)
    if is_mended and ("\\\n" in plain or "\\\r\n" in plain or "<<<" in plain):
        plain = _FOLDED.sub(_without_fold, plain)
    if is_mended and "}" in plain:
        plain = _PLAIN_BRACES.sub(_without_braces, plain)
    blanks: list[tuple[int, int]] = []
    work = _work(plain)
    if work is None and len(text) <= MAX_LENGTH:
        blanks = [(start, end) for start, end in _literals(plain) if start < end]
        plain = _blanked(plain, blanks)
        work = _work(plain)
    if work is None:
        return None
    root = _parser().parse(plain.encode("ascii")).root_node
    # A text that was blanked at the wrong place may hide commands: the grammar must see the same literals.
    return Tree(text, root, work) if all(_is_literal(root, start, end) for start, end in blanks) else None


def _without_fold(found: re.Match[str]) -> str:
    """As many characters: blanks between words, letters within a word."""
    is_between = found["before"] != "" or found["after"] != "" or found[0].isdecimal()
    return (" " if is_between else "x") * len(found[0])


def _without_braces(found: re.Match[str]) -> str:
    is_parameter = found[0][0] == "$"
    return found[0].replace(".", "_") if is_parameter else found[0].replace("{", "x").replace("}", "x")


def _work(text: str) -> int | None:
    if len(text) <= _SHORT:
        return len(text) // 2
    if len(text) > MAX_LENGTH:
        return None
    branches, tokens = len(_BRANCHES.findall(text)), len(_WORDS.findall(text)) + 2 * len(_SIGNS.findall(text))
    return branches * branches // 30 + tokens // 2 if branches <= _MAX_BRANCHES and tokens <= _MAX_TOKENS else None


def _literals(text: str) -> Iterator[tuple[int, int]]:
    """Where the contents of quotes, comments and here-documents are, in which nothing is substituted."""
    open_marks: list[tuple[str, bool]] = [("", False)]
    delimiters: list[str] = []
    place, string = 0, -1
    for _ in range(_MAX_TOKENS):  # each of them leaves a token in what is blanked
        closer, is_quoted = open_marks[-1]
        found = (_IN_QUOTES if is_quoted else _IN_CODE).search(text, place)
        if found is None:
            return
        place, kind = found.end(), found.lastgroup
        if kind == "delimiter":
            delimiters.append(found["delimiter"])
        elif kind in ("single", "comment"):
            yield found.span(kind)
        elif kind == "mark" and (mark := found["mark"]) == closer:
            open_marks.pop()
            if mark == '"' and string >= 0:
                yield string, found.start()
            string = -1
        elif kind == "mark" and mark != "\n":
            if mark in _OPENS or mark == "${":
                open_marks.append(_OPENS.get(mark, ("}", is_quoted)))
                string = place if mark == '"' else -1
        elif kind == "mark" and delimiters:
            for delimiter in delimiters:
                last = re.compile(rf"^\t*{delimiter}$", re.MULTILINE).search(text, place)
                if last is None:
                    return
                yield place, last.start()
                place = last.end()
            delimiters.clear()


def _blanked(text: str, blanks: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in blanks:
        pieces += (text[done:start], "x" * (end - start - 1), "\n" if text[end - 1] == "\n" else "x")
        done = end
    return "".join([*pieces, text[done:]])


def _is_literal(root: Node, start: int, end: int) -> bool:
    node = root.descendant_for_byte_range(start, end - 1)
    return node is not None and node.type in _BLANKED and node.start_byte >= start - 1 and node.end_byte <= end + 1


@cache
def _parser() -> Parser:
    return Parser(_bash())


def _bash() -> Language:
    """The grammar of tree-sitter-bash, from its compiled module alone.

    The package itself imports importlib.resources, for files that are not used here, and with it tempfile and shutil:
    that takes longer than to read a command line.
    """
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    from tree_sitter import Language

    package = find_spec("tree_sitter_bash")
    compiled = package and PathFinder.find_spec("tree_sitter_bash._binding", package.submodule_search_locations)
    if compiled is None or compiled.loader is None:  # another release, with other parts
        import tree_sitter_bash

        return Language(tree_sitter_bash.language())
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    return Language(module.language())
