"""Expand the words of a shell command line without running anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat
from typing import TypeAlias

from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import ShellWord

Values: TypeAlias = Mapping[str, tuple[ShellWord, ...] | None]
"""The variables that a line has set; None where the value cannot be told."""
Substitute: TypeAlias = Callable[[str], str | None]
"""The output of a command substitution, if it is known; reads its commands either way."""

MAX_WORDS = 256
"""Words that one word may become by brace expansion; what is beyond is left out."""

_QUOTED = LazyPattern(r"'[^']*'|\"[^\"]*\"")
_PLAIN = LazyPattern(r"[^\\'\"$`<>{*?\[]+")
_PLAIN_GLOB = LazyPattern(r"[^\\'\"$`<>{]+")
_PLAIN_QUOTED = LazyPattern(r"'([^']*)'|\"([^\"\\$`<>]*)\"")
"""Most words are one of these three; only the others are scanned character by character."""
_GLOB = LazyPattern(r"[*?\[]")
_QUOTES = frozenset("'\"\\")
_BRACES = LazyPattern(r"\{([^{}\s]*(?:,|\.\.)[^{}\s]*)\}")
_TOKEN = LazyPattern(
    r"""(?P<escape>\\.) | (?P<single>'[^']*'?) | (?P<ansi>\$'(?:[^'\\]|\\.)*'?) | (?P<double>\$?") |
        (?P<start>\$\(|`|\$\{|[<>]\() | \$(?P<name>[A-Za-z_]\w*|[0-9@*#?$!-]) | (?P<text>[^\\'"$`<>]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_ANSI = LazyPattern(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_ROUGH = LazyPattern(r"""(?:[^\s'"\\]|\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?)+""", re.DOTALL)
_BARE = LazyPattern(r"[\w./~=@:+-]+")
_PARAMETER = LazyPattern(r"(!?)([A-Za-z_]\w*|[0-9@*#?$!-])(?:\[[^\]]*\])?(.*)", re.DOTALL)

KNOWN_VARIABLES = {
    "HOME": "~",
    "PWD": ".",
    "CLAUDE_PROJECT_DIR": ".",
    "GITHUB_WORKSPACE": ".",
    "TMPDIR": "/tmp",
    "TMP": "/tmp",
    "TEMP": "/tmp",
    "RUNNER_TEMP": "/tmp",
    "IFS": " ",
    "EMPTY": "",
    "SHELL": "bash",
    "BASH": "bash",
    "@": "",
    "*": "",
}
"""Variables whose meaning is known without the line that sets them; folders as :mod:`anyhook.paths` writes them."""


def without_quoted(text: str) -> str:
    """A line with empty quotes in the place of quoted texts, to search it for what the shell itself reads."""
    return _QUOTED.sub("''", text)


def unescape_ansi(text: str) -> str:
    """The text of ``$'...'``."""

    def replace(match: re.Match[str]) -> str:
        hexadecimal, short, long, octal, other = match.groups()
        if other:
            return _ANSI_LETTERS.get(other, other)
        code = int(octal, 8) if octal else int(hexadecimal or short or long, 16)
        return chr(code) if code < 0x110000 else ""

    return _ANSI.sub(replace, text)


def value_text(words: tuple[ShellWord, ...] | None) -> str:
    """The value of a variable as one text."""
    return " ".join([word.text for word in words]) if words else ""


def quoted(text: str) -> str:
    """A text as one word of a line."""
    return text if _BARE.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def rough_words(text: str) -> list[str]:
    """Words by quotes and white space alone."""
    return _ROUGH.findall(text)


class _Part:
    """A piece of a word: text that is quoted or not, known or not."""

    __slots__ = ("is_known", "is_quoted", "splits", "text")

    def __init__(self, text: str, *, is_quoted: bool = False, is_known: bool = True, splits: bool = False) -> None:
        self.text, self.is_quoted, self.is_known, self.splits = text, is_quoted, is_known, splits


Place: TypeAlias = tuple[int, int]
NOWHERE: Place = (-1, -1)


def expand(
    raw_words: Iterable[str], values: Values, substitute: Substitute, places: Iterable[Place] = ()
) -> list[ShellWord]:
    """The words that words of the line become, each none, one or several; ``places`` is where they are in the line."""
    words: list[ShellWord] = []
    for raw, place in zip(raw_words, chain(places, repeat(NOWHERE)), strict=False):
        if _PLAIN.fullmatch(raw):
            words.append(ShellWord(raw, True, False, False, *place))
        elif (quoted := _PLAIN_QUOTED.fullmatch(raw)) is not None:
            words.append(ShellWord(quoted[quoted.lastindex or 0], True, False, True, *place))
        elif _PLAIN_GLOB.fullmatch(raw):
            words.append(ShellWord(raw, True, True, False, *place))
        else:
            is_quoted = not _QUOTES.isdisjoint(raw)
            for alternative in _alternatives(raw):
                parts = _scan(alternative, values, substitute)
                words += [_word(some, is_quoted, place) for some in _split(parts)]
    return words


def _alternatives(raw: str) -> list[str]:
    """Brace expansion, which comes before everything else. Braces in quotes are no braces."""
    if "{" not in raw or "'" in raw or '"' in raw or "${" in raw:
        return [raw]
    done: list[str] = []
    waiting = [raw]
    while waiting and len(done) < MAX_WORDS:
        text = waiting.pop(0)
        match = _BRACES.search(text)
        if match is None or len(waiting) > MAX_WORDS:
            done.append(text)
            continue
        waiting[:0] = [text[: match.start()] + item + text[match.end() :] for item in _brace_items(match[1])]
    return done


def _brace_items(inner: str) -> list[str]:
    if "," in inner:
        return inner.split(",")
    first, _, last = inner.partition("..")
    if first.isdecimal() and last.isdecimal() and abs(int(first) - int(last)) < MAX_WORDS:
        low, high = sorted((int(first), int(last)))
        return [str(number) for number in range(low, high + 1)]
    return [inner]


def _split(parts: list[_Part]) -> list[list[_Part]]:
    """The parts of one word, split where an unquoted value contains white space."""
    words: list[list[_Part]] = [[]]
    for part in parts:
        if not part.splits:
            words[-1].append(part)
            continue
        pieces = part.text.split()
        if part.text[:1].isspace() and words[-1]:
            words.append([])
        for number, piece in enumerate(pieces):
            if number:
                words.append([])
            words[-1].append(_Part(piece, is_known=part.is_known))
        if part.text[-1:].isspace() and pieces:
            words.append([])
    return [parts for parts in words if parts and (len(parts) > 1 or parts[0].text or parts[0].is_quoted)]


def _word(parts: list[_Part], is_quoted: bool, place: Place) -> ShellWord:
    has_glob = any(not part.is_quoted and _GLOB.search(part.text) for part in parts)
    text = "".join([part.text for part in parts])
    return ShellWord(text, all(part.is_known for part in parts), has_glob, is_quoted, *place)


def _scan(raw: str, values: Values, substitute: Substitute, *, quoted: bool = False) -> list[_Part]:
    parts: list[_Part] = []
    position = 0
    while position < len(raw):
        match = _TOKEN.match(raw, position)
        if match is None:  # pragma: no cover  the last alternative matches any character
            break
        kind, token, position = match.lastgroup, match[0], match.end()
        if quoted and kind in ("single", "ansi", "double"):
            parts.append(_Part(token[0], is_quoted=True))
            position = match.start() + 1
        elif kind == "escape":
            keeps = quoted and token[1] not in '$`"\\\n'
            parts.append(_Part("" if token[1] == "\n" else token if keeps else token[1], is_quoted=True))
        elif kind == "single":
            parts.append(_Part(token.strip("'"), is_quoted=True))
        elif kind == "ansi":
            parts.append(_Part(unescape_ansi(token[2:].removesuffix("'")), is_quoted=True))
        elif kind == "double":
            end = _end_of_double(raw, position)
            inner = _scan(raw[position:end], values, substitute, quoted=True)
            parts += inner or [_Part("", is_quoted=True)]
            position = end + 1
        elif kind == "start":
            end = _end_of_nested(raw, match.start(), token)
            parts.append(_nested(token, raw[position:end], values, substitute, quoted))
            position = end + 1
        elif kind == "name":
            parts.append(_variable(match["name"], values, quoted))
        else:
            parts.append(_Part(token, is_quoted=quoted))
    return parts


def _end_of_double(raw: str, position: int) -> int:
    while position < len(raw):
        character = raw[position]
        if character == '"':
            return position
        if character == "\\":
            position += 2
        elif raw.startswith(("$(", "${"), position):
            position = _end_of_nested(raw, position, raw[position : position + 2]) + 1
        elif character == "`":
            position = _end_of_nested(raw, position, "`") + 1
        else:
            position += 1
    return len(raw)


def _end_of_nested(raw: str, start: int, opening: str) -> int:
    """The position of what closes ``$(``, ``${``, ``<(`` or a backtick."""
    position, depth = start + len(opening), 1
    if opening == "`":
        while position < len(raw) and raw[position] != "`":
            position += 2 if raw[position] == "\\" else 1
        return min(position, len(raw))
    opens, closes = ("{", "}") if opening == "${" else ("(", ")")
    while position < len(raw):
        character = raw[position]
        if character == "\\":
            position += 1
        elif character == "'" and opening != "${":
            position = raw.find("'", position + 1)
            if position < 0:
                return len(raw)
        elif character == '"':
            position = _end_of_double(raw, position + 1)
        elif character == opens:
            depth += 1
        elif character == closes:
            depth -= 1
            if not depth:
                return position
        position += 1
    return len(raw)


def _nested(opening: str, inner: str, values: Values, substitute: Substitute, quoted: bool) -> _Part:
    if opening == "${":
        return _parameter(inner, values, substitute, quoted)
    if opening == "$(" and inner.startswith("("):
        _scan(inner, values, substitute)  # arithmetic: some number, but what is substituted in it runs
        return _Part("0", is_quoted=True)
    if opening == "`":
        inner = re.sub(r"\\([`$\\])", r"\1", inner)
    output = substitute(inner)
    if opening in ("<(", ">("):
        return _Part(f"{opening}{inner})", is_known=False, is_quoted=True)
    if output is None:
        return _Part(f"$({inner})", is_known=False, is_quoted=True)
    return _Part(output.rstrip("\n"), is_quoted=quoted, splits=not quoted)


_SUBSTITUTION = LazyPattern(r"\$\([^()]*\)")


def _variable(name: str, values: Values, quoted: bool) -> _Part:
    if name in values:
        words = values[name]
        if words is None:
            return _Part(f"${{{name}}}", is_known=False, is_quoted=True)
        known = all(word.is_known for word in words)
        text = " ".join([word.text for word in words])
        # "$@" is one word for each argument, and what a substitution prints is not known
        splits = name == "@" or not (quoted or _SUBSTITUTION.fullmatch(text))
        return _Part(text, is_known=known, is_quoted=quoted, splits=splits)
    if (known_value := KNOWN_VARIABLES.get(name)) is not None:
        return _Part(known_value, is_quoted=quoted, splits=name == "IFS")
    return _Part(f"${{{name}}}", is_known=False, is_quoted=True)


def _parameter(inner: str, values: Values, substitute: Substitute, quoted: bool) -> _Part:
    """``${NAME}`` and its forms. A form that changes the value makes it unknown, unless the value is known."""
    match = _PARAMETER.fullmatch(inner)
    if match is None:
        return _Part(f"${{{inner}}}", is_known=False, is_quoted=True)
    indirect, name, rest = match.groups()
    part = _variable(name, values, quoted)
    if indirect and part.is_known:
        return _variable(part.text, values, quoted)
    if not rest:
        return part
    return _changed(part, rest, values, substitute) or _Part(f"${{{inner}}}", is_known=False, is_quoted=True)


def _changed(part: _Part, rest: str, values: Values, substitute: Substitute) -> _Part | None:
    if (default := re.fullmatch(r":?([-=+?])(.*)", rest, re.DOTALL)) is not None:
        if part.is_known and default[1] != "+":
            return part
        if default[1] == "?":
            return part
        words = expand([default[2]], values, substitute) or [ShellWord("")]
        text = " ".join([word.text for word in words])
        return _Part(text, is_known=words[0].is_known, is_quoted=part.is_quoted, splits=part.splits)
    _scan(rest, values, substitute)  # what is substituted in it runs
    if not part.is_known:
        return None
    text = part.text
    if (piece := re.fullmatch(r":\s*(-?\d+)(?::(-?\d+))?", rest)) is not None:
        start, length = int(piece[1]), piece[2]
        text = text[start:] if length is None else text[start:][: int(length)]
    elif (swap := re.fullmatch(r"//?([^/]*)(?:/(.*))?", rest, re.DOTALL)) is not None:
        text = (
            text.replace(swap[1], swap[2] or "") if rest.startswith("//") else text.replace(swap[1], swap[2] or "", 1)
        )
    elif rest in (",,", "@L"):
        text = text.lower()
    elif rest in ("^^", "@U"):
        text = text.upper()
    elif (cut := re.fullmatch(r"(##?|%%?)(.*)", rest)) is not None:
        text = text.removeprefix(cut[2]) if "#" in cut[1] else text.removesuffix(cut[2])
    else:
        return None
    return _Part(text, is_quoted=part.is_quoted, splits=part.splits)
