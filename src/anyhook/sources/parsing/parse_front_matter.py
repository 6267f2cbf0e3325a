"""YAML, as the front matter of a Markdown file or as a file of its own, with the place of every value in the file."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol

from anyhook.model.document import (
    BYTE_ORDER_MARK,
    MAX_DEPTH,
    BrokenTextError,
    Document,
    Format,
    Pointer,
    Quirk,
    QuirkKind,
    Span,
    line_starts,
)

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError

_MAX_NODES = 100_000
"""Values after the aliases are resolved: a few lines of nested aliases can mean billions."""

_opening = re.compile(r"(\ufeff?)---[ \t]*+(?:\r\n?+|\n)").match
_closing = re.compile(r"---(?<=[\r\n]---)[ \t]*+(?=[\r\n]|\Z)").search

_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_TAG = "tag:yaml.org,2002:"
_CONSTRUCTED = frozenset({"null", "bool", "int", "float"})
_HINTS = {
    "mapping values are not allowed here": "a value that contains ': ' needs quotes",
    r"found character '\t' that cannot start any token": "YAML is indented with spaces, not with tabs",
    "found character '@' that cannot start any token": "a value that starts with @ needs quotes",
    "found character '`' that cannot start any token": "a value that starts with ` needs quotes",
}


class _Mark(Protocol):
    index: int


class _Node(Protocol):
    """What is used here of ruamel.yaml's nodes, which are not imported: that takes longer than most parses."""

    id: Literal["scalar", "sequence", "mapping"]
    tag: object
    value: Any
    start_mark: _Mark
    end_mark: _Mark
    flow_style: bool | None


def parse_front_matter(text: str, path: str = "") -> Document:
    """Parses any text; ``data`` is None when there is no front matter and, with a quirk, when it cannot be read."""
    opening = _opening(text)
    closing = opening and _closing(text, opening.end())
    if not opening or not closing:
        return Document(path, text, None, Format.FRONT_MATTER, line_starts(text), {})
    # With its opening line, so that YAML's own rules decide what may follow it: one document, no directives.
    return _parse(text, path, Format.FRONT_MATTER, opening.end(1), closing.start())


def parse_yaml(text: str, path: str = "") -> Document:
    """The same for a file that is YAML altogether; ``data`` is None when it is empty, too."""
    return _parse(text, path, Format.YAML, int(text.startswith(BYTE_ORDER_MARK)), len(text))


def _parse(text: str, path: str, form: Format, start: int, end: int) -> Document:
    data: Any = None
    spans: dict[Pointer, Span] = {}
    quirks = [Quirk(QuirkKind.BYTE_ORDER_MARK, 0, 1)] if start else []
    reader = _YamlReader(text, start, end)
    try:
        data = reader.read()
        spans = reader.spans
    except BrokenTextError as error:
        quirks.append(error.quirk)
    quirks += reader.quirks.values()
    quirks.sort(key=attrgetter("offset"))
    return Document(path, text, data, form, line_starts(text), spans, tuple(quirks))


