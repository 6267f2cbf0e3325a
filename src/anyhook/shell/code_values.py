"""Values in the code of one-liners: variables of the environment and names of one string."""

from __future__ import annotations

import base64
import re

import msgspec

_LOOKUP = r"""(?:(?:\$?ENVIRON|\$?ENV|(?:os\.)?environ|process\.env|Deno\.env)\s*
    (?:\.(?:get|fetch)\s*\(\s*|\[\s*|\.|\{\s*)["']?(?P<name>[A-Za-z_]\w*)["']?(?:\s*+,[^()\n]{0,80})?\s*[\])}]?|
    (?:os\.)?getenv\s*\(\s*["'](?P<got>[A-Za-z_]\w*)["'](?:\s*+,[^()\n]{0,80})?\s*\)|
    (?:os\.)?homedir\(\)|(?:pathlib\.)?Path\.home\(\)|Dir\.home|(?:os\.path\.)?expanduser\(\s*["']~["']\s*\))"""
"""What asks for a variable of the environment, or for the home folder."""
_LOOKUPS = re.compile(_LOOKUP, re.VERBOSE)
_INTERPOLATED = re.compile(rf"[#$]?\{{\s*{_LOOKUP}\s*\}}|\$ENV\{{(?P<perl>\w+)\}}", re.VERBOSE)
_NAMED = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(\"[^\"\\\n]*\"|'[^'\\\n]*')\s*(?=[;\n})]|$)")
_NAMES = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|(?<![\w.$])[A-Za-z_]\w*\b(?!\s*=[^=]|\s*\()")
_PLACES = re.compile(r"[#$]?\{\s*([A-Za-z_]\w*)\s*\}")
JOINED = re.compile(r"""(?<=[\w ./~-])(["'])\s*+(?:[+.]\s*+)?\1(?=[\w ./~$-])""")
"""Where one string ends and another one goes on: ``"r" + "m"``."""


_LITERAL = r"""[bru]?(?:"[^"\\\n]*"|'[^'\\\n]*')"""
_DECODED = re.compile(
    rf"""(?:base64\.|(?P<hex>bytes\.|bytearray\.))?(?:b64decode|decode_base64|decode64|atob|Buffer\.from|fromhex)\(\s*
    (?P<text>{_LITERAL})(?:\s*,\s*["']base64["'])?\s*\)(?:\s*\.(?:decode|toString)\([^()\n]*\))?""",
    re.VERBOSE,
)
"""What decodes a string: base64 and hexadecimal numbers."""
_JOINED_LIST = re.compile(
    rf"""(?P<with>{_LITERAL})\.join\(\s*[\[(](?P<list>(?:\s*{_LITERAL}\s*,?)+)[\])]\s*\)
    |\[(?P<items>(?:\s*{_LITERAL}\s*,?)+)\]\.join\(\s*(?P<by>{_LITERAL})\s*\)""",
    re.VERBOSE,
)
"""``" ".join(["rm", "x"])`` of Python, ``["rm", "x"].join(" ")`` of JavaScript and Ruby."""


def _literal(text: str) -> str:
    return msgspec.json.encode(text.encode("utf-8", "replace").decode()).decode()


def _decoded(found: re.Match[str]) -> str:
    """The decoded text as a string, and behind it as code of its own, for ``exec`` may be what gets it."""
    text = found["text"].lstrip("bru")[1:-1]
    try:
        data = bytes.fromhex(text) if found["hex"] else base64.b64decode(text)
    except ValueError:
        return found[0]
    plain = data.decode("utf-8", "replace")
    return _literal(plain) if "(" not in plain else f"{_literal(plain)}\n{plain}\n"


def _joined(found: re.Match[str]) -> str:
    between = (found["with"] or found["by"]).lstrip("bru")[1:-1]
    items = re.findall(_LITERAL, found["list"] or found["items"])
    return _literal(between.join([item.lstrip("bru")[1:-1] for item in items]))


def with_values(code: str) -> str:
    """Code with strings in the place of what is looked up (``ENVIRON["HOME"]`` is ``"$HOME"``) or named before."""
    if "env" in code.lower() or "home" in code or "expanduser" in code:
        code = _INTERPOLATED.sub(lambda found: f"${{{_variable(found)}}}", code)
        code = _LOOKUPS.sub(_as_string, code)
    if "(" in code:
        code = _JOINED_LIST.sub(_joined, _DECODED.sub(_decoded, code))
    code = JOINED.sub("", code)
    values = dict(_NAMED.findall(code))
    if values:
        code = _PLACES.sub(lambda found: values[found[1]][1:-1] if found[1] in values else found[0], code)
        code = JOINED.sub("", _NAMES.sub(lambda found: values.get(found[0], found[0]), code))
    return code


def _as_string(found: re.Match[str]) -> str:
    """The variable as a string, in the quotes of the string beside it."""
    start, end = found.span()
    before, after = found.string[max(0, start - 4) : start].rstrip(" +."), found.string[end : end + 4].lstrip(" +.")
    mark = next((text for text in (before[-1:], after[:1]) if text in ("'", '"')), '"')
    return f"{mark}${_variable(found)}{mark}"


def _variable(found: re.Match[str]) -> str:
    return next((name for name in found.groupdict().values() if name), "HOME")
