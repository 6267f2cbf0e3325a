"""The other files that a command or a script names, read from its text. Nothing is ever run or imported.

This sees more than will be used (a path in a string may be a message) and cannot see everything (a path that is put
together while the script runs). The caller checks which of the named files exist. docs/trust.md has the table of what
counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

import msgspec
from msgspec import Struct

from anyhook.model.hooks import Action, Command
from anyhook.trust.code_references import of_node, of_other, of_python
from anyhook.trust.path_references import any_word, of_windows
from anyhook.trust.seen_files import TooMuchError, storable
from anyhook.trust.shell_references import of_shell, of_started, of_variable, of_words
from anyhook.trust.used_files import MAX_LOOKUPS, Language, Reference

_include_line = re.compile(r"^[ \t]*-?(?:s?include|import\??|mod\??)[ \t]+(.+)$", re.MULTILINE).finditer


def references_of_action(action: Action) -> tuple[Reference, ...]:
    """What a hook's command lines, arguments and variables name, for every operating system."""
    if not isinstance(action, Command):
        return ()
    return _bounded(_of_action(action))


def _of_action(action: Command) -> Iterator[Reference]:
    if action.args is None:
        for text in action.commands():
            yield from of_shell(text, is_hook=True)
            yield from of_windows(text)
    else:
        for program in action.commands():
            yield from of_words([program, *action.args], is_hook=True)
    for name, value in action.env.items():  # BASH_ENV=./x.sh, NODE_OPTIONS="--require ./x.js"
        yield from of_variable(name, value, is_hook=True)


def references_of_code(language: Language, text: str) -> tuple[Reference, ...]:
    """What a script names, by the language it is written in."""
    readers: dict[str, Callable[[str], Iterator[Reference]]] = {
        "python": partial(of_python, of_started=of_started),
        "node": of_node,
        "package": _of_package,
        "shell": of_shell,
        "make": _of_makefile,
        "data": _of_nothing,
    }
    return _bounded(chain(_of_first_line(text), readers.get(language, of_other)(text)))


def _bounded(found: Iterable[Reference]) -> tuple[Reference, ...]:
    """Each reference once; in place of one with half a character, which no record can hold, a doubt.

    Raises TooMuchError for a text that was made to be hard to read.
    """
    doubt = Reference("doubt", "a file whose name is not UTF-8")
    references: dict[Reference, None] = {}
    try:
        for one in found:
            references[one if storable(one.text) == one.text else doubt] = None
            if len(references) > MAX_LOOKUPS:
                raise TooMuchError(f"a script of the hooks names more than {MAX_LOOKUPS:,} files")
    except (RecursionError, MemoryError):
        raise TooMuchError("a script of the hooks is nested too deeply") from None
    return tuple(references)


def _of_nothing(_text: str) -> Iterator[Reference]:
    return iter(())


def _of_first_line(text: str) -> Iterator[Reference]:
    """The interpreter of a script: ``#!tools/interp``, ``#!/usr/bin/env -S bash impl``."""
    if text.startswith("#!"):
        words = text[2:].partition("\n")[0].split()
        yield from of_words(words[words[0].startswith("/") :] if words else [], is_hook=True)


def _of_makefile(text: str) -> Iterator[Reference]:
    for found in _include_line(text):
        for word in found[1].split():
            yield from any_word(word.strip("'\""), "file")
    yield from of_shell(re.sub(r"^[\t@+-]+", "", text, flags=re.MULTILINE).replace("$(", "${").replace("$$", "$"))


def _of_package(text: str) -> Iterator[Reference]:
    """The commands of a package.json, and the modules that it names."""
    try:
        package = msgspec.json.decode(text.encode("utf-8", "replace"), type=_PackageJson)
    except msgspec.MsgspecError:
        return
    for script in package.scripts.values():
        if isinstance(script, str):
            yield from of_shell(script, is_hook=True)
    waiting: list[object] = [package.main, package.module, package.exports, package.imports, package.bin]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield Reference("node", value if value.startswith(".") else f"./{value}")
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value


class _PackageJson(Struct):
    scripts: dict[str, object] = {}
    main: object = None
    module: object = None
    exports: object = None
    imports: object = None
    bin: object = None
