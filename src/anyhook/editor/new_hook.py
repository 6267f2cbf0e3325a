"""The change that writes a new hook, from a finished draft."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from anyhook.deploy.file_entries import (
    OwnEntries,
    apply_changes,
    match_entries,
    read_hook_file,
    refuse_unless_loaded,
    required_entries,
    rules_of,
)
from anyhook.deploy.target_files import TargetFile, files_hidden_by
from anyhook.dialects import profile
from anyhook.dialects.clients import OWN
from anyhook.editor.draft import ANY, GUARD, Draft, event_of, timeout_ms
from anyhook.editor.hook_files import hook_file_at, hook_file_choices
from anyhook.editor.hook_problems import missing_in_change, problems_of_change, unknown_tools
from anyhook.model.hooks import Action, Command, Http, Prompt, Rule
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.project.project import Project
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange, read_content
from anyhook.sources.editing.guard_tables import guards_in, with_guard
from anyhook.sources.load import FILE_NAME, Loader


def plan_new_hook(draft: Draft, roots: Roots) -> FileChange:
    """AnyhookError: the file cannot be read or changed, or its client would not load the hook from it."""
    return _plan_guard(draft, roots) if draft.kind == GUARD else _plan_entry(draft, roots)


def _plan_guard(draft: Draft, roots: Roots) -> FileChange:
    name, project = draft.text or "", Project(roots).package.root
    path = project / FILE_NAME
    before = read_content(path)
    text = "" if before is None else before.decode()
    if name in guards_in(text, str(path)):
        raise AnyhookError(f"{path}: [guards.{name}] is there already\nchange it in the editor")
    notes = ["the guard itself knows which tools it is for"] if draft.matcher not in (None, ANY) else []
    if draft.client != OWN:
        notes.append(
            f"{profile(draft.client or OWN).title} asks it after: anyhook deploy --client {draft.client}; anyhook trust"
        )
    after = with_guard(text, name, None, str(path))
    return FileChange(
        path=path,
        before=before,
        after=after.encode(),
        what=f"add the guard {name}",
        notes=tuple(notes),
        line=next((number for number, line in enumerate(after.splitlines(), 1) if line == f"[guards.{name}]"), 1),
        project=project,
    )


def _plan_entry(draft: Draft, roots: Roots) -> FileChange:
    target = _target(draft, roots)
    rule = Rule(
        event=event_of(draft),
        native_event=draft.event or "",
        matcher=None if draft.matcher in (None, ANY) else draft.matcher,
        actions=(_action(draft),),
    )
    loader = Loader()
    before, current = loader.content(target.path), read_hook_file(target, loader)
    text = "" if before is None else before.decode()
    required = required_entries(target, (rule,), current)
    changes = match_entries(current, OwnEntries(), required)
    if current is not None and not changes.is_needed:
        raise AnyhookError(f"{changes.kept[0].rule.origin}: the same hook is there already")
    result = apply_changes(changes, current, required, target)
    refuse_unless_loaded(result, required, current)
    after = result.document.text
    problems = problems_of_change(target, text, after)
    notes = (
        *unknown_tools(target.client, rule, problems),
        *missing_in_change(target, text, after),
        *_notes(target, roots, loader, is_new=before is None),
    )
    return FileChange(
        path=target.path,
        before=before,
        after=after.encode(),
        what=f"add a hook on {draft.event}",
        notes=notes,
        problems=problems,
        line=rules_of(result, required.entries)[0].actions[0].origin.line,
        project=None if target.scope is Scope.USER else roots.project,
        otherwise=", or use another scope",
    )


def _notes(target: TargetFile, roots: Roots, loader: Loader, *, is_new: bool) -> Iterator[str]:
    for path in files_hidden_by(target, roots, loader) if is_new else ():
        yield f"{path}: {profile(target.client).title} no longer reads its hooks once the new file exists"
    if target.client == OWN:
        yield "clients ask it after: anyhook deploy; anyhook trust"


def _target(draft: Draft, roots: Roots) -> TargetFile:
    target = hook_file_at(draft.client or "", Path(draft.file or ""), roots)
    if target is not None:
        return target
    known = ", ".join(str(choice.target.path) for choice in hook_file_choices(draft.client or "", roots))
    raise UsageError(f"{draft.file}: {profile(draft.client or '').title} reads no hooks there; it reads {known}")


def _action(draft: Draft) -> Action:
    text, limit = draft.text or "", timeout_ms(draft)
    match draft.kind:
        case "prompt":
            submits = profile(draft.client or "").layout.submits_prompts
            return Prompt(prompt=text, timeout_ms=limit, purpose="submit" if submits else "judge")
        case "http":
            return Http(url=text, timeout_ms=limit)
        case _:
            return Command(command=text, timeout_ms=limit)
