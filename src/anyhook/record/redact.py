"""Takes secrets out of what is recorded: pure, the same JSON structure and types, and twice gives the same as once.

What it finds: values under secret-looking keys, assignments and options in text (``API_KEY=...``, ``--token ...``),
tokens of known shape, credentials in URLs and headers, private keys, settings of ``.env`` files, values of this
machine's secret-looking environment variables, each also in base64 or divided by a line break; the home folder (it
becomes ``~``) and the user's name in paths and addresses.

The time that it takes grows with the length of the text and no faster. This module and those that it imports load
nothing but :mod:`re`: they run in a process that a client waits for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from anyhook.guards.secret_patterns import CONTEXTS, HIDDEN, PLACES, TOKENS, SecretPattern
from anyhook.lazy_pattern import LazyPattern
from anyhook.record.encoded_secrets import hide_encoded
from anyhook.record.secret_names import is_dense, is_secret_key, looks_like_key, may_hold_secret, words_of
from anyhook.record.secret_values import hide_settings, hide_values
from anyhook.record.split_secrets import hide_rests, hide_split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANONYMOUS = "user"
"""Replaces the user's name."""
_COMMON_NAMES = words_of(
    "admin app build ci circleci codespace coder container daemon default dev docker ec2-user git guest home jenkins "
    "nobody node root runner test ubuntu user users vagrant vscode work www-data"
)
"""User names that identify no person."""
_ENV_FILE = LazyPattern(
    r"(?:^|[\s/\\\"'=])[\w-]{0,40}\.env(?:\.(?!example|sample|template|dist|schema)[\w-]{1,40}+){0,4}+(?![\w.])",
    re.ASCII,
)
"""A file of settings whose values may all be secrets."""
_QUOTED_IN_URLS = LazyPattern(r"[^A-Za-z0-9_]")
_END_OF_KEY = LazyPattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_MAX_SEARCHES = 3
_MAX_DEPTH = 2
"""How often a text that is searched may be encoded in another."""
_MAX_KEY_LINE = 160
_KEY_LINE = LazyPattern(r"[ \t>\"']{0,8}[A-Za-z0-9+/=]{16,128}[\"']?")


def _hide_rest_of_key(text: str, lowered: str) -> tuple[str, int]:
    """The text without private keys whose first line was cut off."""
    if "-----end " not in lowered:
        return text, 0
    pieces: list[str] = []
    done = 0
    for end in _END_OF_KEY.finditer(text):
        first = end.start()
        while (line := _key_line_before(text, first, done)) is not None:
            first = line
        if first < end.start():
            pieces += [text[done:first], HIDDEN]
            done = end.end()
    return "".join((*pieces, text[done:])), len(pieces) // 2


def _key_line_before(text: str, at: int, first: int) -> int | None:
    """Where a line of a key begins that ends here; None when there is none."""
    for line_end in ("\\n", "\r\n", "\n"):  # the first: in JSON inside a text
        if text.endswith(line_end, first, at):
            before = at - len(line_end)
            least = max(first, before - _MAX_KEY_LINE)
            ends = ((text.rfind(end, least, before), len(end)) for end in ("\n", "\\n"))
            begin = max((found + length for found, length in ends if found >= 0), default=least)
            return begin if _KEY_LINE.fullmatch(text, begin, before) else None
    return None


