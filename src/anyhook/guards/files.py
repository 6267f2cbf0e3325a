"""The guard ``files``: paths that no tool may change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.hook_files import is_below, is_hook_file, is_own_state, own_folders
from anyhook.guards.shell.families.approval import APPROVES, PERSON, changes_database, is_approving_script, is_run
from anyhook.guards.touched import all_texts, texts_of_files, written_files
from anyhook.model.output import Reply
from anyhook.paths import matches_any, relative_path

_SECRETS = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "id_rsa*",
    "id_ed25519*",
    ".netrc",
    ".pgpass",
)
_TEMPLATES = ("*.example", "*.sample", "*.template", "*.dist")
_LOCKS = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "poetry.lock",
    "uv.lock", "Pipfile.lock", "Cargo.lock", "composer.lock", "Gemfile.lock", "go.sum", "flake.lock",
)  # fmt: skip
_GIT = (".git",)
_OWN = "belongs to anyhook, which keeps there what was approved"


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "files", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    for path in written_files(call):
        if why := _protected(call, path):
            what, instead = why
            yield Objection(f"{relative_path(path, call.project)} {what}", instead, paths=(path,))
    texts = tuple(all_texts(call.tool_input))
    for text in texts:  # the path of a database is an input of any name
        if not re.search(r"\s", text) and is_own_state(text) and changes_database(texts):
            yield Objection(f"{text} {_OWN}", PERSON, paths=(text,))
    for path, text in texts_of_files(call):
        if _is_judged(call, path) and is_run(path) and is_approving_script(text):
            what = f"{relative_path(path, call.project)} would run a command that {APPROVES}"
            yield Objection(what, PERSON, paths=(path,))


def _is_judged(call: GuardCall, path: str) -> bool:
    """Whether the settings leave a path to what the guard protects by itself."""
    allowed = matches_any(path, call.settings.get("allow", ()), call.project)
    return bool(call.settings.get("defaults", True)) and not allowed


def _protected(call: GuardCall, path: str) -> tuple[str, str] | None:
    """Why a path is protected, and what to do instead; None: it is not."""
    settings, project = call.settings, call.project
    if matches_any(path, settings.get("allow", ()), project):
        return None
    if matches_any(path, settings.get("paths", ()), project):
        return "is protected in this project", "Leave it as it is, or ask the user to change it."
    if not settings.get("defaults", True):
        return None
    inside = relative_path(path, project)
    plain = inside.lower()  # on many systems .ENV is the same file
    if matches_any(plain, _SECRETS, project) and not matches_any(plain, _TEMPLATES, project):
        return "holds secrets", "Change its example file, and ask the user to set the value."
    if matches_any(path, _LOCKS, project):
        return "is a lock file", "Let the package manager write it."
    if is_own_state(inside) or is_below(path, own_folders(call.environment)):
        return _OWN, PERSON
    if is_hook_file(inside):
        return "decides which hooks run", "Ask the user to change it."
    if matches_any(plain, _GIT, project):
        return "belongs to git", "Use git commands."
    return None
