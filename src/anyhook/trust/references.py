"""The other files that a command or a script names, read from its text. Nothing is ever run or imported.

This sees more than will be used (a path in a string may be a message) and cannot see everything (a path that is put
together while the script runs). The caller checks which of the named files exist.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec import Struct

from anyhook.model.hooks import Action, Command
from anyhook.sources.scripts_of import is_interpreter, script_of, without_wrappers
from anyhook.sources.shell_text import UNKNOWN, scan
from anyhook.trust.used_files import Language, Reference

_MAX_PATH_LENGTH = 1024
_RUN_FILES: Mapping[str, tuple[str, ...]] = {
    # Programs that find what they run in a file of the folder that they are started in.
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
}
_FOLDER_CHANGES = frozenset({"cd", "pushd"})
_CODE_SUFFIX = re.compile(
    r".*\.(?:sh|bash|zsh|ksh|py|pyw|js|mjs|cjs|jsx|ts|mts|cts|tsx|rb|pl|pm|php|lua|awk|jq|ps1|psm1|bat|cmd|exe)",
    re.IGNORECASE,
)
_VARIABLE_SIGNS = ("$", "`", "{", "}", "%", UNKNOWN)
_quoted = re.compile(r"""["'`]([^"'`\\\n]{1,300})(?=["'`])""").finditer
_node_module = re.compile(r"""(?:\brequire|\bimport|\bfrom)\s*\(?\s*["'`](\.{1,2}/[^"'`\n]{1,300})["'`]""").finditer
_import_line = re.compile(r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import|import[ \t]+([\w.]+))", re.MULTILINE).finditer
_windows_word = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"';|&(),]+)").finditer
_windows_text = re.compile(r"\\|\$env:|%\w+%|\b(?:powershell|pwsh|cmd)\b", re.IGNORECASE).search


def references_of_action(action: Action) -> tuple[Reference, ...]:
    """What a hook's command lines, arguments and variables name, for every operating system."""
    if not isinstance(action, Command):
        return ()
    found: list[Reference] = []
    if action.args is None:
        for text in action.commands():
            found += _of_shell(text)
            found += _of_windows(text)
    else:
        words = [action.command, *action.args]
        found += _of_words(words)
        for word in words:
            found += _of_word(word)
    for value in action.env.values():  # BASH_ENV=./x.sh, NODE_OPTIONS="--require ./x.js"
        found += _of_shell(value)
    return tuple(dict.fromkeys(found))


def references_of_code(language: Language, text: str) -> tuple[Reference, ...]:
    """What a script names, by the language it is written in."""
    readers = {"python": _of_python, "node": _of_node, "package": _of_package, "shell": _of_shell}
    return tuple(dict.fromkeys(readers.get(language, _of_strings)(text)))


# ---------------------------------------------------------------------------------------------------------------- shell


def _of_shell(text: str) -> Iterator[Reference]:
    for part in scan(text).everything():
        for command in part.commands:
            yield from _of_words([word.text for word in command.argument_words()])
            for word in command.words:
                yield from _of_word(word.text)
            for redirection in command.redirections:
                if redirection.operator == "<":
                    yield from _of_word(redirection.target)


def _of_words(words: Sequence[str]) -> Iterator[Reference]:
    """What a program is given to run: a script, a module, a piece of code, or a target of a file it looks for."""
    if script := script_of(words):
        yield from _path("script", script.path)
    words, _ = without_wrappers(words)
    if not words:
        return
    program = words[0].rpartition("/")[2]
    if program in _FOLDER_CHANGES and len(words) > 1:
        yield from _path("folder", words[-1])
    for name in _RUN_FILES.get(program, ()):
        yield Reference("file", name)
    if is_interpreter(program):
        yield from _of_interpreter(program, words[1:])


def _of_interpreter(program: str, arguments: Sequence[str]) -> Iterator[Reference]:
    is_python = program.startswith("python")
    for option, value in pairwise([*arguments, ""]):
        if is_python and option == "-m":
            yield from (Reference("python", name) for name in (value, f"{value}.__main__"))
            return
        if option in {"-c", "-e", "-p", "--eval", "--print"}:
            yield from _of_python(value) if is_python else _of_node(value)
            return
        if not option.startswith("-"):
            yield from _path("file", option)  # whatever its name, the interpreter runs it
            return


def _of_word(word: str) -> Iterator[Reference]:
    """A word that may be a path: as a whole, or after ``NAME=`` or ``--option=``."""
    for text in {word, word.rpartition("=")[2]}:
        if "://" not in text and ("/" in text or _CODE_SUFFIX.fullmatch(text)):
            yield from _path("word", text)


def _path(kind: Literal["script", "file", "word", "folder"], text: str) -> Iterator[Reference]:
    if not text or len(text) > _MAX_PATH_LENGTH or "\0" in text or "\n" in text:
        return
    last = max(text.rfind(sign) for sign in _VARIABLE_SIGNS)
    if last < 0:
        yield Reference(kind, text)
    elif rest := text[last:].partition("/")[2].lstrip("/"):
        yield Reference(kind, rest, is_rooted=True)


def _of_windows(text: str) -> Iterator[Reference]:
    """Paths of a command for PowerShell or cmd, with their separators turned round."""
    if not _windows_text(text):
        return
    for found in _windows_word(text):
        yield from _of_word(next(part for part in found.groups() if part).replace("\\", "/"))


# ------------------------------------------------------------------------------------------------------ other languages


def _of_python(text: str) -> Iterator[Reference]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about code that is only read
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # another Python's, or made to be hard
        yield from (Reference("python", found[1] or found[2]) for found in _import_line(text))
        yield from _of_strings(text)
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
            case ast.Constant(value=str(value)) if len(value) <= _MAX_PATH_LENGTH:
                yield from _of_string(value)


def _imports(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"import_module", "__import__", "run_module"}


def _of_node(text: str) -> Iterator[Reference]:
    yield from (Reference("node", found[1]) for found in _node_module(text))
    yield from _of_strings(text)


def _of_package(text: str) -> Iterator[Reference]:
    """The commands of a package.json."""
    try:
        scripts = msgspec.json.decode(text.encode("utf-8", "replace"), type=_PackageJson).scripts
    except msgspec.MsgspecError:
        return
    for script in scripts.values():
        if isinstance(script, str):
            yield from _of_shell(script)


class _PackageJson(Struct):
    scripts: dict[str, object] = {}


def _of_strings(text: str) -> Iterator[Reference]:
    for found in _quoted(text):
        yield from _of_string(found[1])


def _of_string(value: str) -> Iterator[Reference]:
    """A string of a program, if it ends like a script's name."""
    if _CODE_SUFFIX.fullmatch(value) and "://" not in value:
        yield from _path("word", value)
        if value.startswith("/"):  # __dirname + "/lib.js"
            yield from _path("word", f"${value}")
