"""Paths in words, strings and command lines for Windows, as references. Nothing is ever run or imported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from anyhook.sources.shell_text import UNKNOWN
from anyhook.trust.used_files import Reference

_OWN_STREAM = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty|fd/\d+)|/proc/self/fd/\d+")
"""A file that is another one in each process, or none."""
MAX_PATH_LENGTH = 4096
"""No system opens a longer one."""
_CODE_SUFFIX = re.compile(
    r".*\.(?:sh|bash|zsh|ksh|fish|py|pyw|js|mjs|cjs|jsx|ts|mts|cts|tsx|rb|pl|pm|php|lua|awk|jq|mk|ps1|psm1|bat|cmd|exe|so)",
    re.IGNORECASE,
)
_VARIABLE_SIGNS = ("$", "`", "{", "}", "%", UNKNOWN)
_quoted = re.compile(r"""["'`]([^"'`\\\n]{1,300})(?=["'`])""").finditer
_windows_word = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"';|&(),]+)").finditer
_windows_text = re.compile(r"\\|\$env:|%\w+%|\b(?:powershell|pwsh|cmd)\b", re.IGNORECASE).search


def any_word(word: str, kind: Literal["path", "file"]) -> Iterator[Reference]:
    """A word of a line in which every existing file counts: the whole, or what follows ``NAME=``, ``-f`` or ``@``."""
    if "://" in word:
        return
    texts = {word, word.rpartition("=")[2], word.lstrip("@"), *word.split(":"), *word.split(",")}
    if re.match(r"-[A-Za-z].", word):  # -ffile, -I./folder
        texts.add(word[2:])
    for text in sorted(texts):
        if text and not text.startswith("-"):
            yield from of_path("path" if "/" in text.rstrip("/") or _is_glob(text) else kind, text)


def _is_glob(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def of_word(word: str) -> Iterator[Reference]:
    """A word that may be a path: as a whole, or after ``NAME=`` or ``--option=``."""
    for text in {word, word.rpartition("=")[2]}:
        if "://" not in text and ("/" in text or _CODE_SUFFIX.fullmatch(text)):
            yield from of_path("word", text)


def of_path(kind: Literal["script", "file", "path", "word", "folder"], text: str) -> Iterator[Reference]:
    if not text or len(text) > MAX_PATH_LENGTH or "\0" in text or "\n" in text:
        return
    if _OWN_STREAM.fullmatch(text):
        return
    if kind == "path" and text.endswith("}") and "{" in text and "$" not in text:  # d/{a,b}
        text = text.partition("{")[0] + "*"
    last = max(text.rfind(sign) for sign in _VARIABLE_SIGNS)
    if last < 0:
        yield Reference(kind, text)
    elif rest := text[last:].partition("/")[2].lstrip("/"):
        yield Reference(kind, rest, is_rooted=True)
    elif kind == "path" and "/" in text[:last] and "$" not in text[:last]:  # d/$name: anything in d
        folder = text[:last].rpartition("/")[0]
        if folder.strip("./"):
            yield Reference(kind, folder)


def of_windows(text: str) -> Iterator[Reference]:
    """Paths of a command for PowerShell or cmd, with their separators turned round."""
    if not _windows_text(text):
        return
    for found in _windows_word(text):
        yield from of_word(next(part for part in found.groups() if part).replace("\\", "/"))


def of_strings(text: str) -> Iterator[Reference]:
    for found in _quoted(text):
        yield from of_string(found[1])


def of_string(value: str) -> Iterator[Reference]:
    """A string of a program, if it ends like a script's name."""
    if _CODE_SUFFIX.fullmatch(value) and "://" not in value:
        yield from of_path("word", value)
        if value.startswith("/"):  # __dirname + "/lib.js"
            yield from of_path("word", f"${value}")
