"""The questions for a new hook, and the change that the answers make."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from anyhook.dialects import real_clients
from anyhook.editor.draft import TEXTS, Draft, answered, known_event, next_question, one_back
from anyhook.editor.hook_files import hook_file_choices
from anyhook.editor.new_hook import plan_new_hook
from anyhook.editor.overview import take_overview
from anyhook.model.codes import Severity
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import apply
from tests.editor.projects import CLAUDE, CLAUDE_FILE, claude_project, item_of, make_project, read

WRITABLE = [known.name for known in real_clients() if any(source.writing != "never" for source in known.sources)]


def filled(draft: Draft, roots: Roots, *values: str) -> tuple[Draft, list[str]]:
    """The draft with these answers, and which questions they were for."""
    fields = []
    for value in values:
        question = next_question(draft, roots)
        assert question is not None
        fields.append(question.field)
        draft = answered(draft, question, value)
    return draft, fields


def test_the_questions_come_in_order_and_the_matcher_from_the_known_tools(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    draft, fields = filled(Draft(), roots, "claude-code", "PreToolUse")
    question = next_question(draft, roots)
    assert question is not None
    assert {"*", "Bash", "Edit", "Write", "WebFetch"} <= {choice.value for choice in question.choices}
    draft, more = filled(draft, roots, "Edit|Write", "command", "make format", "30", str(roots.project / CLAUDE_FILE))
    assert fields + more == ["client", "event", "matcher", "kind", "text", "timeout", "file"]
    assert next_question(draft, roots) is None
    apply(plan_new_hook(draft, roots))
    item = item_of(take_overview(roots), "make format")
    assert (item.matcher, item.timeout_ms, item.native_event) == ("Edit|Write", 30_000, "PreToolUse")
    lines = read(roots, CLAUDE_FILE).splitlines()
    assert [line for line in CLAUDE.splitlines() if line not in lines] == ["      ]}"]  # it has a comma now


def test_an_event_without_a_subject_has_no_question_for_a_matcher(tmp_path: Path) -> None:
    _, fields = filled(Draft(client="claude-code", event="Stop"), claude_project(tmp_path), "command", "true")
    assert fields == ["kind", "text"]


def test_a_guard_goes_to_the_settings_of_the_project(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {"anyhook.toml": "# mine\n"})
    draft, _ = filled(Draft(client="codex", event="PreToolUse"), roots, "*", "guard shell")
    assert next_question(draft, roots) is None
    change = plan_new_hook(draft, roots)
    assert change.after == b"# mine\n\n[guards.shell]\n"
    assert change.notes == ("Codex asks it after: anyhook deploy --client codex; anyhook trust",)
    apply(change)
    with pytest.raises(AnyhookError, match="is there already"):
        plan_new_hook(draft, roots)


def test_answers_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    with pytest.raises(UsageError, match="is not one of these"):
        filled(Draft(client="claude-code"), roots, "NoSuchEvent")
    with pytest.raises(UsageError, match="write something"):
        filled(Draft(client="claude-code", event="Stop"), roots, "command", " ")
    with pytest.raises(UsageError, match="not a number of seconds"):
        filled(Draft(client="claude-code", event="Stop"), roots, "command", "true", "soon")


@pytest.mark.parametrize(
    ("client", "first"),
    [("claude-code", "PreToolUse"), ("cursor", "preToolUse"), ("windsurf", "pre_run_command")],
)
def test_the_events_that_most_hooks_are_for_come_first(client: str, first: str, tmp_path: Path) -> None:
    question = next_question(Draft(client=client), claude_project(tmp_path))
    assert question is not None
    labels = [choice.label for choice in question.choices]
    assert (labels[0], len(labels)) == (first, len(set(labels)))
    assert question.choices[0].note == "before a tool runs; can block"
    explained = [choice for choice in question.choices if choice.note not in ("", "can block")]
    assert tuple(explained) == question.choices[: len(explained)]
    if client == "claude-code":
        common = "PreToolUse PostToolUse UserPromptSubmit SessionStart Stop Notification"
        assert [choice.label for choice in explained] == common.split()


def test_a_misspelled_event_is_answered_with_what_may_be_meant() -> None:
    with pytest.raises(UsageError, match=r"Claude Code has no event 'PreToolUs'; did you mean PreToolUse\?"):
        known_event("PreToolUs", "claude-code")


def test_the_last_answer_can_be_taken_back(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    draft, _ = filled(Draft(), roots, "claude-code", "PreToolUse", "Bash", "guard shell")
    draft = one_back(draft)
    assert (draft.kind, draft.text, draft.matcher) == (None, None, "Bash")
    assert one_back(one_back(one_back(one_back(draft)))) == Draft()


def test_the_same_hook_is_not_written_twice(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    draft = Draft(
        client="claude-code", event="Stop", kind="command", text="./missing.sh", file=str(roots.project / CLAUDE_FILE)
    )
    with pytest.raises(AnyhookError, match=r"settings\.json:\d+: the same hook is there already"):
        plan_new_hook(draft, roots)


def test_a_broken_file_is_named_with_its_line(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: '{\n  "hooks": {,}\n}\n'})
    draft = Draft(client="claude-code", event="Stop", kind="command", text="x", file=str(roots.project / CLAUDE_FILE))
    with pytest.raises(AnyhookError, match=r"settings\.json:2: .*\ncorrect the syntax"):
        plan_new_hook(draft, roots)
    assert read(roots, CLAUDE_FILE) == '{\n  "hooks": {,}\n}\n'


@pytest.mark.parametrize("client", WRITABLE)
def test_a_hook_can_be_added_for_every_client_that_deploy_writes(client: str, tmp_path: Path) -> None:
    roots = make_project(tmp_path, {})
    draft = Draft(client=client)
    while (question := next_question(draft, roots)) is not None:
        usual = {"kind": "command", "text": "true", "timeout": ""}.get(question.field)
        draft = answered(draft, question, question.choices[0].value if usual is None else usual)
    change = plan_new_hook(draft, roots)
    back = apply(change)
    assert any(item.text() == "true" and item.file == draft.file for item in take_overview(roots, (client,)).hooks())
    apply(back)
    assert not change.path.exists()


@pytest.mark.parametrize("client", ["universal", *WRITABLE])
def test_every_event_takes_every_hook_that_is_offered(client: str, tmp_path: Path) -> None:
    roots = make_project(tmp_path, {})
    events = next_question(Draft(client=client), roots)
    assert events is not None
    for event in events.choices:
        draft = Draft(client=client, event=event.value, text="true", timeout="5")
        question = next_question(draft, roots)
        if question is not None and question.field == "matcher":
            draft = answered(draft, question, question.choices[-1].value)
        kinds = next_question(draft, roots)
        assert kinds is not None
        for kind in (choice.value for choice in kinds.choices if choice.value in TEXTS):
            filled_in = structs.replace(draft, kind=kind)
            file = next_question(filled_in, roots)
            assert file is not None
            change = plan_new_hook(answered(filled_in, file, file.choices[0].value), roots)
            assert not any(each.severity is Severity.ERROR for each in change.problems), (event.value, kind)


def test_files_with_hooks_come_first(tmp_path: Path) -> None:
    local = ".claude/settings.local.json"
    roots = make_project(tmp_path, {local: CLAUDE})
    names = [choice.target.path.relative_to(tmp_path).as_posix() for choice in hook_file_choices("claude-code", roots)]
    assert names == ["project/.claude/settings.json", f"project/{local}", "home/.claude/settings.json"]
