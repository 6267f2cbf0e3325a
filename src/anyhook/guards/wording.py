"""The words of a refusal, in one place: what the call would do, what to do instead, and which guard says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

APPROVES = "approves hooks or guards, or takes an approval back"
PERSON = "A person must do this, in a terminal of their own: say what you need and why, and leave it to the user."

DELETE_NAMED = "Delete named build output inside the project, or ask the user to delete this."
COMMIT_FIRST = "Commit or stash it first, or move it below /tmp."
ASK_USER = "Ask the user to do this."
LEAVE_FILE = "Leave this file as it is, or ask the user to change it."
PUSH_OWN = "Push a branch of your own, without force, and open a pull request."
COMMIT_WORK = "Commit the work first (git commit -m wip), then there is nothing to lose."
KEEP_BRANCH = "Use git branch -d, which refuses to lose commits."
AGREE_FIRST = "Ask the user: rewriting history needs the agreement of everyone who works on it."
READ_FIRST = "Download the file, read it, then run it as a second step with the user's approval."
SEND_NOTHING = "Do not send secrets or whole folders to another machine; ask the user."
LEAST_MODE = "Give only the permission that is needed, to the one file that needs it."
USE_IMAGE = "Work on an image file below /tmp, or ask the user."
SHOW_PLAN = "Show the user the plan (terraform plan, a list or describe command) and let them run it."
USE_COPY = "Use a copy or a transaction that you roll back, or ask the user."
NAME_ONE = "Name the one container or image of this project, or ask the user."
TRY_FIRST = "Try it with --dry-run and let the user publish."
FIX_REPORTED = "Hooks are there on purpose: fix what they report, or ask the user."
WRITE_OUT = "Write the paths out in a plain command, so that they can be judged."
LEAVE_OUT = "Leave files with secrets out of the repository."
IN_PARTS = "Write the text to a file with the edit tool, in parts."
FROM_STORE = "Take it from an environment variable or a secret store."
ASK_CONTENT = "Ask the user for what you need to know of it."
SEND_AGAIN = "Send it again without the secret."
NOT_REPEAT = "Do not repeat it anywhere."
DOWNLOAD = "Download the file, read it, then run it."

PROTECTED = ("is protected in this project", "Leave it as it is, or ask the user to change it.")
HOLDS_SECRETS = ("holds secrets", "Change its example file, and ask the user to set the value.")
IS_LOCK = ("is a lock file", "Let the package manager write it.")
IS_OWN = ("belongs to anyhook, which keeps there what was approved", PERSON)
DECIDES_HOOKS = ("decides which hooks run", "Ask the user to change it.")
IS_GITS = ("belongs to git", "Use git commands.")
"""Of a file: what it is, and what to do instead of changing it."""

_PLACES = {".": "this folder", "*": "this folder", "..": "the folder above", "../*": "the folder above"}
"""Paths that a sentence cannot end with."""


def place_name(shown: str, written: str) -> str:
    """A path in a sentence. Behind ``cd ~``, ``*`` is not this folder."""
    is_elsewhere = written[:1] in (".", "*") and written[:2] != ".." and shown[:1] in ("~", "/")
    return shown if is_elsewhere else _PLACES.get(written.rstrip("/") or "/", shown)


def sentence(what: str, *, is_command: bool) -> str:
    return f"{'This command' if is_command else 'This call'} {what}"


def message(guard: str, what: str, instead: str, note: str, settings: Mapping[str, Any]) -> str:
    """What the agent reads about an objection."""
    about = f"{guard} guard: {note}" if note else f"{guard} guard"
    said = (f"{what}.", instead, settings.get("message", ""), f"({about})")
    return " ".join(part for part in said if part)
