"""The files that scripts in Python, JavaScript and other languages name, read from their text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from anyhook.trust.path_references import MAX_PATH_LENGTH, of_path, of_string, of_strings
from anyhook.trust.used_files import Reference

Follow: TypeAlias = Callable[[Sequence[str], str], Iterator[Reference]]
"""What a command that a script starts names: its words, and the line if it is one text."""
_node_module = re.compile(
    r"""(?:\brequire(?:\.resolve)?|\bimport|\bfrom)\s*(?:\(\s*)?["'`](\.{1,2}(?:/[^"'`\n]{0,300})?)["'`]"""
).finditer
_import_line = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w.]+))", re.MULTILINE).finditer
_loaded = re.compile(
    r"""(?:\brequire_relative|\brequire(?:_once)?|\binclude(?:_once)?|\bload(?:file|script)?|\bdofile|\bdo|\buse\s+lib"""
    r"""|\bimport|\bautoload|@include|\bsource|(?<!\w)\.)[\s(]*(?:__DIR__\s*\.\s*)?["']([^"'\n]{1,300})["']"""
).finditer
_long_name = re.compile(r"(?:\.[\s\\]*+\w++[\s\\]*+){200}").search
"""A dotted name of which Python's parser would copy every beginning."""
_LOADING_FUNCTIONS = frozenset(
    {
        "run_path", "exec", "eval", "compile", "spec_from_file_location", "SourceFileLoader", "addsitedir", "CDLL",
        "LoadLibrary", "execfile",
    }
)  # fmt: skip


def of_python(text: str, of_started: Follow) -> Iterator[Reference]:
    """What a script in Python imports, and what ``of_started`` tells of the command lines in it."""
    text = text.replace("\0", "\n")
    try:
        if _long_name(text):
            raise RecursionError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about code that is only read
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # another Python's, or made to be hard
        yield from (Reference("python", found[1] or found[2]) for found in _import_line(text))
        yield from of_strings(text)
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (Reference("python", name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = "." * level + (module or "")
                yield Reference("python", base)
                joint = "" if base.endswith(".") or not base else "."
                yield from (Reference("python", f"{base}{joint}{name.name}") for name in names if name.name != "*")
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _imports(func):
                yield Reference("python", name)
            case ast.Call(func=func, args=arguments) if _loads(func):
                for found in (inner for argument in arguments for inner in ast.walk(argument)):
                    if isinstance(found, ast.Constant) and isinstance(found.value, str):
                        yield from of_path("folder", found.value)
                        yield from of_path("file", found.value.lstrip("/"))
            case (
                ast.List(elts=[ast.Constant(value=str(program)), *others])
                | ast.Tuple(elts=[ast.Constant(value=str(program)), *others])
            ):
                words = [other.value if isinstance(other, ast.Constant) else "$x" for other in others]
                yield from of_started([program, *(str(word) for word in words)], "")
            case ast.Constant(value=str(value)) if len(value) <= MAX_PATH_LENGTH:
                yield from of_string(value)
                if " " in value:
                    yield from of_started(value.split()[:1], value)


def _imports(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"import_module", "__import__", "run_module"}


def _loads(function: ast.expr) -> bool:
    """Whether a function runs a file, or adds a folder of modules."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in {"insert", "append", "extend"}:
        return isinstance(function, ast.Attribute) and getattr(function.value, "attr", "") == "path"
    return name in _LOADING_FUNCTIONS


def of_node(text: str) -> Iterator[Reference]:
    yield from (Reference("node", found[1]) for found in _node_module(text))
    yield from of_strings(text)


def of_other(text: str) -> Iterator[Reference]:
    """What a script in another language loads, with and without the suffix, and the scripts in its strings."""
    for found in _loaded(text):
        name = found[1].lstrip("/") if found[1].startswith("/") else found[1]
        for suffix in ("", ".rb", ".lua", ".pm", ".jq", ".php"):
            yield from of_path("file", f"{name}{suffix}")
        yield from of_path("folder", name)
    yield from of_strings(text)