class Redactor:
    """Hides what must not leave this machine. It is made once and changes nothing about itself afterwards."""

    def __init__(
        self, environment: Mapping[str, str], home: str = "", user: str = "", own: Sequence[SecretPattern] = ()
    ) -> None:
        """``environment``: values of its secret-looking variables are secrets wherever they appear.

        ``own``: patterns that the user has added.
        """
        known = list(secret_variables(environment).values())
        user = user if len(user) > 2 and user.lower() not in _COMMON_NAMES else ""
        named = [_any_of(known)] if known else []
        self._of_lines = (*CONTEXTS, *own)
        """What may go over several lines as it is."""
        self._of_words = (*named, *own, *TOKENS, *PLACES)
        self._of_paths = (*named, *own, *TOKENS)
        self._shapes = (*named, *CONTEXTS, *own, *TOKENS, *PLACES)
        self._places = [*_home_shapes(home), *_user_shapes(user)]
        self._user = user

    def redact(self, value: Any) -> tuple[Any, int]:
        """The value without its secrets, and how many were taken out."""
        return self._value(value, in_secret=False, of_env_file=any(map(_ENV_FILE.search, _texts(value))))

    def text(self, text: str) -> tuple[str, int]:
        """One text without its secrets, and how many were taken out."""
        return self._text(text, of_env_file=_ENV_FILE.search(text) is not None)

    def name(self, text: str) -> str:
        """A name, such as that of a session, without secrets."""
        hidden, number = self._hide_plain(text, text.lower())
        return hidden if number else hide_encoded(text, self._holds_secret)[0]

    def path(self, text: str) -> str:
        """A path on this machine without secrets that are known by their form; its folders stay."""
        lowered = text.lower()
        for shape in self._of_paths:
            text = shape.hide(text, lowered)[0]
        return text

    def _text(self, text: str, *, of_env_file: bool) -> tuple[str, int]:
        """Searches again after a find: without a secret, what is beside it may look like one."""
        text, total = self._once(text, of_env_file=of_env_file)
        number = total
        for _ in range(_MAX_SEARCHES):
            if not number:
                break
            text, number = self._once(text, of_env_file=of_env_file)
            total += number
        return text, total

    def _once(self, text: str, *, of_env_file: bool) -> tuple[str, int]:
        if text == self._user:
            return (ANONYMOUS, 1) if text else ("", 0)
        lowered = text.lower()
        text, total = _hide_rest_of_key(text, lowered) if "-----begin" not in lowered else (text, 0)
        for shape in self._of_lines:
            text, number = shape.hide(text, lowered)
            total += number
        text, number = hide_split(text, self._of_words)
        total += number
        text, number = self._hide_plain(text, lowered, of_env_file=of_env_file)
        total += number
        text, number = hide_encoded(text, self._holds_secret)
        total += number
        text, number = hide_rests(text)
        total += number
        for shape in self._places:
            text, number = shape.hide(text, lowered)
            total += number
        return text, total

    def _hide_plain(self, text: str, lowered: str, *, of_env_file: bool = False) -> tuple[str, int]:
        """The text without secrets that stand in it as they are."""
        total = 0
        for shape in self._shapes:
            text, number = shape.hide(text, lowered)
            total += number
        text, number = hide_values(text, lowered)
        total += number
        text, number = hide_settings(text, all_of_them=of_env_file)
        return text, total + number

    def _holds_secret(self, text: str, is_text: bool, depth: int = 0) -> bool:
        """Whether what was encoded holds a secret; only by its form, if it may be readable by chance."""
        lowered = text.lower()
        if not is_text:
            return any(shape.hide(text, lowered)[1] for shape in self._shapes)
        if self._hide_plain(text, lowered)[1]:
            return True
        if depth >= _MAX_DEPTH:
            return False
        if hide_split(text, self._of_words)[1]:
            return True
        return bool(hide_encoded(text, lambda inner, is_text: self._holds_secret(inner, is_text, depth + 1))[1])

    def _value(self, value: Any, *, in_secret: bool, of_env_file: bool) -> tuple[Any, int]:
        if isinstance(value, str):
            if in_secret:
                return (HIDDEN, 1) if value and value != HIDDEN else (value, 0)
            return self._text(value, of_env_file=of_env_file)
        if isinstance(value, dict):
            return self._object(value, in_secret=in_secret, of_env_file=of_env_file)
        if isinstance(value, list | tuple):
            secrets = [in_secret or _is_given_to_option(value, i) for i in range(len(value))]
            done = [
                self._value(item, in_secret=secret, of_env_file=of_env_file)
                for item, secret in zip(value, secrets, strict=True)
            ]
            return [item for item, _ in done], sum(number for _, number in done)
        return value, 0

    def _object(self, members: dict[str, Any], *, in_secret: bool, of_env_file: bool) -> tuple[dict[str, Any], int]:
        hidden: dict[str, Any] = {}
        total = 0
        name_beside = next(
            (members[key] for key in ("name", "Name", "key", "Key") if isinstance(members.get(key), str)), ""
        )
        for key, value in members.items():
            name, number = self._text(key, of_env_file=False)
            of = name_beside if key.lower() == "value" and name_beside else key
            # What is left of a name counts, too: redacting a second time must find nothing.
            names = {of, name if of == key else self._text(of, of_env_file=False)[0]}
            while name in hidden:  # two keys that differ only in what was hidden
                name += "'"
            if isinstance(value, int | float) and not isinstance(value, bool):
                secret = value != 0 and (in_secret or any(is_secret_key(of, holds_number=True) for of in names))
                hidden[name] = 0 if secret else value
                total += number + secret
                continue
            is_secret = in_secret or any(
                is_secret_key(of) or (isinstance(value, str) and _is_key_under(of, value)) for of in names
            )
            hidden[name], more = self._value(value, in_secret=is_secret, of_env_file=of_env_file)
            total += number + more
        return hidden, total


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _is_key_under(name: str, value: str) -> bool:
    return (may_hold_secret(name) and looks_like_key(value)) or (name.isupper() and is_dense(value))


