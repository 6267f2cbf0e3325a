"""Takes out values that are given to secret-looking names, in every notation that programs and people use.

The text is read once: each name is looked at one time, and what is read for it is bounded or taken out.
"""

from __future__ import annotations

import re

from anyhook.guards.secret_patterns import HIDDEN
from anyhook.lazy_pattern import LazyPattern
from anyhook.record.secret_names import (
    MAX_NAME_LENGTH,
    is_dense,
    is_secret_key,
    looks_like_key,
    looks_random,
    may_hold_secret,
    words_of,
)

_HINTS = ("key", "pass", "pwd", "pw", "secret", "token", "cred", "signature", "jwt", "auth", "psk", "otp", "pat", "senha",  # noqa: E501
          "mnemonic", "bearer", "cookie", "pin")  # fmt: skip
"""The name of every value that :func:`hide_values` takes out has one of them in it."""
_NOT_A_VALUE = words_of(
    "any ask bool boolean bytes changeme char date default disabled empty enabled expired false float hidden "
    "input int integer invalid missing nil no none null number object off ok on optional os passwd password "
    "prompt required secret self str string text token true undefined unknown valid varchar void yes"
)
_ANY_HINT = LazyPattern("|".join(_HINTS), re.IGNORECASE)
_NAME_CHARACTERS = LazyPattern(r"[\w.-]*+", re.ASCII)
_QUOTED = r"\\\"[^\"\\\r\n]{1,256}+|\\'[^'\\\r\n]{1,256}+|\"(?:[^\"\\\r\n]|\\.){1,256}+|'[^'\r\n]{1,256}+"
_BARE = r"[^\s\"'\\,;&|<>(){}\[\]`$]{1,256}+"
_RESTS = {
    '\\"': LazyPattern(r"[^\"\\\r\n]*+"),
    "\\'": LazyPattern(r"[^'\\\r\n]*+"),
    '"': LazyPattern(r"(?:[^\"\\\r\n]|\\.)*+"),
    "'": LazyPattern(r"[^'\r\n]*+"),
    "": LazyPattern(r"[^\s\"'\\,;&|<>(){}\[\]`$]*+"),
}
"""What follows the beginning of a value, by its quote: it is read when the value is a secret, and then only once."""
_ASSIGNED = LazyPattern(
    r"(\\?[\"']?+\]?+[ \t\u00a0]{0,16}+(?::=|=>|=(?!=)|:(?!:)|\?=|[\uff1a\uff1d])[ \t\u00a0]{0,16}+"
    r"|[ \t\u00a0]{1,16}+(?:\\\r?\n[ \t]{0,16}+)?+"
    r"|\\?[\"'],[ \t]{0,4}+(?=\\?[\"']))"
    rf"({_QUOTED}|{_BARE})",
    re.ASCII,
)
_NEXT_LINE = LazyPattern(
    r"\\?[\"']?+[ \t]{0,8}+[:=][ \t]{0,8}+([|>][+-]?\d?)?[ \t]{0,8}+(?:\r?\n|\\n)([ \t]{0,32}+)"
    r"([^\s:\\,\"'<>(){}\[\]`$|#=-][^\s\\,\"'<>(){}\[\]`$]{2,512}+|\"[^\"\r\n]{3,512}+|'[^'\r\n]{3,512}+)(?=[\"',]{0,2}+[ \t]{0,16}+(?:\r?\n|\\n|\Z))"  # noqa: E501
)
_ARGUMENT_LINE = LazyPattern(r"(?:\r?\n|\\n)([^\s\"'\\,;:&|<>(){}\[\]`$=-][^\s\"'\\<>]{5,512}+)(?=\r?\n|\\n|\Z)")
"""The value of an option where each argument has its own line."""
_BLOCK_LINE = r"(?:\r?\n|\\n)[ \t]{%d}[^\r\n\\]++"
_ELEMENT = LazyPattern(
    r"(?:[\"'][^<>\r\n]{0,100}+)?+>(?:([^<>\r\n]{1,4096}+)(?=</)"  # <password>x</password>
    r"|<!\[CDATA\[([^<>\r\n\]]{1,4096}+)(?=\]\]>))"
    r"|</key>\s{0,64}+<string>([^<>\r\n]{1,4096}+)(?=</)"  # property lists
)
_NAMED = LazyPattern(  # name="password" value="x", {"name": "TOKEN", "value": "x"}, - name: TOKEN\n  value: x
    rf"\\?[\"']?+,?+(?:\s|\\n){{1,64}}+\\?[\"']?+[Vv]alue\\?[\"']?+[ \t]{{0,8}}+[:=][ \t]{{0,8}}+({_QUOTED}|{_BARE})"
)
_MENTIONED = LazyPattern(
    r"\w{0,12}+[^\w\r\n<]{1,4}+(?:(?:is|was|key|value|here)[^\w\r\n<]{1,4}+)?+([A-Za-z0-9+/_=-]{20,512}+)", re.ASCII
)
"""A long text right behind a secret-looking word: "the token is ..."."""
_PLAIN_NAME = LazyPattern(r"[A-Z]{2,64}+|[A-Z]?[a-z]{1,64}+(?:[A-Z][a-z]{2,32}+){0,8}+")
"""A word of people: ``token``, ``TOKEN``, ``accessToken``."""
_SAID = LazyPattern(r"[ \t](?:is|was)[ \t:]{1,2}\\?[\"'`]?+([A-Za-z0-9!@#%^*_+.-]{6,128}+)", re.ASCII)
_SETTER = LazyPattern(
    r"(?:^|[\s;&|\"'(])(?:ENV|ARG|setenv|setx|set|config|add|put|export|env|--env|-x|-[gU]x|-xg|secret)[ \t]{1,8}+"
    r"(?:--?\w{1,16}+[ \t]{1,8}+){0,2}+\S{0,64}+\Z"
)
"""What is before a name whose value follows after a space: ``ENV TOKEN x``, ``npm config set //host/:_authToken x``."""
_NETRC = LazyPattern(r"(?:(?:machine|login|account)\s{1,8}\S{1,64}|\bdefault)(?:\s|\\n){1,8}\Z")
_ENV_LINE = LazyPattern(
    r"(?:(?<=\n)|(?<=\\n)|\A)([ \t]*+(?:\d{1,6}(?:→|\t|:))?+[ \t]*+(?:export[ \t]++|set[ \t]++|-[ \t]++)?+([A-Z][A-Z0-9_]{1,63}+)=)"  # noqa: E501
    r"(\"(?:[^\"\\\r\n]|\\.){1,4096}+|'[^'\r\n]{1,4096}+|[^\s\"'<\\]{1,4096}+)(?=[\"']?+[ \t]*+(?:[\r\n\\]|\Z))"
)
_WHOLE_WORD = LazyPattern(r"[^\s;<$`][^\s;]*+")
_REST_OF_HEADER = LazyPattern(r"[^\r\n\"'\\<][^\r\n\"'\\]*+")
_LINE_BEFORE = 96
_HARMLESS_SETTING = LazyPattern(
    r"(?i)(?:true|false|yes|no|on|off|none|null|\d{1,5}|dev|development|prod|production|staging|test|testing|local|localhost"
    r"|debug|info|warn|warning|error|utf-?8|utc|en_us|c|[.\d]{1,16})"
)


