"""What simple programs print, told without running them: enough to read through the usual disguises."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence

from anyhook.shell.command import Invocation
from anyhook.shell.words import unescape_ansi

MAX_TEXT = 100_000
_PRINTS = frozenset(
    (
        "echo", "printf", "cat", "tee", "base64", "gbase64", "openssl", "basenc", "base32", "xxd", "rev", "tr", "pwd",
        "mktemp", "which", "command", "type", "realpath", "readlink", "basename", "dirname", "git",
    )
)  # fmt: skip
"""Every name below: of most commands it need not be asked in turn."""
_FORMAT = re.compile(r"%(?:[-+ 0#]*\d*(?:\.\d+)?)([sbqdioxX%])")


def known_output(command: Invocation, text: str | None) -> str | None:
    """What a command prints, given what it reads; None if that is not known."""
    if command.name not in _PRINTS or any(not word.is_known for word in command.words):
        return None
    arguments = command.arguments
    match command.name:
        case "echo":
            return _echo(arguments)
        case "printf":
            return _printf(arguments)
        case "cat" | "tee" if text is not None and all(argument.startswith("-") for argument in arguments):
            return text
        case "base64" | "gbase64" | "openssl" | "basenc" | "base32" if text is not None and _decodes(arguments):
            return _decode(text, base64.b32decode if command.name == "base32" else base64.b64decode)
        case "xxd" if text is not None and "-r" in " ".join(arguments):
            return _decode(re.sub(r"\s", "", text), bytes.fromhex)
        case "rev" if text is not None:
            return "\n".join([line[::-1] for line in text.split("\n")])
        case "tr" if text is not None and len(arguments) in (2, 3):
            return _translate(text, arguments)
        case "pwd":
            return command.folder
        case "mktemp":
            return "/tmp/mktemp"
        case "which" | "command" | "type" if arguments:
            return arguments[-1] if "/" in arguments[-1] else f"/usr/local/bin/{arguments[-1]}"
        case "realpath" | "readlink" if arguments:
            return arguments[-1]
        case "basename" if arguments:
            return arguments[0].rstrip("/").rsplit("/", 1)[-1]
        case "dirname" if arguments:
            return f"{arguments[0]}/.."
        case "git" if arguments == ("rev-parse", "--show-toplevel"):
            return "."
        case "git" if arguments[:1] == ("rev-parse",) and arguments[1:2] in (("--git-dir",), ("--git-common-dir",)):
            return ".git"
        case "git" if arguments[:2] == ("rev-parse", "--git-path") and len(arguments) > 2:
            return f".git/{arguments[2]}"
        case _:
            return None


def _echo(arguments: Sequence[str]) -> str:
    options = []
    rest = list(arguments)
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        options.append(rest.pop(0))
    text = " ".join(rest)
    if any("e" in option for option in options):
        text = unescape_ansi(text)
    return text if any("n" in option for option in options) else text + "\n"


def _printf(arguments: Sequence[str]) -> str | None:
    if not arguments:
        return None
    values = list(arguments[1:])
    template = unescape_ansi(arguments[0])
    output = ""
    while len(output) < MAX_TEXT:
        before = len(values)
        output += _FORMAT.sub(lambda match: _formatted(match[1], values), template)
        if not values or len(values) == before:
            break
    return output


def _formatted(kind: str, values: list[str]) -> str:
    if kind == "%":
        return "%"
    value = values.pop(0) if values else ""
    return unescape_ansi(value) if kind == "b" else value


def _decodes(arguments: Sequence[str]) -> bool:
    return any(argument in ("-d", "-D", "--decode", "-di", "-id") for argument in arguments)


def _decode(text: str, decoder: object) -> str | None:
    if len(text) > MAX_TEXT or not callable(decoder):
        return None
    try:
        return str(decoder(text.strip()).decode("utf-8", "replace"))
    except (binascii.Error, ValueError):
        return None


def _translate(text: str, arguments: Sequence[str]) -> str | None:
    if arguments[0] == "-d":
        return "".join([character for character in text if character not in _characters(arguments[1])])
    if len(arguments) != 2:
        return None
    old, new = _characters(arguments[0]), _characters(arguments[1])
    new = new + new[-1:] * (len(old) - len(new))
    return text.translate(dict(zip(map(ord, old), new[: len(old)], strict=True))) if old and new else None


def _characters(written: str) -> str:
    """The characters of ``a-z``, ``[:lower:]`` and the like."""
    written = written.replace("[:lower:]", "a-z").replace("[:upper:]", "A-Z").replace("[:space:]", " \t\n")
    ranges = re.compile(r"(.)-(.)")
    return ranges.sub(
        lambda match: "".join([chr(code) for code in range(ord(match[1]), ord(match[2]) + 1)]), unescape_ansi(written)
    )
