"""The guard ``context``: what an agent should know when a session starts."""

from __future__ import annotations

from collections.abc import Iterator

from anyhook.guards.call import GuardCall, is_excepted
from anyhook.guards.repository import uncommitted
from anyhook.guards.rule_conditions import current_branch
from anyhook.model.functions import context
from anyhook.model.output import Reply
from anyhook.paths import relative_path

_MAX_CHANGES = 20
_GIT_SECONDS = 5


def judge(call: GuardCall) -> Reply | None:
    if is_excepted(call):
        return None
    text = "\n".join((*_branch(call), *_changes(call), *_note(call)))
    limit = call.settings.get("characters", 4000)
    if len(text) > limit:
        text = text[: limit - 2] + " …"
    return context(text) if text else None


def _branch(call: GuardCall) -> Iterator[str]:
    if branch := current_branch(call.project):
        yield f"The branch is {branch}."


def _changes(call: GuardCall) -> Iterator[str]:
    """What is not committed yet; nothing where git is not installed, or takes too long."""
    status = uncommitted(call.project, call.environment, _GIT_SECONDS, "--untracked-files=normal") or b""
    changed = [line[3:] for line in status.decode("utf-8", "replace").splitlines()]
    if changed:
        more = f" and {len(changed) - _MAX_CHANGES} more" if len(changed) > _MAX_CHANGES else ""
        yield f"Not committed: {', '.join(changed[:_MAX_CHANGES])}{more}."


def _note(call: GuardCall) -> Iterator[str]:
    """The text of the note; a path that leads out of the project is not read."""
    name = call.settings.get("note")
    path = call.project / name if name else None
    if path is None or relative_path(str(name), call.project).startswith(("/", "~")):
        return
    try:
        if path.resolve().is_relative_to(call.project.resolve()) and path.is_file():
            yield path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return