class _YamlReader:
    """Turns the nodes that ruamel.yaml composes into plain values; its own constructor keeps no places."""

    def __init__(self, text: str, start: int, end: int) -> None:
        from ruamel.yaml import YAML

        self.spans: dict[Pointer, Span] = {}
        self.quirks: dict[int, Quirk] = {}
        self._text, self._start, self._end = text, start, end
        self._ranges: dict[int, tuple[int, int]] = {}
        self._left = _MAX_NODES
        self._yaml = YAML(typ="safe", pure=True)
        self._yaml.max_depth = MAX_DEPTH + 1
        self._yaml.composer.warn_double_anchors = False

    def read(self) -> Any:
        root = self._compose()
        return None if root is None else self._value(root, (), -1)

    def _compose(self) -> _Node | None:
        try:
            root: _Node | None = self._yaml.compose(self._text[self._start : self._end])
        except Exception as error:  # not only YAMLError: "%YAML 1.11", for one, is a KeyError inside ruamel.yaml
            why, offset = _explain(error, self._end - self._start)
            offset += self._start
            raise BrokenTextError(why, offset, min(offset + 1, self._end)) from None
        return root

    def _value(self, node: _Node, pointer: Pointer, key: int) -> Any:
        value: Any
        if node.id == "scalar":
            value = self._scalar(node)
        else:
            self._check_size(node, pointer)
            value = self._mapping(node, pointer) if node.id == "mapping" else self._sequence(node, pointer)
        self.spans[pointer] = Span(*self._range(node), key)
        return value

    def _check_size(self, node: _Node, pointer: Pointer) -> None:
        if len(pointer) >= MAX_DEPTH:
            raise BrokenTextError(_TOO_DEEP, *self._range(node))
        self._left -= len(node.value)
        if self._left < 0:
            raise BrokenTextError(f"more than {_MAX_NODES} values after resolving aliases", *self._range(node))

    def _mapping(self, node: _Node, pointer: Pointer) -> dict[str, Any]:
        members: dict[str, tuple[_Node, _Node]] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in members:
                self._lose(members[key], key, (*pointer, key))
            members[key] = key_node, value_node
        return {
            key: self._value(value_node, (*pointer, key), self._range(key_node)[0])
            for key, (key_node, value_node) in members.items()
        }

    def _sequence(self, node: _Node, pointer: Pointer) -> list[Any]:
        return [self._value(item, (*pointer, index), -1) for index, item in enumerate(node.value)]

    def _scalar(self, node: _Node) -> Any:
        kind = str(node.tag).removeprefix(_TAG)
        if kind not in _CONSTRUCTED:
            return node.value
        try:
            return getattr(self._yaml.constructor, f"construct_yaml_{kind}")(node)
        except (ValueError, LookupError):
            raise BrokenTextError(f"cannot be read as {kind}", *self._range(node)) from None

    def _key(self, node: _Node) -> str:
        """A key as it is written: ``on``, ``1`` and ``~`` are the names that people see in the file."""
        return str(node.value) if node.id == "scalar" else self._text[slice(*self._range(node))]

    def _lose(self, member: tuple[_Node, _Node], key: str, pointer: Pointer) -> None:
        start, _ = self._range(member[0])
        _, end = self._range(member[1])
        # An alias shows the same mapping again: one report for one place.
        self.quirks.setdefault(start, Quirk(QuirkKind.DUPLICATE_KEY, start, end, key, pointer))

    def _range(self, node: _Node) -> tuple[int, int]:
        # Remembered, as thousands of aliases may lead to one node.
        known = self._ranges.get(id(node))
        if known is None:
            start, end = self._start + node.start_mark.index, self._start + _end(node)
            known = self._ranges[id(node)] = start, start + len(self._text[start:end].rstrip())
        return known


def _end(node: _Node) -> int:
    """ruamel.yaml ends a block collection at the next token, behind blank lines and comments; its last part ends it."""
    while last := _last_part(node):
        node = last
    return node.end_mark.index


def _last_part(node: _Node) -> _Node | None:
    """The part that ends a block collection, unless it is an alias, whose node is elsewhere."""
    if node.id == "scalar" or node.flow_style or not node.value:
        return None
    parts = [part for pair in node.value for part in pair] if node.id == "mapping" else list(node.value)
    last = parts.pop()
    start = last.start_mark.index
    is_here = node.start_mark.index < start and all(part.end_mark.index <= start for part in parts)
    return last if is_here else None


def _explain(error: Exception, end: int) -> tuple[str, int]:
    """What is wrong in words, and the offset in the YAML text, which ends at ``end``."""
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    if isinstance(error, ReaderError):
        return f"YAML does not allow the character U+{error.character:04X}", error.position
    if not isinstance(error, MarkedYAMLError):
        return _TOO_DEEP if isinstance(error, RecursionError) else "cannot be read as YAML", 0
    offset = min(error.problem_mark.index, end) if error.problem_mark else end
    if offset == end and error.context_mark:  # what is never closed is better shown where it opens
        offset = error.context_mark.index
    return _in_words(error), offset


def _in_words(error: MarkedYAMLError) -> str:
    if type(error).__name__ == "MaxDepthExceededError":  # new in ruamel.yaml 0.19; before it, recursion ends
        return _TOO_DEEP
    why = ", ".join(part for part in (error.context, error.problem) if part).replace("'<stream end>'", "the end")
    hint = _HINTS.get(error.problem)
    if error.problem.startswith("found undefined alias"):
        hint = "a value that starts with * needs quotes"
    elif error.context == "while scanning a tag":
        hint = "a value that starts with ! needs quotes"
    return f"{why}: {hint}" if hint else why