def hide_values(text: str, lowered: str) -> tuple[str, int]:
    """The text without values given to secret-looking names: ``API_KEY=x``, ``"token": "x"``, ``--password x``."""
    if not any(hint in lowered for hint in _HINTS):
        return text, 0
    pieces: list[str] = []
    done = 0  # what is before it is in the pieces
    looked_at = 0  # and the names before this were looked at
    number = 0
    for hint in _ANY_HINT.finditer(text):
        if hint.start() < looked_at:
            continue
        run = _NAME_CHARACTERS.match(text, hint.end())
        looked_at = end = run.end() if run else hint.end()
        start = _start_of_name(text, end, max(done, hint.start() - MAX_NAME_LENGTH))
        for first, last in _secrets_behind(text, start, end, hint.end()):
            pieces += [text[done:first], HIDDEN]
            done = looked_at = last
            number += 1
    return "".join((*pieces, text[done:])), number


def hide_settings(text: str, *, all_of_them: bool) -> tuple[str, int]:
    """The text without values of lines such as ``NAME=VALUE`` that look like keys, or without any that may be secret."""  # noqa: E501
    if "=" not in text:
        return text, 0
    number = 0

    def hidden(line: re.Match[str]) -> str:
        nonlocal number
        bare = _unopened(line[3])
        is_secret = is_dense(bare) or (may_hold_secret(line[2]) and looks_like_key(bare))
        if all_of_them and not _HARMLESS_SETTING.fullmatch(bare) and bare[0] not in "$<":
            is_secret = True
        if not is_secret:
            return line[0]
        number += 1
        return line[1] + line[3][: len(line[3]) - len(bare)] + HIDDEN

    return _ENV_LINE.sub(hidden, text), number


