"""Takes secrets out of what is recorded: pure, the same JSON structure and types, and twice gives the same as once.

What it finds: values under secret-looking keys, assignments and options in text (``API_KEY=...``, ``--token ...``),
tokens of known shape, credentials in URLs and headers, private keys, values of this machine's secret-looking
environment variables, the home folder (it becomes ``~``) and the user's name in paths and addresses.

This module loads nothing but :mod:`re`: it runs in a process that a client waits for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HIDDEN = "<redacted>"
ANONYMOUS = "user"
"""Replaces the user's name."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECRET_WORDS = _words(
    "apikey auth authorization cookie cookies credential credentials jwt otp passphrase passwd password passwords pin "
    "privatekey pwd secret secrets signature token tokens"
)
_SECRET_KEYS = _words(
    "access account api auth client consumer deploy encryption license master private secret service session sign "
    "signing ssh storage subscription"
)
"""Words before "key" that make it a secret."""
_HARMLESS_ENDINGS = _words(
    "budget count dir directory enabled endpoint env expires expiry file folder helper id in kind length limit manager "
    "method mode name path policy provider required scheme sock status store type uri url usage used"
)
"""A key that ends so is about a secret, and not one: token_type, password_file, SSH_AUTH_SOCK."""
_COUNTED = _words("cached context input max min num output reasoning remaining total")
"""Words beside "tokens" with which they are a model's, not a person's."""
_NUMBERS_TOO = _words("otp passphrase passwd password pin pwd secret")
"""Words whose value is a secret even when it is a number."""
_NOT_A_VALUE = _words(
    "any bool bytes false int nil none null number object optional os self str string true undefined unknown void"
)
_COMMON_NAMES = _words(
    "admin app build ci circleci codespace coder container daemon default dev docker ec2-user git guest home jenkins "
    "nobody node root runner test ubuntu user users vagrant vscode work www-data"
)
"""User names that identify no person."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@lru_cache(1024)
def is_secret_key(key: str, *, holds_number: bool = False) -> bool:
    """Whether a value under this key is a secret, by the words that the key is made of."""
    words = [word.lower() for word in _PARTS.findall(key)]
    if not words or words[-1] in _HARMLESS_ENDINGS:
        return False
    if "tokens" in words and not _COUNTED.isdisjoint(words):
        return False
    if holds_number:
        return not _NUMBERS_TOO.isdisjoint(words)
    is_secret_key = any(word == "key" and words[i] in _SECRET_KEYS for i, word in enumerate(words[1:]))
    return is_secret_key or not _SECRET_WORDS.isdisjoint(words)


# ------------------------------------------------------------------------------------------------------ shapes in text


class SecretPattern:
    """One kind of secret in text. It is compiled when one of its hints turns up: most texts hold none."""

    __slots__ = ("_pattern", "_replacement", "hints")

    def __init__(self, hints: str | tuple[str, ...], pattern: str, replacement: str = HIDDEN) -> None:
        """``hints``: lower-case pieces, one of which is in every text that the pattern matches."""
        self.hints = tuple(hints.split()) if isinstance(hints, str) else hints
        self._pattern = pattern
        self._replacement = replacement

    def hide(self, text: str, lowered: str) -> tuple[str, int]:
        """The text without this kind of secret, and how many there were."""
        if not any(hint in lowered for hint in self.hints):
            return text, 0
        return re.subn(self._pattern, self._replacement, text)


_SHAPES = (
    SecretPattern(
        "private",
        r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
        r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    SecretPattern(
        "sk- sk_ rk_ pk_ whsec_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- xox xapp- akia asia agpa aida aroa abia "
        "acca aiza ya29. gocspx- npm_ pypi- hf_ dop_v1_ sg. shp age-secret-key-1 eyj :aa",
        r"(?<![A-Za-z0-9])(?:"
        r"sk-[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic and others
        r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}"  # Stripe
        r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_.-]{16,}"
        r"|xox[a-z]-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}"  # Slack
        r"|(?:AKIA|ASIA|AGPA|AIDA|AROA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
        r"|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,}"  # Google
        r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{32,}"
        r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"  # SendGrid
        r"|shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{16,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}"
        r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"  # JWT
        r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"  # Telegram
        r")",
    ),
    SecretPattern(
        "hooks.slack.com discord",
        r"(hooks\.slack\.com/services/|discord(?:app)?\.com/api/webhooks/)[A-Za-z0-9/_-]{12,}",
        rf"\1{HIDDEN}",
    ),
    SecretPattern(
        "://",
        r"(?i)(\b[a-z][a-z0-9+.-]{1,20}://)(?:[^\s/:@\"'<>]*:[^\s/\"'<>]+|[a-z0-9_-]{16,})@",
        rf"\1{HIDDEN}@",
    ),
    SecretPattern(
        "authorization cookie x-api-key -token",
        r"(?i)((?:authorization|cookie|x-api-key|x-auth-token|x-access-token)\s*:\s*)(?!\s|<redacted>)[^\r\n\"'\\]+",
        rf"\1{HIDDEN}",
    ),
    SecretPattern(
        "bearer basic",
        r"(?i)\b((?:bearer|basic)\s+)(?=[^\s\"']*[0-9=])[a-z0-9._~+/-]{8,}=*",
        rf"\1{HIDDEN}",
    ),
    SecretPattern(
        "-u",
        r"((?<![A-Za-z0-9_-])(?:-u|--user)[ =]?[\"']?[^\s:\"'<>]+:)(?!<redacted>)[^\s\"'/]+",
        rf"\1{HIDDEN}",
    ),
    SecretPattern(
        "sig= key= code= x-amz- x-goog-",
        r"(?i)([?&](?:sig|key|code|x-amz-[a-z-]+|x-goog-[a-z-]+)=)(?!<redacted>)[^\s&\"'#<>]{8,}",
        rf"\1{HIDDEN}",
    ),
)

_HINTS = ("key", "passw", "passphrase", "pwd", "secret", "token", "credential", "signature", "jwt")
"""What the name of every value that :func:`_hide_values` takes out has in it."""
_MAX_NAME_LENGTH = 64
_VALUE = (
    r"(--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)"  # an option, or a name
    r"(\\?[\"']?\s?(?::=|=>|=|:)\s?|[ \t]+)"
    r"(\\\"[^\"\\\r\n]+|\\'[^'\\\r\n]+|\"(?:[^\"\\\r\n]|\\.)+|'[^'\r\n]+|[^\s\"'\\,;&|<>(){}\[\]`$-][^\s\"'\\,;&|<>(){}\[\]`$]*)"
)
_MENTIONED = r"\w{0,12}[^\w\r\n<]{1,4}(?:(?:is|was|key|value|here)[^\w\r\n<]{1,4})?([A-Za-z0-9+/_=-]{20,})"
"""A long text right behind a secret-looking word: "the token is ..."."""


def _hide_values(text: str, lowered: str) -> tuple[str, int]:
    """The text without values given to secret-looking names: ``API_KEY=x``, ``"token": "x"``, ``--password x``."""
    if not any(hint in lowered for hint in _HINTS):
        return text, 0
    assigned, mentioned = re.compile(_VALUE, re.ASCII), re.compile(_MENTIONED, re.ASCII)
    pieces: list[str] = []
    done = 0
    for hint in re.finditer("|".join(_HINTS), text, re.IGNORECASE):
        start = _start_of_name(text, hint.start())
        if start < done:
            continue
        found = assigned.match(text, start)
        if found is not None and _is_secret_value(found[1], found[2], found[3]):
            opening = found[3][: len(found[3]) - len(_unopened(found[3]))]
            pieces += [text[done : found.start(3)], opening, HIDDEN]
            done = found.end()
            continue
        found = mentioned.match(text, hint.end())
        if found is not None and _looks_random(found[1]):
            pieces += [text[done : found.start(1)], "", HIDDEN]
            done = found.end()
    return "".join((*pieces, text[done:])), len(pieces) // 3


def _start_of_name(text: str, at: int) -> int:
    """Where the name begins that has something at this place."""
    first = max(0, at - _MAX_NAME_LENGTH)
    while at > first and (text[at - 1].isalnum() or text[at - 1] in "_.-"):
        at -= 1
    return at


def _looks_random(text: str) -> bool:
    """Whether a text mixes kinds of characters as few words of people and programs do."""
    return all(any(map(kind, text)) for kind in (str.isdigit, str.isalpha)) and "redacted" not in text


def _unopened(value: str) -> str:
    """A value without the quote that it starts with."""
    return value.removeprefix("\\")[1:] if value.removeprefix("\\")[:1] in ("'", '"') else value


def _is_secret_value(name: str, sign: str, value: str) -> bool:
    """Whether this is a secret, rather than a reference to one or the code that deals with it."""
    bare = _unopened(value)
    if not is_secret_key(name) or len(bare) < 3 or bare[0] in "$%<{*" or bare.lower() in _NOT_A_VALUE:
        return False
    if sign.isspace():
        return name.startswith("-")
    is_quoted = bare != value
    return is_quoted or " " not in sign or (len(bare) >= 6 and any(map(str.isdigit, bare)))


class Redactor:
    """Hides what must not leave this machine. It is made once and changes nothing about itself afterwards."""

    def __init__(self, environment: Mapping[str, str], home: str = "", user: str = "") -> None:
        """``environment``: values of its secret-looking variables are secrets wherever they appear."""
        known = [value for name, value in environment.items() if _is_secret_variable(name, value)]
        user = user if len(user) > 2 and user.lower() not in _COMMON_NAMES else ""
        self._known = [_any_of(known)] if known else []
        self._places = [*_home_shapes(home), *_user_shapes(user)]
        self._user = user

    def redact(self, value: Any) -> tuple[Any, int]:
        """The value without its secrets, and how many were taken out."""
        return self._value(value, in_secret=False)

    def text(self, text: str) -> tuple[str, int]:
        """One text without its secrets, and how many were taken out."""
        if text == self._user:
            return (ANONYMOUS, 1) if text else ("", 0)
        lowered = text.lower()
        total = 0
        for shape in (*self._known, *_SHAPES):
            text, number = shape.hide(text, lowered)
            total += number
        text, number = _hide_values(text, lowered)
        total += number
        for shape in self._places:
            text, number = shape.hide(text, lowered)
            total += number
        return text, total

    def _value(self, value: Any, *, in_secret: bool) -> tuple[Any, int]:
        if isinstance(value, str):
            if in_secret:
                return (HIDDEN, 1) if value and value != HIDDEN else (value, 0)
            return self.text(value)
        if isinstance(value, dict):
            return self._object(value, in_secret=in_secret)
        if isinstance(value, list | tuple):
            done = [self._value(item, in_secret=in_secret) for item in value]
            return [item for item, _ in done], sum(number for _, number in done)
        return value, 0

    def _object(self, members: dict[str, Any], *, in_secret: bool) -> tuple[dict[str, Any], int]:
        hidden: dict[str, Any] = {}
        total = 0
        for key, value in members.items():
            name, number = self.text(key)
            while name in hidden:  # two keys that differ only in what was hidden
                name += "'"
            if isinstance(value, int | float) and not isinstance(value, bool):
                secret = value != 0 and (in_secret or is_secret_key(key, holds_number=True))
                hidden[name] = 0 if secret else value
                total += number + secret
                continue
            hidden[name], more = self._value(value, in_secret=in_secret or is_secret_key(key))
            total += number + more
        return hidden, total


def redactor_of_this_machine() -> Redactor:
    """Hides the home folder and name of this user, and the secrets in this process's environment."""
    names = (os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME"))
    return Redactor(os.environ, os.path.expanduser("~"), next(filter(None, names), ""))  # noqa: PTH111  pathlib costs


def _is_secret_variable(name: str, value: str) -> bool:
    """Whether a variable's value may be searched for everywhere: a secret, and no ordinary word or path."""
    is_ordinary = value.isalpha() and len(value) < 16
    return is_secret_key(name) and len(value) >= 8 and not is_ordinary and value[0] not in "/~." and value[1:3] != ":\\"


def _any_of(texts: list[str]) -> SecretPattern:
    longest_first = sorted(texts, key=len, reverse=True)
    return SecretPattern(tuple(text.lower() for text in texts), "|".join(map(re.escape, longest_first)))


def _home_shapes(home: str) -> list[SecretPattern]:
    home = home.rstrip("/\\")
    if len(home) < 3:
        return []
    spellings = (home, home.replace("\\", "/"), home.replace("\\", "\\\\"))  # the last: in JSON inside a text
    pattern = "|".join(map(re.escape, sorted(set(spellings), reverse=True)))
    hints = tuple(spelling.lower() for spelling in spellings)
    return [SecretPattern(hints, rf"(?<![A-Za-z0-9_.~-])(?:{pattern})(?![A-Za-z0-9_.-])", "~")]


def _user_shapes(user: str) -> list[SecretPattern]:
    if not user:
        return []
    name, hint = re.escape(user), (user.lower(),)
    return [
        SecretPattern(hint, rf"((?:home|Users)(?:[/-]|\\+)){name}(?![A-Za-z0-9])", rf"\1{ANONYMOUS}"),
        SecretPattern(hint, rf"(?<![A-Za-z0-9._-]){name}@", f"{ANONYMOUS}@"),
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
