"""The changes that are made to a module, each a syntax tree with one change.

They are those that ``anyhook test --mutate`` makes to the hooks of a package, for Python source: a condition is
inverted or loses a part, a list or a pattern loses an alternative, a result is gone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

_OPPOSITE: dict[str, str] = {"any": "all", "all": "any"}
_EDGES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


class Change(NamedTuple):
    before: ast.AST
    after: ast.AST
    what: str
    gone: str = ""
    """The alternative that is gone, as a regular expression; empty: another change."""
    others: tuple[str, ...] = ()
    """The alternatives that are left."""


class SourceMutant(NamedTuple):
    """One change of one module."""

    name: str
    """Function and change; the same as long as that code is the same."""
    line: int
    change: Change
    function: str
    """Empty: the code of the module itself."""

    def tree(self, module: ast.Module) -> ast.Module:
        """A copy of the tree of the module with the change; what did not change is shared."""
        copy = _replaced(module, self.change)
        assert isinstance(copy, ast.Module)
        return ast.fix_missing_locations(copy)


def mutants_of_source(tree: ast.Module) -> tuple[SourceMutant, ...]:
    """Every change of a module, in the order of its lines."""
    seen: dict[str, int] = {}
    found = []
    for function, node in _code(tree, ""):
        for change in _changes(node):
            name = f"{function}: {change.what}" if function else change.what
            seen[name] = seen.get(name, 0) + 1
            numbered = name if seen[name] == 1 else f"{name} ({seen[name]})"
            found.append((getattr(change.before, "lineno", 0), numbered, change, function))
    found.sort(key=lambda each: each[0])
    return tuple(SourceMutant(name, line, change, function) for line, name, change, function in found)


def _replaced(node: ast.AST, change: Change) -> ast.AST:
    if node is change.before:
        return ast.copy_location(change.after, node) if isinstance(node, ast.expr | ast.stmt) else change.after
    fields: dict[str, object] = {}
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            new = [_replaced(item, change) if isinstance(item, ast.AST) else item for item in value]
            fields[name] = value if all(a is b for a, b in zip(new, value, strict=True)) else new
        else:
            fields[name] = _replaced(value, change) if isinstance(value, ast.AST) else value
    if all(getattr(node, name) is value for name, value in fields.items()):
        return node
    copy = type(node)(**fields)
    return ast.copy_location(copy, node) if isinstance(node, ast.expr | ast.stmt) else copy


def _code(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    """Every node that is code, with its function: no annotations, no texts for people, no declarations."""
    children = [node.value] if isinstance(node, ast.AnnAssign) and node.value else ast.iter_child_nodes(node)
    for child in children:
        if isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.arguments | ast.Raise):
            continue
        if isinstance(child, ast.AnnAssign) and (isinstance(node, ast.ClassDef) or child.value is None):
            continue
        if isinstance(child, ast.Subscript) and isinstance(child.value, ast.Name) and child.value.id == "Literal":
            continue  # a type
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in child.body:
                yield child.name, statement
                yield from _code(statement, child.name)
            continue
        yield function, child
        yield from _code(child, function)


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield Change(test, _not(test), f"if {_short(test)} is inverted")
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield Change(test, _not(test), f"for if {_short(test)} is inverted")
        case ast.BoolOp(values=values):
            for value in values:
                rest = [other for other in values if other is not value]
                left = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                yield Change(node, deepcopy(left), f"{_short(node)} is without {_short(value)}")
        case ast.Compare(ops=[op]) if type(op) in _EDGES:
            yield Change(op, _EDGES[type(op)](), f"the edge of {_short(node)} is moved")
        case ast.Call(func=ast.Name(id=name)) if name in _OPPOSITE:
            yield Change(node.func, ast.Name(_OPPOSITE[name], ast.Load()), f"{_short(node)} is {_OPPOSITE[name]}")
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text) as words, attr="split"), args=[]):
            for word in text.split():
                words_left = tuple(other for other in text.split() if other != word)
                what = f"the words {_short(words)} are without {word}"
                yield Change(
                    words, ast.Constant(" ".join(words_left)), what, re.escape(word), tuple(map(re.escape, words_left))
                )
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            nothing = _not(value) if _is_bool(value) else ast.Constant(None)
            yield Change(value, nothing, f"return {_short(value)} is {_short(nothing)}")
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            nothing = ast.YieldFrom(ast.Tuple([], ast.Load()))
            yield Change(node.value, nothing, f"{_short(node)} is gone")
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) if len(items) > 1:
            if isinstance(node, ast.Set) or isinstance(node.ctx, ast.Load):
                yield from _dropped(node, items)
        case ast.Dict(keys=keys) if len(keys) > 1:
            for number, key in enumerate(keys):
                left = ast.Dict(_without(keys, number), _without(node.values, number))
                what = "**" if key is None else _short(key)
                others = tuple(_texts(each) for each in _without(keys, number) if each is not None)
                said = f"the table of {_short(keys[0] or node.values[0])} is without {what}"
                yield Change(node, left, said, "" if key is None else _texts(key), others)
        case ast.Constant(value=str() as text) if "|" in text:
            for alternative, others, left_text in _regex_alternatives(text):
                what = f"{_cut(repr(text))} is without {_cut(alternative)}"
                yield Change(node, ast.Constant(left_text), what, alternative, others)


def _dropped(node: ast.Tuple | ast.List | ast.Set, items: list[ast.expr]) -> Iterator[Change]:
    """Each alternative of a display of constants or names; not of a call's several values."""
    if not all(isinstance(item, ast.Constant | ast.Name | ast.Attribute | ast.Starred | ast.Tuple) for item in items):
        return
    for number, item in enumerate(items):
        rest = _without(items, number)
        copy = ast.Set(rest) if isinstance(node, ast.Set) else type(node)(rest, ast.Load())
        what = f"{_short(node)} is without {_short(item)}"
        yield Change(node, copy, what, _texts(item), tuple(map(_texts, rest)))


