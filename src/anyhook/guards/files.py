"""The guard ``files``: paths that no tool may change."""

from __future__ import annotations

from collections.abc import Iterator

from anyhook.guards import wording
from anyhook.guards.asked import asked_effects, named_command
from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.effects.model import Effect, Place, Resource, Verb
from anyhook.guards.hook_files import is_below, is_hook_file, is_own_state, own_folders
from anyhook.guards.places import is_matched
from anyhook.model.output import Reply
from anyhook.paths import matches_any

_SECRETS = (
    ".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "id_rsa*", "id_ed25519*", ".netrc", ".pgpass",
)  # fmt: skip
_TEMPLATES = ("*.example", "*.sample", "*.template", "*.dist")
_LOCKS = (
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "poetry.lock",
    "uv.lock", "Pipfile.lock", "Cargo.lock", "composer.lock", "Gemfile.lock", "go.sum", "flake.lock",
)  # fmt: skip
_GIT = (".git",)


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "files", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    effects, where = asked_effects(call)
    for effect in effects.effects:
        target = effect.target
        if isinstance(target, Place) and effect.verb in (Verb.WRITES, Verb.DELETES) and effect.how != "makes":
            if why := _protected(call, target, effect.how):
                what, instead = why
                command = named_command(call, effects, where, effect.by)
                paths = (target.path or target.shown,)
                yield Objection(f"{target.shown} {what}", instead, paths=paths, command=command)
        elif isinstance(target, Resource) and not effects.lines:
            yield from _approvals(call, effect, target)


def _approvals(call: GuardCall, effect: Effect, target: Resource) -> Iterator[Objection]:
    """A file that would approve hooks when it is run, and a query that changes anyhook's records."""
    if target.kind != "approval" or not target.name or not _is_judged(call, target.name):
        return
    if wording.APPROVES in effect.how:
        yield Objection(
            f"{target.name} would run a command that {wording.APPROVES}", wording.PERSON, paths=(target.name,)
        )
    else:
        yield Objection(f"{target.name} {wording.IS_OWN[0]}", wording.PERSON, paths=(target.name,))


def _is_judged(call: GuardCall, path: str) -> bool:
    """Whether the settings leave a path to what the guard protects by itself."""
    return bool(call.settings.get("defaults", True)) and not _is_listed(call, "allow", path)


def _is_listed(call: GuardCall, setting: str, path: str) -> bool:
    globs = call.settings.get(setting, ())
    return bool(globs) and is_matched(path, globs, call.project, call.home)


def _protected(call: GuardCall, place: Place, how: str) -> tuple[str, str] | None:
    """Why a path is protected, and what to do instead; None: it is not."""
    settings, project = call.settings, call.project
    path = place.path or place.shown
    names = dict.fromkeys((path, place.shown))
    if any(_is_listed(call, "allow", name) for name in names):
        return None
    if any(_is_listed(call, "paths", name) for name in names):
        return wording.PROTECTED
    if not settings.get("defaults", True):
        return None
    plain = place.shown.lower()  # on many systems .ENV is the same file
    if (
        how != "from a template"
        and matches_any(plain, _SECRETS, project)
        and not matches_any(plain, _TEMPLATES, project)
    ):
        return wording.HOLDS_SECRETS
    if matches_any(place.shown, _LOCKS, project):
        return wording.IS_LOCK
    if is_own_state(place.shown) or is_below(path, own_folders(call.environment)):
        return wording.IS_OWN
    if is_hook_file(place.shown):
        return wording.DECIDES_HOOKS
    if matches_any(plain, _GIT, project):
        return wording.IS_GITS
    return None
