"""The guard ``secrets``: no secrets in prompts, commands and files, and no files of secrets for the agent to read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.secret_patterns import TOKENS
from anyhook.guards.shell.places import is_secret_file
from anyhook.guards.touched import all_texts, read_files, written_texts
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.output import Reply
from anyhook.paths import matches_any, relative_path

_PRIVATE_KEY = LazyPattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PLACEHOLDER = LazyPattern(r"(?i)example|sample|dummy|placeholder|your[_-]|x{6}|0{8}|1234567|\.\.\.")
_INSTEAD = "Take it from an environment variable or a secret store."


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "secrets", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    match call.event.event:
        case "UserPromptSubmit":
            yield from _in_text(str(call.event.get("prompt", "")), "The prompt", "Send it again without the secret.")
        case "PostToolUse":
            for text in all_texts(call.event.get("tool_response")):
                yield from _in_text(text, "The output of the tool", "Do not repeat it anywhere.")
        case _:
            for text in written_texts(call):
                yield from _in_text(text, "This text", _INSTEAD)
            for line in call.commands:
                yield from _in_text(line, "This command", _INSTEAD)
            yield from _files(call)


def _files(call: GuardCall) -> Iterator[Objection]:
    allowed = call.settings.get("allow", ())
    for path in read_files(call):
        if is_secret_file(path) and not matches_any(path, allowed, call.project):
            what = f"{relative_path(path, call.project)} holds secrets"
            yield Objection(what, "Ask the user for what you need to know of it.", paths=(path,))


def _in_text(text: str, where: str, instead: str) -> Iterator[Objection]:
    if _PRIVATE_KEY.search(text):
        yield Objection(f"{where} has a private key", instead)
    lowered = text.lower()
    for pattern in TOKENS:
        if any(hint in lowered for hint in pattern.hints):
            found = re.finditer(pattern.pattern, text)
            if any(not _PLACEHOLDER.search(secret[0]) for secret in found):
                yield Objection(f"{where} has a secret ({pattern.name})", instead)