def _start_of_name(text: str, at: int, first: int) -> int:
    """Where the name begins that ends here."""
    first = max(first, at - MAX_NAME_LENGTH)
    while at > first and (text[at - 1].isalnum() or text[at - 1] in "_.-"):
        at -= 1
    return at


def _secrets_behind(text: str, start: int, end: int, end_of_hint: int) -> list[tuple[int, int]]:
    """The places of the secrets that follow a name."""
    name = text[start:end].strip(".")
    if is_secret_key(name):
        found = (
            _in_next_line(text, end)
            or _in_next_argument(text, name, end)
            or _assigned(text, name, start, end)
            or _in_element(text, start, end)
            or _beside_its_name(text, end)
        )
        if found:
            return found
    elif may_hold_secret(name):
        sign = _ASSIGNED.match(text, end)
        if sign is not None and not sign[1].isspace() and looks_like_key(_unopened(sign[2]), 16):
            return [_whole(text, sign, 2)]
    said = _SAID.match(text, end)
    if said is not None and is_secret_key(name) and looks_random(said[1], 6):
        return [said.span(1)]
    mentioned = _MENTIONED.match(text, end_of_hint)
    if (
        mentioned is not None
        and looks_random(mentioned[1])
        and text[start:end_of_hint].lower()[-3:] not in {"pat", "pin"}
        and not _is_noise(text[start : mentioned.start(1)])
    ):
        return [_whole(text, mentioned, 1)]
    return []


def _is_noise(before: str) -> bool:
    """Whether what is before a value has a hint by chance: base64 of an image has many, between ``+`` and ``/``."""
    name = before.rstrip("+/=\\")
    return name != before and name.isalnum() and _PLAIN_NAME.fullmatch(name) is None


def _assigned(text: str, name: str, start: int, end: int) -> list[tuple[int, int]]:
    found = _ASSIGNED.match(text, end)
    if found is None:
        return []
    if _is_line_of_environment(text, name, start, found):
        line = _WHOLE_WORD.match(text, found.start(2))
        if line is not None and _may_be_value(line[0]) and text[line.end() : line.end() + 1] in ("", "\n", "\r"):
            return [line.span()]
    if _is_header(text, name, start, found):
        line = _REST_OF_HEADER.match(text, found.start(2))
        return [line.span()] if line is not None and _may_be_value(line[0]) else []
    if not _is_secret_value(text, name, start, found):
        return []
    return [_whole(text, found, 2)]


def _is_line_of_environment(text: str, name: str, start: int, found: re.Match[str]) -> bool:
    """Whether this is ``NAME=VALUE`` on a line of its own, whose value may hold any sign."""
    is_plain = found[1] == "=" and name.isupper() and found[2][0] not in "\"'\\"
    return is_plain and text[max(0, start - 1) : start] in ("", "\n")


def _is_header(text: str, name: str, start: int, found: re.Match[str]) -> bool:
    """Whether this is the line of an HTTP header: ``X-Vault-Token: x``."""
    return (
        "-" in name
        and name[:1] != "-"
        and found[1].strip() == ":"
        and text[max(0, start - 1) : start] in ("", "\n", '"', "'", " ", "\t")
    )


def _may_be_value(bare: str) -> bool:
    return len(bare) >= 3 and bare[0] not in "$%<{*" and bare.lower() not in _NOT_A_VALUE and not is_reference(bare)


