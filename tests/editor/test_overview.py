"""What the screen shows: counts, problems at their hooks, the last run from the journal, search."""

from __future__ import annotations

from pathlib import Path

from anyhook.editor.overview import hooks_by_event, take_overview
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.spool import journal_folder
from tests.editor.projects import CLAUDE, CLAUDE_FILE, GEMINI, GEMINI_FILE, claude_project, item_of, make_project
from tests.record.store.journals import hook as journal_hook
from tests.record.store.journals import private, row


def test_clients_and_events_have_counts(tmp_path: Path) -> None:
    roots = make_project(tmp_path, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI})
    overview = take_overview(roots)
    assert [(client.title, len(client.hooks)) for client in overview.clients] == [
        ("Claude Code", 3),
        ("Gemini CLI", 1),
    ]
    assert hooks_by_event(overview.clients[0]) == {"PreToolUse": 2, "Stop": 1}


def test_a_problem_is_shown_at_its_hook_alone(tmp_path: Path) -> None:
    overview = take_overview(claude_project(tmp_path))
    assert [problem.code for problem in overview.problems_of(item_of(overview, "missing.sh"))] == ["C005"]
    assert overview.problems_of(item_of(overview, "true")) == ()
    assert "C005" in [problem.code for problem in overview.problems]


def test_a_file_that_cannot_be_parsed_has_a_problem_and_no_hooks(tmp_path: Path) -> None:
    overview = take_overview(make_project(tmp_path, {CLAUDE_FILE: '{"hooks": {'}))
    (client,) = overview.clients
    assert client.hooks == ()
    assert [problem.origin.file for problem in overview.problems_in(client)] == [
        str(tmp_path / "project/.claude/settings.json")
    ]


def test_the_last_run_is_from_the_journal(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    overview = take_overview(roots)
    hook = item_of(overview, "guard.sh")
    assert overview.activity.last_run(hook) is None
    ran = journal_hook("guard", "blocked", file=hook.file, pointer=hook.origin.pointer, line=hook.line)
    event = row(hooks=(ran,), project=str(roots.project))
    with JournalDatabase(private(journal_folder())) as database:
        database.add([event])
    overview = take_overview(roots)
    run = overview.activity.last_run(item_of(overview, "guard.sh"))
    assert run is not None
    assert (run.last_at, run.last_status) == (event.at, "blocked")
    assert overview.activity.last_run(item_of(overview, "true")) is None


def test_search_needs_every_word(tmp_path: Path) -> None:
    overview = take_overview(claude_project(tmp_path))

    def found(words: str) -> list[str]:
        return [hook.summary for hook in overview.hooks() if overview.matches(hook, words)]

    assert found("bash GUARD") == ["./scripts/guard.sh"]
    assert found("stop bash") == []
    assert found("c005 stop") == ["./missing.sh"]
    assert len(found("")) == 3
