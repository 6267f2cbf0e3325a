"""The overview says first where hooks guard the tools, and why not in the other clients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.doctor.clients import ExaminedClient, protection_text
from anyhook.model.origin import Origin
from anyhook.model.outcome import Effect
from anyhook.model.problems import problem
from anyhook.record.recorded import Happened
from anyhook.record.store.database import JournalDatabase
from tests.bridge.bridging import make_package
from tests.record.store.journals import row
from tests.ui.serving import serving


def client(title: str, **more: Any) -> ExaminedClient:
    usual: dict[str, Any] = {"hooks": 2, "active": 2, "guards": 1}
    return ExaminedClient(
        name=title.lower(), title=title, installed="1", measured="1", basis="recorded", files=(), **{**usual, **more}
    )


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ((), "Protected in 1 of 1 client"),
        ((client("Codex"),), "Protected in 2 of 2 clients"),
        ((client("Codex", untrusted=2),), "Protected in 1 of 2 clients; Codex: 2 hooks untrusted"),
        (
            (client("Codex", hooks=0, active=0, guards=0), client("Kiro", hooks=0, active=0, guards=0)),
            "Protected in 1 of 3 clients; Codex and Kiro: no hooks",
        ),
        ((client("Codex", guards=0),), "Protected in 1 of 2 clients; Codex: no hook can refuse a tool"),
        ((client("Codex", active=0, guards=0),), "Protected in 1 of 2 clients; Codex: no hook runs"),
        ((client("Codex", errors=1),), "Protected in 1 of 2 clients; Codex: 1 error in hooks"),
    ],
)
def test_protection_in_one_sentence(others: tuple[ExaminedClient, ...], text: str) -> None:
    assert protection_text((client("Cursor"), *others), ()) == text


def test_a_program_that_no_client_finds_is_part_of_the_sentence() -> None:
    unfound = problem("H002", Origin(), "anyhook is not on the PATH", "install it")
    assert protection_text((client("Cursor"),), (unfound,)).endswith("; anyhook is not on the PATH")
    assert protection_text((), ()) == "No client is installed or has hooks here"


CLAUDE = """{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}],
 "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"""


def test_the_page(tmp_path: Path) -> None:
    project = make_package(tmp_path / "project")
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(CLAUDE)
    refused = Happened(Effect.BLOCK, "no")
    with serving(project) as asked:
        with JournalDatabase(asked.journal) as database:
            database.add(
                [
                    row(project=str(project), outcome=refused, subject="rm -rf ~"),
                    row(project=str(project), outcome=refused, subject="played", simulation="fire"),
                    row(project="/elsewhere", outcome=refused, subject="far"),
                    row(project=str(project), subject="ls"),
                ]
            )
        page = asked.get_job("/api/overview")
    [claude] = [each for each in page["clients"] if each["name"] == "claude-code"]
    assert (claude["hooks"], claude["active"], claude["guards"], claude["lack"]) == (2, 2, 1, "")
    assert claude["last"]["subject"] == "ls"
    assert page["protection"].startswith(f"Protected in 1 of {len(page['clients'])} client")
    assert [view["subject"] for view in page["refused"]] == ["rm -rf ~"]
    assert page["journal_error"] == ""
