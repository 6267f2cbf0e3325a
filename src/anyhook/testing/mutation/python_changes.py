"""Changes of Python source that keep its other lines as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from anyhook.model.hooks import Rule
from anyhook.testing.mutation.mutant import EFFECT, Mutant, missing_case


def emptied_function(file: Path, text: str, rule: Rule, name: str) -> Mutant | None:
    """The function returns at once."""
    node = _function(text, name)
    if node is None or node.body[0].lineno == node.lineno:
        return None
    lines = text.splitlines(keepends=True)
    first = node.body[0]
    nothing = f"{' ' * first.col_offset}return None\n"
    changed = "".join((*lines[: first.lineno - 1], nothing, *lines[first.lineno - 1 :]))
    missing = missing_case(rule.native_event, {}, EFFECT, "in which it runs")
    return Mutant(file, node.lineno, f"{name} does nothing", missing, changed)


def widened_decorator(file: Path, text: str, rule: Rule, name: str) -> Iterator[Mutant]:
    """The ``matcher`` or ``kind`` of a hook function matches everything."""
    node = _function(text, name)
    for call in node.decorator_list if node else ():
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg in ("matcher", "kind"):
                said = ast.unparse(keyword.value)
                other = '".*"' if keyword.arg == "matcher" else '"any"'
                missing = missing_case(rule.native_event, {}, "matched: false", f"with another tool than {said}")
                what = f"the {keyword.arg} matches everything"
                yield Mutant(file, keyword.value.lineno, what, missing, _Source(text).with_(keyword.value, other))


def python_changes(file: Path, text: str, rule: Rule) -> Iterator[Mutant]:
    """Conditions are inverted; ``or``, lists and sets lose an alternative; replies are gone."""
    source = _Source(text)
    for node in ast.walk(_parsed(text)):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test):
                said = source.of(test)
                about = f"in which {said} holds, and one in which it does not"
                missing = missing_case(rule.native_event, {}, EFFECT, about)
                yield Mutant(
                    file, test.lineno, f"the condition {said} is inverted", missing, source.with_(test, f"not ({said})")
                )
            case ast.BoolOp(op=ast.Or(), values=values):
                for value in values:
                    left = " or ".join(source.of(other) for other in values if other is not value)
                    missing = missing_case(rule.native_event, {}, EFFECT, f"in which {source.of(value)} holds alone")
                    what = f"the alternative {source.of(value)} is gone"
                    yield Mutant(file, value.lineno, what, missing, source.with_(node, f"({left})"))
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) if _are_texts(items):
                yield from _without_texts(file, source, node, items, rule)
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                missing = missing_case(rule.native_event, {}, EFFECT, "in which this line is reached")
                what = f"{source.of(value)} is not returned"
                yield Mutant(file, value.lineno, what, missing, source.with_(value, "None"))


def _without_texts(file: Path, source: _Source, node: ast.expr, items: list[ast.expr], rule: Rule) -> Iterator[Mutant]:
    for item in items:
        left = ", ".join(source.of(other) for other in items if other is not item)
        begin, end = {ast.Tuple: ("(", ",)"), ast.List: ("[", "]"), ast.Set: ("{", "}")}[type(node)]
        said = source.of(item)
        missing = missing_case(rule.native_event, {}, EFFECT, f"with {said} in its fixture")
        yield Mutant(
            file, item.lineno, f"the alternative {said} is gone", missing, source.with_(node, f"{begin}{left}{end}")
        )


def _are_texts(items: list[ast.expr]) -> bool:
    return len(items) > 1 and all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in items)


class _Source:
    """A text by the places of its syntax tree, which are counted in bytes."""

    def __init__(self, text: str) -> None:
        self._bytes = text.encode()
        lengths = (len(line) for line in text.encode().splitlines(keepends=True))
        self._starts = [0, *accumulate(lengths)]

    def _span(self, node: ast.expr) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[end_line - 1] + end_column

    def of(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return " ".join(self._bytes[start:end].decode().split())

    def with_(self, node: ast.expr, other: str) -> str:
        """The text with something else in place of a node."""
        start, end = self._span(node)
        return (self._bytes[:start] + other.encode() + self._bytes[end:]).decode()


def _function(text: str, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    nodes = ast.walk(_parsed(text))
    return next(
        (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name), None
    )


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])