def _is_given_to_option(words: Sequence[Any], at: int) -> bool:
    """Whether this word of a command line is the value of an option before it: ``["--token", "x"]``."""
    before = words[at - 1] if at else None
    if not isinstance(before, str) or not before.startswith("-") or not isinstance(words[at], str):
        return False
    if before == "-p":
        return any(word in {"login", "sshpass"} for word in words[:2] if isinstance(word, str))
    return is_secret_key(before) and words[at][:1] not in "-$"


def redactor_of_this_machine(own: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> Redactor:
    """Hides the home folder and name of this user, the secrets in an environment (by default this process's), and what
    these patterns of the user match.
    """
    names = (os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME"))
    user = next(filter(None, names), "")
    home = os.path.expanduser("~")  # noqa: PTH111  pathlib costs
    variables = os.environ if environment is None else environment
    return Redactor(variables, home, user, [SecretPattern("own", ("",), text) for text in own])


def secret_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables whose values are secrets wherever they appear."""
    return {name: value for name, value in environment.items() if _is_secret_variable(name, value)}


def _is_secret_variable(name: str, value: str) -> bool:
    """Whether a variable's value may be searched for everywhere: a secret, and no ordinary word or path."""
    is_ordinary = value.isalpha() and len(value) < 16
    return is_secret_key(name) and len(value) >= 8 and not is_ordinary and value[0] not in "/~." and value[1:3] != ":\\"


def _any_of(texts: list[str]) -> SecretPattern:
    longest_first = sorted(texts, key=len, reverse=True)
    hints = tuple(max(_QUOTED_IN_URLS.split(text), key=len).lower() for text in texts)
    return SecretPattern("known", hints, "|".join(map(_plain_or_quoted, longest_first)))


def _plain_or_quoted(text: str) -> str:
    """A pattern for the text as it is, or with any of its signs quoted as in URLs."""
    return _QUOTED_IN_URLS.sub(lambda sign: _sign_or_quoted(sign[0]), text)


def _sign_or_quoted(sign: str) -> str:
    quoted = "".join(f"%{byte:02x}" for byte in sign.encode("utf-8", "surrogateescape"))
    return rf"(?:{re.escape(sign)}|(?i:{quoted}){'|[+]' if sign == ' ' else ''})"


def _home_shapes(home: str) -> list[SecretPattern]:
    home = home.rstrip("/\\")
    if len(home) < 3:
        return []
    spellings = (home, home.replace("\\", "/"), home.replace("\\", "\\\\"))  # the last: in JSON inside a text
    pattern = "|".join(map(re.escape, sorted(set(spellings), reverse=True)))
    hints = tuple(spelling.lower() for spelling in spellings)
    return [SecretPattern("home", hints, rf"(?<![A-Za-z0-9_.~-])(?:{pattern})(?![A-Za-z0-9_.-])", "~")]


def _user_shapes(user: str) -> list[SecretPattern]:
    if not user:
        return []
    name, hint = re.escape(user), (user.lower(),)
    return [
        SecretPattern("user", hint, rf"((?:home|Users)(?:[/-]|\\+)){name}(?![A-Za-z0-9])", rf"\1{ANONYMOUS}"),
        SecretPattern("user", hint, rf"(?<![A-Za-z0-9._-]){name}@", f"{ANONYMOUS}@"),
    ]


def restore_home(value: Any, home: str) -> Any:
    """The value with this home folder in place of ``~``, where a text is a path: for hooks that look at files."""
    if isinstance(value, str):
        return home + value[1:] if value == "~" or value.startswith(("~/", "~\\")) else value
    if isinstance(value, dict):
        return {key: restore_home(item, home) for key, item in value.items()}
    if isinstance(value, list):
        return [restore_home(item, home) for item in value]
    return value