def is_reference(bare: str) -> bool:
    """Whether a value only says where the secret is, or that it is hidden."""
    return bare.startswith(("os.environ", "process.env", "env.", "env(", "vault:", "op://", "secrets.", "...", "xxx"))


def _is_secret_value(text: str, name: str, start: int, found: re.Match[str]) -> bool:
    """Whether this is a secret, rather than a reference to one or the code that deals with it."""
    sign, value = found[1], found[2]
    bare = _unopened(value)
    if not _may_be_value(bare):
        return False
    is_quoted = bare != value
    if sign.isspace():
        return _is_given_after_space(text, name, start, bare, is_quoted=is_quoted)
    if "," in sign:
        return name.startswith("-") or (looks_random(bare, 8) and not is_secret_key(bare))
    if bare[0] == "-" and sign[-1] in " \t":
        return False
    if is_quoted or not sign[-1:].isspace() or (len(bare) >= 6 and any(map(str.isdigit, bare))):
        return True
    return _is_alone_in_line(text, start, found, bare)


def _is_given_after_space(text: str, name: str, start: int, bare: str, *, is_quoted: bool) -> bool:
    before = text[max(0, start - _LINE_BEFORE) : start]
    if bare[0] == "-":
        return False
    if name.startswith("-"):
        return True
    if name.lower() in {"password", "passwd"} and (_NETRC.search(before) or (is_quoted and name.isupper())):
        return True
    return _SETTER.search(before) is not None and bare[0] not in "=:+!" and not is_secret_key(bare)


def _is_alone_in_line(text: str, start: int, found: re.Match[str], bare: str) -> bool:
    """Whether this is ``name: value`` on a line of its own, as in YAML; a value in capitals may be a type."""
    is_alone = text[found.end() : found.end() + 1] in ("", "\n", "\r")
    begins = text[max(0, start - 40) : start].rpartition("\n")[2].strip(" \t-\"'") == ""
    is_word = bare.islower() and len(bare) >= 6 and bare.isalpha()
    return ":" in found[1] and is_alone and begins and is_word and not is_secret_key(bare)


def _in_next_line(text: str, end: int) -> list[tuple[int, int]]:
    """``TOKEN:`` with its value in the next line, or in a block of lines."""
    found = _NEXT_LINE.match(text, end)
    if found is None:
        return []
    bare = _unopened(found[3])
    if not _may_be_value(bare):
        return []
    if found[1] is None:
        is_value = found[3] != bare or looks_random(bare, 8)
        return [_whole(text, found, 3)] if is_value and not bare.endswith(":") else []
    last = found.end(3)
    line = re.compile(_BLOCK_LINE % max(1, len(found[2])))
    while more := line.match(text, last):
        last = more.end()
    return [(found.start(3), last)]


def _in_next_argument(text: str, name: str, end: int) -> list[tuple[int, int]]:
    found = _ARGUMENT_LINE.match(text, end) if name.startswith("-") else None
    is_value = found is not None and _may_be_value(found[1]) and any(map(str.isdigit, found[1]))
    return [found.span(1)] if found is not None and is_value else []


def _in_element(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """``<password>x</password>`` and ``<property name="password">x</property>``."""
    if text[max(0, start - 1) : start] not in {"<", ">", '"', "'", ":"}:
        return []
    found = _ELEMENT.match(text, end)
    if found is None or found.lastindex is None or not _may_be_value(found[found.lastindex].strip()):
        return []
    return [found.span(found.lastindex)]


def _beside_its_name(text: str, end: int) -> list[tuple[int, int]]:
    found = _NAMED.match(text, end)
    return [_whole(text, found, 1)] if found is not None and _may_be_value(_unopened(found[1])) else []


def _whole(text: str, found: re.Match[str], group: int) -> tuple[int, int]:
    """The place of a value whose beginning was found, without the quote that it starts with."""
    bare = _unopened(found[group])
    quote = found[group][: len(found[group]) - len(bare)]
    rest = _RESTS[quote].match(text, found.end(group))
    return found.end(group) - len(bare), rest.end() if rest else found.end(group)


def _unopened(value: str) -> str:
    """A value without the quote that it starts with."""
    return value.removeprefix("\\")[1:] if value.removeprefix("\\")[:1] in ("'", '"') else value
