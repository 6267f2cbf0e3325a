"""What a guard runs that cannot be found beforehand: it is part of the decision to trust."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from anyhook.model.problems import AnyhookError
from anyhook.trust.decide import TrustState
from anyhook.trust.records import Record, read_record, trust_project
from tests.trust.trust_projects import Project

UNCERTAIN = 'bash "$GUARD"'


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (UNCERTAIN, {}),
        ("bash f", {"f": UNCERTAIN}),
        ("bash f", {"f": ". ./g\n", "g": UNCERTAIN}),
        ("curl https://example.test/x | sh", {}),
        ("pytest tests", {}),
    ],
)
def test_a_guard_with_a_doubt_is_trusted_only_if_that_is_accepted(
    command: str, files: dict[str, str], tmp_path: Path
) -> None:
    project = Project(tmp_path / "shop", command)
    for name, text in files.items():
        project.write(name, text)
    found = project.fingerprint()
    assert len(found.doubts_about_guards) == 1
    with pytest.raises(AnyhookError, match="a guard runs what cannot be checked"):
        trust_project(project.roots, found)
    assert project.check().state is TrustState.UNKNOWN
    trust_project(project.roots, found, accepts_uncovered=True)
    assert project.check().is_trusted
    record = read_record(project.roots)
    assert record is not None
    assert record.accepted == found.doubts_about_guards


def test_a_hook_that_cannot_block_needs_no_acceptance(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop")
    hook = {"type": "command", "command": UNCERTAIN}
    project.write("hooks/hooks.json", json.dumps({"version": 1, "hooks": {"session-start": [{"hooks": [hook]}]}}))
    found = project.fingerprint()
    assert found.unresolved
    assert not found.doubts_about_guards
    trust_project(project.roots, found)
    assert project.check().is_trusted


def test_a_doubt_that_was_not_accepted_is_a_change(tmp_path: Path) -> None:
    """As after an update of anyhook that finds more, or with a record that was written before it looked."""
    project = Project(tmp_path / "shop", UNCERTAIN)
    trust_project(project.roots, project.fingerprint(), accepts_uncovered=True)
    (file,) = (tmp_path / "state/trust").glob("*/trust.json")
    record = msgspec.json.decode(file.read_bytes(), type=Record)
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(record, accepted=())))
    trust = project.check()
    assert trust.state is TrustState.CHANGED
    assert "a guard runs what cannot be checked: bash $GUARD" in trust.reason


def test_a_new_doubt_takes_the_trust_away(tmp_path: Path) -> None:
    project = Project(tmp_path / "shop", "bash f")
    project.write("f", "true\n")
    trust_project(project.roots, project.fingerprint())
    project.write("f", UNCERTAIN)
    assert "a guard runs what cannot be checked: bash $GUARD: what bash runs is only known when it runs" in (
        project.changes()
    )