def _texts(node: ast.expr) -> str:
    """A constant text as a regular expression; empty: it is something else."""
    return re.escape(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _without(items: list[Any], number: int) -> list[Any]:
    return [*items[:number], *items[number + 1 :]]


def _regex_alternatives(text: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Each alternative of a pattern, the others of its group, and the pattern without it."""
    if not _is_pattern(text):
        return
    starts, marks, at, in_class = [0], [list[int]()], 0, False
    groups: list[tuple[int, list[int], int]] = []
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif in_class:
            in_class = letter != "]"
        elif letter == "[":
            in_class = True
            at += 1 if text[at + 1 : at + 2] == "]" else 2 if text[at + 1 : at + 3] == "^]" else 0
        elif letter == "(":
            begin = re.compile(r"\((?:\?(?:P<\w+>|<?[=!]|[aiLmsux-]*:))?").match(text, at)
            starts.append(begin.end() if begin else at + 1)
            marks.append([])
            at = starts[-1] - 1
        elif letter == ")":
            groups.append((starts.pop(), marks.pop(), at))
        elif letter == "|":
            marks[-1].append(at)
        at += 1
    groups.append((starts[0], marks[0], len(text)))
    for start, bars, end in groups:
        edges = [start - 1, *bars, end]
        for number in range(len(bars) + 1 if bars else 0):
            first, last = edges[number] + 1, edges[number + 1]
            left = text[:first] + text[last + 1 :] if number < len(bars) else text[: first - 1] + text[last:]
            if _is_pattern(left):
                all_of_them = [text[a + 1 : b] for a, b in pairwise(edges)]
                yield text[first:last], tuple(_without(all_of_them, number)), left


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def _not(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return deepcopy(node.operand)
    return ast.UnaryOp(ast.Not(), deepcopy(node))


def _is_bool(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=values):
            return any(_is_bool(value) for value in values)
        case ast.Call(func=ast.Name(id="any" | "all" | "bool")):
            return True
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _short(node: ast.AST) -> str:
    return _cut(ast.unparse(node))


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:40]} ... {text[-15:]}"
