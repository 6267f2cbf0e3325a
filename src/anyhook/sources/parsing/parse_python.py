"""Hooks that are functions, read from the text of a Python file, which is never imported or run.

The data has the shape of a universal hook file, so that its dialect reads it like any other.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from anyhook.dialects.clients import OWN
from anyhook.dialects.events import native_name
from anyhook.dialects.vocabulary import wrong_kinds
from anyhook.model.document import (
    BYTE_ORDER_MARK,
    BrokenTextError,
    Document,
    Format,
    Pointer,
    Quirk,
    QuirkKind,
    Span,
    line_starts,
)

_SETTINGS = ("matcher", "kind", "timeout")
_OF_GROUP = ("matcher", "kind")
_TOO_LATE = "write the value itself: the file is read, never run, to find its hooks"

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_imports_anyhook = re.compile(r"^\ufeff?[ \t]*(?:from|import)[ \t]+anyhook\b", re.MULTILINE).search


class _Place(NamedTuple):
    """A function of the file, and the function or class around it."""

    function: _Function
    inside: str


class _UnusableHook(NamedTuple):
    """Why an ``@hook`` is not a hook, and the place of the mistake."""

    node: ast.expr
    text: str
    fix: str


def parse_python(text: str, path: str = "") -> Document:
    """Reads any text; ``data`` is None when no function in it is marked as a hook, or when it is not Python."""
    starts = line_starts(text)
    if "anyhook" not in text:  # most scripts have no hooks
        return Document(path, text, None, Format.PYTHON, starts, {})
    try:
        module = _parse(text, starts)
    except BrokenTextError as error:
        quirks = (error.quirk,) if _imports_anyhook(text) else ()
        return Document(path, text, None, Format.PYTHON, starts, {}, quirks)
    return _ModuleReader(module, text, path, starts).document()


def _parse(text: str, starts: tuple[int, ...]) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about code that is only read
            module = ast.parse(text.removeprefix(BYTE_ORDER_MARK))
            compile(module, "<hooks>", "exec", dont_inherit=True)  # finds a return outside a function
            return module
    except SyntaxError as error:
        line = min(max(error.lineno or 1, 1), len(starts))
        offset = min(starts[line - 1] + max((error.offset or 1) - 1, 0), len(text))
        raise BrokenTextError(error.msg, offset, min(offset + 1, len(text))) from None
    except ValueError:
        raise BrokenTextError("Python does not allow a NUL character", text.find("\0"), len(text)) from None
    except (RecursionError, MemoryError):
        raise BrokenTextError("nested deeper than Python can read", 0, len(text)) from None


class _ModuleReader:
    """Writes what the decorators of a file say as a universal hook file, with the place of every value."""

    def __init__(self, module: ast.Module, text: str, path: str, starts: tuple[int, ...]) -> None:
        self.text, self.path, self.starts = text, path, starts
        self.functions = tuple(_functions_in(module, ""))
        self.last = {place.function.name: place.function for place in self.functions if not place.inside}
        """What each name refers to after the file has been loaded."""
        self.is_hook = _Recogniser(module)
        self.events: dict[str, list[dict[str, Any]]] = {}
        self.spans: dict[Pointer, Span] = {(): Span(0, len(text)), ("hooks",): Span(0, len(text))}
        self.quirks: list[Quirk] = []

    def document(self) -> Document:
        found = 0
        for place in self.functions:
            said: dict[object, ast.expr] = {}
            for decorator in place.function.decorator_list:
                if self.is_hook(decorator):
                    found += 1
                    self._read(place, decorator, said)
        data = {"version": 1, "hooks": self.events} if found else None
        return Document(self.path, self.text, data, Format.PYTHON, self.starts, self.spans, tuple(self.quirks))

    def _read(self, place: _Place, decorator: ast.expr, said: dict[object, ast.expr]) -> None:
        """One decorator: a group of one hook. One that names no event has no place in the data, only a quirk."""
        lost = [*self._why_never_called(place, decorator)]
        nodes, wrong = _arguments(decorator)
        lost += wrong
        values: dict[str, Any] = {}
        for name, node in nodes.items():
            try:
                values[name] = _plain(ast.literal_eval(node))
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                lost.append(_UnusableHook(node, f"{name} is not a plain value", _TOO_LATE))
        event = values.pop("event", None)
        if "event" in nodes and not isinstance(event, str) and not lost:
            lost.append(_UnusableHook(nodes["event"], "the event is not a text", 'write its name: @hook("PreToolUse")'))
        event = (native_name(event, OWN) or event) if isinstance(event, str) else None
        first = said.setdefault((event, repr(values.get("matcher"))), decorator)
        if first is not decorator and not lost:
            text = f"line {first.lineno} has the same hook for {place.function.name}"
            lost.append(_UnusableHook(decorator, text, "remove one of the two"))
        values = {name: value for name, value in values.items() if value is not None}
        if kind := values.get("kind"):
            values["kind"] = [kind] if isinstance(kind, str) else kind
            lost += [_UnusableHook(nodes["kind"], *wrong) for wrong in wrong_kinds(values["kind"])]
        pointer = () if event is None else self._add(place.function, decorator, nodes, event, values)
        for each in lost:
            span = self._span(each.node)
            self.quirks.append(Quirk(QuirkKind.LOST, span.start, span.end, each.text, pointer, each.fix))

    def _why_never_called(self, place: _Place, decorator: ast.expr) -> Iterator[_UnusableHook]:
        function, name = place.function, place.function.name
        if place.inside:
            text = f"{name} is inside {place.inside}, where it cannot be called"
            yield _UnusableHook(decorator, text, "move the function to the top level of the file")
        elif (last := self.last[name]) is not function:
            text = f"{name} is defined again in line {last.lineno}, which replaces this one"
            yield _UnusableHook(decorator, text, "give one of the two another name")
        if not _takes_one(function.args) and not place.inside:
            yield _UnusableHook(decorator, f"{name} cannot be called with an event alone", f"write def {name}(event)")

    def _add(
        self,
        function: _Function,
        decorator: ast.expr,
        nodes: Mapping[str, ast.expr],
        event: str,
        values: dict[str, Any],
    ) -> Pointer:
        """Put the hook under its event; the place of the hook is the decorator."""
        groups = self.events.setdefault(event, [])
        group: Pointer = ("hooks", event, len(groups))
        hook: Pointer = (*group, "hooks", 0)
        own = {name: value for name, value in values.items() if name not in _OF_GROUP}
        entry: dict[str, Any] = {"hooks": [{"type": "python", "function": function.name, **own}]}
        groups.append({**{name: values[name] for name in _OF_GROUP if name in values}, **entry})
        whole = self._span(decorator)
        self.spans.setdefault(group[:2], self._span(nodes["event"]))
        self.spans |= {group: whole, hook: whole}
        for name in values:
            parent = group if name in _OF_GROUP else hook
            self.spans[(*parent, name)] = self._span(nodes[name])
        return hook

    def _span(self, node: ast.expr) -> Span:
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        return Span(self._offset(node.lineno, node.col_offset), end)

    def _offset(self, line: int, column: int) -> int:
        """Python counts columns in bytes of UTF-8, and does not count a byte order mark."""
        start = self.starts[line - 1] + (line == 1 and self.text.startswith(BYTE_ORDER_MARK))
        following = self.text[start : start + column].encode("utf-8", "surrogatepass")
        return start + len(following[:column].decode("utf-8", "ignore"))


# --------------------------------------------------------------------------------------------- functions and decorators


def _functions_in(parent: ast.AST, inside: str) -> Iterator[_Place]:
    """Every function of the file in its order, also those that cannot be called from outside."""
    for node in ast.iter_child_nodes(parent):
        where = inside
        if isinstance(node, _Function):
            yield _Place(node, inside)
            where = f"the function {node.name}"
        elif isinstance(node, ast.ClassDef):
            where = f"the class {node.name}"
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _functions_in(node, where)


class _Recogniser:
    """Knows what a file calls ``anyhook.hook``."""

    def __init__(self, module: ast.Module) -> None:
        self.names: set[str] = set()
        self.modules: set[str] = set()
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom) and node.module == "anyhook" and not node.level:
                self.names |= {alias.asname or "hook" for alias in node.names if alias.name in ("hook", "*")}
            elif isinstance(node, ast.Import):
                self.modules |= {alias.asname or "anyhook" for alias in node.names if alias.name == "anyhook"}

    def __call__(self, decorator: ast.expr) -> bool:
        match decorator.func if isinstance(decorator, ast.Call) else decorator:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(value=ast.Name(id=name), attr="hook"):
                return name in self.modules
            case _:
                return False


def _arguments(decorator: ast.expr) -> tuple[dict[str, ast.expr], list[_UnusableHook]]:
    """The arguments of ``hook`` by name, and those that it does not have."""
    call = decorator if isinstance(decorator, ast.Call) else ast.Call(decorator, [], [])
    nodes: dict[str, ast.expr] = {}
    lost: list[_UnusableHook] = []
    for number, node in enumerate(call.args):
        if number == 0 and not isinstance(node, ast.Starred):
            nodes["event"] = node
        else:
            text = "hook takes one value without a name, the event"
            lost.append(_UnusableHook(node, text, 'write matcher="..." or timeout=5'))
    for keyword in call.keywords:
        if keyword.arg == "event" or keyword.arg in _SETTINGS:
            nodes[keyword.arg] = keyword.value
        else:
            what = f"hook has no setting {keyword.arg}" if keyword.arg else "** cannot be read without running the file"
            lost.append(_UnusableHook(keyword.value, what, f"it has: {', '.join(_SETTINGS)}"))
    if "event" not in nodes:
        lost.append(_UnusableHook(decorator, "this hook names no event", 'write @hook("PreToolUse")'))
    return nodes, lost


def _plain(value: object) -> Any:
    """The value as JSON would have it; ValueError for what JSON does not have."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _plain(item) for key, item in value.items()}
        case _:
            raise ValueError(type(value).__name__)


def _takes_one(arguments: ast.arguments) -> bool:
    by_position = [*arguments.posonlyargs, *arguments.args]
    required = len(by_position) - len(arguments.defaults)
    needs_a_name = any(default is None for default in arguments.kw_defaults)
    return required <= 1 and not needs_a_name and bool(by_position or arguments.vararg)
