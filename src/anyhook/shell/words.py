"""The words of a shell command line: the pieces that one is made of, and what it becomes without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from typing import Protocol, TypeAlias

from anyhook.shell.command import ShellWord

Values: TypeAlias = Mapping[str, tuple[ShellWord, ...] | None]
"""The variables that a line has set; None where the value cannot be told."""
Place: TypeAlias = tuple[int, int]
NOWHERE: Place = (-1, -1)
MAX_WORDS = 256
"""Words that one word may become by brace expansion; what is beyond is left out."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_PLAIN = re.compile(r"[^\\'\"$`<>{*?\[]+")
_PLAIN_GLOB = re.compile(r"[^\\'\"$`<>{]+")
_PLAIN_QUOTED = re.compile(r"'([^']*)'|\"([^\"\\$`<>]*)\"")
"""Most words are one of these three; only the others are scanned."""
_GLOB = re.compile(r"[*?\[]")
_QUOTES = frozenset("'\"\\")
_BRACES = re.compile(r"\{([^{}\s]*(?:,|\.\.)[^{}\s]*)\}")
_TOKEN = re.compile(
    r"""(?P<escape>\\.) | (?P<single>'[^']*'?) | (?P<ansi>\$'(?:[^'\\]|\\.)*'?) | (?P<double>\$?") |
        (?P<start>\$\(|`|\$\{|[<>]\() | \$(?P<name>[A-Za-z_]\w*|[0-9@*#?$!-]) | (?P<text>[^\\'"$`<>]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = re.compile(r"""\\. | (?P<end>") | (?P<start>\$[({]|`)""", re.VERBOSE | re.DOTALL)
_IN_BACKTICKS = re.compile(r"\\.|`", re.DOTALL)
_IN_BRACKETS = re.compile(
    r"""\\. | '[^']*(?:'|$) | (?P<double>") | [(){}] | <<< | <<-?[ \t]*['"\\]?(?P<delimiter>\w+)['"]?""",
    re.VERBOSE | re.DOTALL,
)
_ANSI = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_ROUGH = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'?|"(?:[^"\\]|\\.)*"?)+""", re.DOTALL)
_BARE = re.compile(r"[\w./~=@:+-]+")
_PARAMETER = re.compile(r"(!?)([A-Za-z_]\w*|[0-9@*#?$!-])(?:\[([^\]]*)\])?(.*)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,9}")
_SLICE = re.compile(r":\s*(\d{1,9})(?::(\d{1,9}))?")
_SUBSTITUTION = re.compile(r"\$\([^()]*\)")

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


def rough_places(text: str) -> list[tuple[str, int]]:
    """The same, each with where it starts."""
    return [(found[0], found.start()) for found in _ROUGH.finditer(text)]


class Scope(Protocol):
    """What is known where a word stands."""

    @property
    def values(self) -> Values: ...

    def substitute(self, inner: str) -> str | None:
        """The output of a command substitution, if it is known; reads its commands either way."""

    def assign(self, name: str, words: tuple[ShellWord, ...]) -> None:
        """``${NAME:=words}``."""

    def spend(self, work: int) -> None:
        """Called with how much work each step is; raises an error when it was too much."""


class Piece:
    """A piece of a word as it is written."""

    __slots__ = ("end", "is_quoted", "kind", "start", "text")

    def __init__(self, kind: str, text: str, is_quoted: bool, start: int, end: int) -> None:
        self.kind = kind
        """Empty: the text itself. ``$``: a variable. Else what opens it: ``${``, ``$(``, a backtick, ``<(``, ``>(``."""
        self.text = text
        """Without quotes and escapes; of a variable its name, of what has brackets the inner text."""
        self.is_quoted = is_quoted
        self.start, self.end = start, end


def pieces(raw: str, start: int = 0, end: int | None = None, *, quoted: bool = False) -> Iterator[Piece]:
    """The pieces of a word, or of the part of one in double quotes."""
    position, stop = start, len(raw) if end is None else end
    while position < stop:
        match = _TOKEN.match(raw, position, stop)
        if match is None:  # pragma: no cover  the last alternative matches any character
            break
        kind, token, first, position = match.lastgroup, match[0], position, match.end()
        if quoted and kind in ("single", "ansi", "double"):
            position = first + 1
            yield Piece("", token[0], True, first, position)
        elif kind == "escape":
            keeps = quoted and token[1] not in '$`"\\\n'
            yield Piece("", "" if token[1] == "\n" else token if keeps else token[1], True, first, position)
        elif kind == "single":
            yield Piece("", token.strip("'"), True, first, position)
        elif kind == "ansi":
            yield Piece("", unescape_ansi(token[2:].removesuffix("'")), True, first, position)
        elif kind == "double":
            closing = _end_of_double(raw, position, stop)
            if closing == position:
                yield Piece("", "", True, first, closing)
            yield from pieces(raw, position, closing, quoted=True)
            position = closing + 1
        elif kind == "start":
            closing = _end_of_nested(raw, position, token, stop)
            position, inner = min(closing + 1, stop), raw[position:closing]
            yield Piece(token, inner, quoted, first, position)
        elif kind == "name":
            yield Piece("$", match["name"], quoted, first, position)
        else:
            yield Piece("", token, quoted, first, position)


def _end_of_double(raw: str, position: int, stop: int) -> int:
    while (found := _IN_DOUBLE.search(raw, position, stop)) is not None:
        if found["end"]:
            return found.start()
        position = found.end()
        if found["start"]:
            position = _end_of_nested(raw, position, found["start"], stop) + 1
    return stop


def _end_of_nested(raw: str, position: int, opening: str, stop: int) -> int:
    """The position of what closes ``$(``, ``${``, ``<(`` or a backtick; ``position`` is behind the opening."""
    if opening == "`":
        ends = (found for found in _IN_BACKTICKS.finditer(raw, position, stop) if found[0] == "`")
        return next((found.start() for found in ends), stop)
    opens, closes = ("{", "}") if opening == "${" else ("(", ")")
    depth = 1
    while (found := _IN_BRACKETS.search(raw, position, stop)) is not None:
        token, position = found[0], found.end()
        if token[0] == "'" and opening == "${":
            position = found.start() + 1
        elif found["double"]:
            position = _end_of_double(raw, position, stop) + 1
        elif found["delimiter"]:
            first = raw.find("\n", position, stop)
            last = raw.find("\n" + found["delimiter"], first, stop) if first >= 0 else -1
            position = last if last >= 0 else position
        elif token == opens:
            depth += 1
        elif token == closes:
            depth -= 1
            if not depth:
                return found.start()
    return stop


class _Part:
    """What a piece becomes: text that is protected from splitting or not, known or not."""

    __slots__ = ("is_known", "is_quoted", "items", "splits", "text")

    def __init__(self, text: str, *, is_quoted: bool = False, is_known: bool = True, splits: bool = False) -> None:
        self.text, self.is_quoted, self.is_known, self.splits = text, is_quoted, is_known, splits
        self.items: list[str] | None = None
        """Of ``"${a[@]}"``: the words, which are not split at their white space."""


def expand(raw_words: Iterable[str], scope: Scope, places: Iterable[Place] = ()) -> list[ShellWord]:
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
            for alternative in _alternatives(raw, scope):
                words += [_word(parts, is_quoted, place) for parts in _split(_parts(alternative, scope))]
    return words


def _alternatives(raw: str, scope: Scope) -> list[str]:
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
        items = _brace_items(match[1])[:MAX_WORDS]
        scope.spend(len(items) * (1 + len(text) // 500))
        waiting[:0] = [text[: match.start()] + item + text[match.end() :] for item in items]
    return done


def _brace_items(inner: str) -> list[str]:
    if "," in inner:
        return inner.split(",")
    first, _, last = inner.partition("..")
    if _NUMBER.fullmatch(first) and _NUMBER.fullmatch(last) and abs(int(first) - int(last)) < MAX_WORDS:
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
        texts = part.text.split() if part.items is None else part.items
        if part.text[:1].isspace() and part.items is None and words[-1]:
            words.append([])
        for number, text in enumerate(texts):
            if number:
                words.append([])
            words[-1].append(_Part(text, is_known=part.is_known, is_quoted=part.items is not None))
        if part.text[-1:].isspace() and texts:
            words.append([])
    return [parts for parts in words if parts and (len(parts) > 1 or parts[0].text or parts[0].is_quoted)]


def _word(parts: list[_Part], is_quoted: bool, place: Place) -> ShellWord:
    has_glob = any(not part.is_quoted and _GLOB.search(part.text) for part in parts)
    text = "".join([part.text for part in parts])
    return ShellWord(text, all(part.is_known for part in parts), has_glob, is_quoted, *place)


def expand_quoted(text: str, scope: Scope) -> str:
    """A text as if it were in double quotes, such as that of a here-document."""
    return "".join([_part(piece, scope).text for piece in pieces(text, quoted=True)])


def _parts(raw: str, scope: Scope) -> list[_Part]:
    return [_part(piece, scope) for piece in pieces(raw)]


def _part(piece: Piece, scope: Scope) -> _Part:
    kind, inner, quoted = piece.kind, piece.text, piece.is_quoted
    scope.spend(2 + len(inner) // 4 if len(kind) > 1 else 2)
    if not kind:
        return _Part(inner, is_quoted=quoted)
    if kind == "$":
        return _variable(inner, scope, quoted)
    if kind == "${":
        return _parameter(inner, scope, quoted)
    if kind == "$(" and inner.startswith("("):
        _parts(inner, scope)  # arithmetic: some number, but what is substituted in it runs
        return _Part("0", is_quoted=True)
    if kind == "`":
        inner = re.sub(r"\\([`$\\])", r"\1", inner)
    output = scope.substitute(inner)
    if kind in ("<(", ">("):
        return _Part(f"{kind}{inner})", is_known=False, is_quoted=True)
    if output is None:
        return _Part(f"$({inner})", is_known=False, is_quoted=True)
    return _Part(output.rstrip("\n"), is_quoted=quoted, splits=not quoted)


def _unknown(inner: str) -> _Part:
    return _Part(f"${{{inner}}}", is_known=False, is_quoted=True)


def _variable(name: str, scope: Scope, quoted: bool, items: slice | None = None) -> _Part:
    if name in scope.values:
        words = scope.values[name]
        if words is None:
            return _unknown(name)
        if items is not None:
            words = words[items]
        known = all(word.is_known for word in words)
        text = " ".join([word.text for word in words])
        scope.spend(len(text) // 100)
        # "$@" is one word for each argument, and what a substitution prints is not known
        splits = name == "@" or not (quoted or _SUBSTITUTION.fullmatch(text))
        part = _Part(text, is_known=known, is_quoted=quoted, splits=splits or items is not None)
        if quoted and items is not None:
            part.items = [word.text for word in words]
        return part
    if (known_value := KNOWN_VARIABLES.get(name)) is not None:
        return _Part(known_value, is_quoted=quoted, splits=name == "IFS")
    return _unknown(name)


def _parameter(inner: str, scope: Scope, quoted: bool) -> _Part:
    """``${NAME}`` and its forms. A form that changes the value makes it unknown, unless the value is known."""
    match = _PARAMETER.fullmatch(inner)
    if match is None:
        return _unknown(inner)
    indirect, name, key, rest = match.groups()
    items = None
    if key is not None and _NUMBER.fullmatch(key) and len(scope.values.get(name) or ()) > 1:
        items = slice(int(key), int(key) + 1)
    elif key in ("@", "*") and (cut := _SLICE.fullmatch(rest)) is not None:
        first = int(cut[1])
        items, rest = slice(first, None if cut[2] is None else first + int(cut[2])), ""
    elif key == "@" and not rest:
        items = slice(None)
    part = _variable(name, scope, quoted, items)
    if indirect and part.is_known:
        return _variable(part.text, scope, quoted)
    if not rest:
        return part
    if rest.startswith(("=", ":=")) and not part.is_known:
        scope.assign(name, tuple(expand([rest.partition("=")[2]], scope)))
    return _changed(part, rest, scope) or _unknown(inner)


def _changed(part: _Part, rest: str, scope: Scope) -> _Part | None:
    if (default := re.fullmatch(r":?([-=+?])(.*)", rest, re.DOTALL)) is not None:
        if part.is_known and default[1] != "+":
            return part
        if default[1] == "?":
            return part
        words = expand([default[2]], scope) or [ShellWord("")]
        text = " ".join([word.text for word in words])
        return _Part(text, is_known=words[0].is_known, is_quoted=part.is_quoted, splits=part.splits)
    _parts(rest, scope)  # what is substituted in it runs
    if not part.is_known:
        return None
    text = part.text
    if (piece := re.fullmatch(r":\s*(-?\d{1,9})(?::(-?\d{1,9}))?", rest)) is not None:
        start, length = int(piece[1]), piece[2]
        text = text[start:] if length is None else text[start:][: int(length)]
    elif (swap := re.fullmatch(r"(//?)([^/]*)(?:/(.*))?", rest, re.DOTALL)) is not None:
        text = text.replace(swap[2], swap[3] or "", -1 if swap[1] == "//" else 1)
        scope.spend(len(text) // 100)
    elif rest in (",,", "@L"):
        text = text.lower()
    elif rest in ("^^", "@U"):
        text = text.upper()
    elif (cut := re.fullmatch(r"(##?|%%?)(.*)", rest)) is not None:
        text = text.removeprefix(cut[2]) if "#" in cut[1] else text.removesuffix(cut[2])
    else:
        return None
    return _Part(text, is_quoted=part.is_quoted, splits=part.splits)
