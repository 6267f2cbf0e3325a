"""What scripts print, as far as their text shows it: texts, and objects that become JSON. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from anyhook.shell.written import UNKNOWN, read_text

_MAX_LENGTH = 200_000
"""Characters of a script that are read; a longer one was not written by hand."""
_logged_text = re.compile(r"""console\.log\(\s*(?:'((?:[^'\\\n]|\\.)*)'|`([^`$\\]*)`)\s*\)""").finditer


class ScriptOutput(Struct, frozen=True):
    """A text that a script prints on stdout, or an object that it prints as JSON."""

    text: str = ""
    data: Mapping[str, Any] | None = None


def script_output(text: str, suffix: str) -> Iterator[ScriptOutput]:
    """What a script prints on stdout that does not depend on anything, by the ending of its name."""
    if len(text) > _MAX_LENGTH:
        return
    if suffix in {".sh", ".bash"}:
        shell = read_text(text)
        if shell.is_complete:
            yield from (ScriptOutput(output.text) for output in shell.printed() if output.to == "stdout")
    elif suffix == ".py":
        yield from _python_output(text)
    elif suffix in {".js", ".mjs", ".cjs"}:
        yield from (ScriptOutput((found[1] or found[2] or "").replace("\\'", "'")) for found in _logged_text(text))


def _python_output(text: str) -> Iterator[ScriptOutput]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    objects = _named_objects(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name, first = _name(node.func), node.args[0]
        if name == "json.dump" and len(node.args) > 1 and _name(node.args[1]) == "sys.stdout":
            yield from _object(first, objects)
        elif (name == "print" and not any(word.arg == "file" for word in node.keywords)) or name == "sys.stdout.write":
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and len(node.args) == 1:
                yield ScriptOutput(first.value)
            elif isinstance(first, ast.Call) and first.args and _name(first.func) in {"json.dumps", "dumps"}:
                yield from _object(first.args[0], objects)


def _name(node: ast.expr) -> str:
    """``sys.stdout.write`` as it is written; empty for anything else than names."""
    if isinstance(node, ast.Attribute):
        before = _name(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""


def _named_objects(tree: ast.AST) -> Mapping[str, ast.Dict]:
    """Names that are given one value in the whole script, a dictionary, and are then only read."""
    nodes = list(ast.walk(tree))
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    changed = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Name)
        if isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Store)  # reply.update(...), reply["key"] = ...
    }
    return {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and isinstance(node.targets[0], ast.Name)
        if stored[node.targets[0].id] == 1 and node.targets[0].id not in changed
    }


def _object(node: ast.expr, objects: Mapping[str, ast.Dict]) -> Iterator[ScriptOutput]:
    known = objects.get(node.id) if isinstance(node, ast.Name) else node
    if isinstance(known, ast.Dict) and (data := _members(known)) is not None:
        yield ScriptOutput(data=data)


def _members(node: ast.Dict) -> dict[str, Any] | None:
    """A dictionary with text for what is computed; None when its keys are not all there to be read."""
    members: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        if isinstance(value, ast.Dict):
            inner = _members(value)
            if inner is None:
                return None
            members[key.value] = inner
        else:
            members[key.value] = value.value if isinstance(value, ast.Constant) else UNKNOWN
    return members
