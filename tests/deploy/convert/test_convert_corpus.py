"""Every hook file converts to every dialect, and no guard is lost without an error."""

from __future__ import annotations

import json
from functools import cache

import pytest

from anyhook.deploy.convert.convert import convert_hooks
from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.bound_event import is_guard
from anyhook.dialects.places import FileKind
from anyhook.engine.reach import mark_unreachable
from anyhook.model.codes import Severity
from anyhook.model.document import Format
from anyhook.model.hooks import FateState, HookFile, HookSet
from anyhook.model.origin import Scope
from anyhook.sources.load import parse
from tests.hook_corpus import corpus, read, written_here

pytestmark = pytest.mark.long


@cache
def hook_files() -> tuple[HookFile, ...]:
    return tuple(read(sample) for sample in (*written_here(), *corpus()))


@cache
def guards(place: int) -> frozenset[int]:
    """The lines of the hooks of a file that run and can block; hooks for one other client alone are not for us."""
    file = hook_files()[place]
    own = profile(file.dialect)
    settled = mark_unreachable(HookSet(dialect=file.dialect, rules=file.rules)).rules
    return frozenset(
        action.origin.line
        for rule in settled
        for action in rule.actions
        if action.fate.state is FateState.ACTIVE and is_guard(own, rule, action) and "section" not in rule.extra
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_file_converts(name: str) -> None:
    for place, file in enumerate(hook_files()):
        if file.dialect == name:
            continue
        converted = convert_hooks(file.rules, profile(file.dialect), profile(name))
        kept = {action.origin.line for rule in converted.rules for action in rule.actions}
        told = {loss.origin.line for loss in converted.losses if loss.severity is Severity.ERROR}
        hidden = {loss.origin.line for loss in converted.losses if "alone" in loss.text}
        assert guards(place) <= kept | told | hidden, file.path
        assert not unloaded(name, dialect(name).write(converted.rules)), file.path


def unloaded(name: str, content: dict[str, object]) -> list[str]:
    """Why the client would not load a hook that was written for it."""
    document = parse(json.dumps(content), Format.JSON, "written.json")
    written = dialect(name).read(document, FileKind.HOOKS, Scope.PROJECT)
    return [action.fate.why for rule in written.rules for action in rule.actions if not action.is_loaded]
