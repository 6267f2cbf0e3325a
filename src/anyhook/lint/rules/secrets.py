"""C016: secrets in hook files and in the scripts that they start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from anyhook.lint.checked_file import CheckedFile
from anyhook.lint.rules.scripts import script_files
from anyhook.model.document import Pointer
from anyhook.model.problems import Problem

_SECRETS: Mapping[str, str] = {
    "a key of Anthropic": r"sk-ant-[\w-]{20,}",
    "a key of OpenAI": r"sk-(?:proj-)?[A-Za-z0-9]{32,}",
    "a token of GitHub": r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})",
    "a token of GitLab": r"glpat-[\w-]{20,}",
    "a token of Slack": r"xox[abprs]-[\w-]{20,}",
    "a webhook of Slack": r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16,}",
    "a webhook of Discord": r"discord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{40,}",
    "a key of AWS": r"AKIA[0-9A-Z]{16}",
    "a key of Google": r"AIza[\w-]{35}",
    "a private key": r"-----BEGIN (?:\w+ )?PRIVATE KEY-----(?:\\[nr]|[\s\"'+,]){1,40}[A-Za-z0-9+/]{24}",
    "a bearer token": r"[Bb]earer\s+[A-Za-z0-9_\-]{12,}\.?[A-Za-z0-9_\-.]{12,}",
}
_patterns = {what: re.compile(rf"(?<![\w-]){pattern}") for what, pattern in _SECRETS.items()}
_is_example = re.compile(
    r"x{6,}|0{8,}|1234567|example|your|placeholder|\.{3}|dummy|fake|redacted", re.IGNORECASE
).search


def secret_in(text: str) -> str:
    """What kind of secret a text has; empty when none."""
    for what, pattern in _patterns.items():
        if any(not _is_example(found[0]) for found in pattern.finditer(text)):
            return what
    return ""


def check_secrets(file: CheckedFile) -> Iterator[Problem]:
    """C016: once for each text of the file, and once for each script."""
    if not file.is_shared:
        return
    fix = "read it from the environment or a keychain, and withdraw this one: it is in the history of the file"
    for pointer, text in _texts(file.document.data, ()):
        if what := secret_in(text):
            yield file.problem("C016", pointer, f"{what} is written here, and everyone who gets the file has it", fix)
    seen = set()
    for hook in file.all_hooks():
        for line, path in script_files(hook):
            if path in seen:
                continue
            seen.add(path)
            if what := secret_in(file.disk.text(path) or ""):
                yield file.problem("C016", line.pointer, f"{what} is written in {path.name}", fix)


def _texts(value: object, at: Pointer) -> Iterator[tuple[Pointer, str]]:
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*at, index))
