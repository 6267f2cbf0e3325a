"""``anyhook log`` on a terminal, while it follows, and with a journal that was changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store.database import JournalDatabase
from anyhook.record.store.spool import add_to_spool
from tests.bridge.bridging import run_anyhook
from tests.checkout import SOURCE
from tests.cli.test_terminal import shown_in
from tests.record.store.journals import change, hook, private, row
from tests.trust.trust_projects import make_repository
from tests.warm.commands import COLD


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    return private(tmp_path / "state" / "journal")


def log(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_anyhook(folder.parent.parent / "project", "log", *words, **variables)


def test_on_a_terminal_no_line_is_too_long_and_in_a_pipe_nothing_is_cut(folder: Path) -> None:
    long = row(
        client="a-client-with-a-long-name",
        event="AnEventWithAVeryLongNameIndeed",
        tool="mcp__server__a_tool_with_a_long_name",
        outcome=Happened(Effect.FEEDBACK, "why " * 100, decided_by=f"/{'deep/' * 40}hooks.json:12"),
        hooks=(hook("x" * 300, "failed-so-allowed", reason="broken\x1b[31m" * 20), *[hook(status="skipped")] * 120),
        ms=123_456_789.0,
    )
    with JournalDatabase(folder) as database:
        database.add([long])
    shown = log(folder).stdout
    assert "\x1b" not in shown
    assert all(text in shown for text in ("feedback", long.client, long.event, long.tool, "why " * 99, "x" * 300))
    lines = shown_in(80, folder.parent.parent, "log", ANYHOOK_STATE_DIR=str(folder.parent))
    assert max(map(len, lines)) <= 80
    assert any("feedback" in line for line in lines)


def test_what_an_event_was_about_and_what_was_simulated_is_said(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        earlier = row(at="2026-11-16T10:00:01.000Z", subject="rm -rf ~")
        database.add([earlier, row(at="2026-11-16T10:00:02.000Z", subject="ls", simulation="fire")])
    blocked, subject, fired, other = log(folder).stdout.splitlines()[1:]
    assert (subject.strip(), other.strip()) == ("rm -rf ~", "ls")
    assert "simulated" not in blocked
    assert fired.endswith("1 hook  simulated by anyhook fire")
    assert json.loads(log(folder, "--json", "-n", "1").stdout)["simulation"] == "fire"


def test_figures_say_that_only_simulations_are_there(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(simulation="try")])
    shown = log(folder, "--stats").stdout
    assert shown.startswith("Only events of try, fire and test are in the journal, which do not count.")
    assert log(folder, "--stats", "--client", "cursor").stdout.startswith("No such events are in the journal.")


def test_figures_name_the_place_of_hooks_that_are_called_the_same(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(hooks=(hook("guard", file=f"/{name}/h.json"),)) for name in ("ana", "ben")])
        database.add([row(hooks=(hook("other"),))])
    shown = log(folder, "--stats").stdout
    assert all(text in shown for text in ("guard (/ana/h.json:3)", "guard (/ben/h.json:3)"))
    assert "other (" not in shown


def test_another_checkout_of_the_repository_is_the_same_project(folder: Path) -> None:
    project = make_repository(folder.parent.parent / "project")
    with JournalDatabase(folder) as database:
        elsewhere = row(project="/home/ben/shop", repository="github.com/acme/shop", tool="There")
        database.add([elsewhere, row(project="/home/ben/blog", repository="github.com/acme/blog", tool="Other")])
    shown = run_anyhook(project, "log")
    assert "There" in shown.stdout
    assert "Other" not in shown.stdout
    assert "--all-projects" in shown.stderr


def test_events_are_shown_in_the_order_of_their_time(folder: Path) -> None:
    """What the recorder and exec have spooled is stored later than what the daemon has answered meanwhile."""
    with JournalDatabase(folder) as database:
        database.add([row(at=f"2026-11-16T10:00:0{second}.000Z", tool=f"Tool{second}") for second in (2, 1, 3)])
    assert re.findall("Tool[0-9]", log(folder).stdout) == ["Tool1", "Tool2", "Tool3"]


@pytest.mark.parametrize("path", ["../project", ".", "sub/..", "../../{0}/project"])
@pytest.mark.parametrize("words", [(), ("--stats",)], ids=str)
def test_a_project_is_found_by_any_path_to_it(folder: Path, words: tuple[str, ...], path: str) -> None:
    project = folder.parent.parent / "project"
    (project / "sub").mkdir()
    with JournalDatabase(folder) as database:
        database.add([row(project=str(project.resolve()))])
    done = run_anyhook(project, "log", *words, path.format(project.parent.name))
    assert "No such events" not in done.stdout, done
    assert done.returncode == 0, done


def test_a_file_that_cannot_be_written_is_named(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row()])
    done = log(folder, "--export", "--output", "missing/x.jsonl")
    assert done.returncode == 2
    assert done.stderr == (
        "anyhook: missing/x.jsonl: cannot be written: No such file or directory; name another file: --output FILE\n"
    )


def test_a_reader_that_leaves_early_is_no_fault_of_the_journal(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(tool="x" * 10_000) for _ in range(100)])
    read, write = os.pipe()
    os.close(read)
    try:
        variables = {**os.environ, "PYTHONPATH": str(SOURCE)}
        words = [*COLD, "log", "--all-projects", "--export"]
        done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, env=variables, timeout=60, check=False)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_colours(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(outcome=Happened(Effect.BLOCK, "no"))])
    assert "\x1b[31mblock" in log(folder, FORCE_COLOR="1").stdout
    assert "\x1b" not in log(folder).stdout


@pytest.fixture
def following(folder: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "ANYHOOK_STATE_DIR": str(folder.parent)}
    words = [*COLD, "log", "-f", "--json", "-n", "1", "--event", "PreToolUse"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True, cwd="/") as process:
        yield process
        process.kill()


def test_follow(folder: Path, request: pytest.FixtureRequest) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(), last := row()])
    process: subprocess.Popen[str] = request.getfixturevalue("following")
    assert process.stdout is not None
    assert last.id in process.stdout.readline()
    add_to_spool(folder, row(event="Stop", canonical="Stop"))
    add_to_spool(folder, spooled := row())
    assert spooled.id in process.stdout.readline()
    with JournalDatabase(folder) as database:
        database.add([stored := row()])
    assert stored.id in process.stdout.readline()


def test_verify(folder: Path) -> None:
    with JournalDatabase(folder) as database:
        database.add([row(), row(), row()])
    assert (log(folder, "--verify").returncode, log(folder, "--verify").stdout) == (0, "intact up to row 3\n")
    change(folder, "DELETE FROM rows WHERE number = 2")
    ran = log(folder, "--verify")
    assert (ran.returncode, ran.stdout) == (1, "row 2 is missing\n1 break in the chain\n")
    assert '"row 2 is missing"' in log(folder, "--verify", "--json").stdout


def test_a_corrupt_journal_is_set_aside_and_said(folder: Path) -> None:
    (folder / "journal.db").write_bytes(b"this is no database" * 1000)
    add_to_spool(folder, row())
    for ran in (log(folder), log(folder)):
        assert ran.returncode == 0, ran.stderr
        assert ran.stderr.count("was corrupt and was set aside") == 1
        assert "claude-code" in ran.stdout


def test_a_journal_that_is_found_corrupt_while_it_is_read(folder: Path) -> None:
    (folder / "journal.db").write_bytes(b"this is no database" * 1000)
    project = folder.parent.parent / "project"
    first = run_anyhook(project, "test", "--recording", "x")
    assert first.returncode == 2
    assert "the journal was corrupt and is now " in first.stderr
    assert "there is no recording 'x'" in run_anyhook(project, "test", "--recording", "x").stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_FSIZE, which acts like a full disk")
def test_a_full_disk_is_said(folder: Path) -> None:
    """The limit is below the size that the log of SQLite has already: it can be read, and not be added to."""
    limited = [
        sys.executable,
        "-c",
        "import os, resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
        "os.execv(sys.argv[1], sys.argv[1:])",
        *COLD,
    ]
    project = folder.parent.parent / "project"
    with JournalDatabase(folder) as database:  # open, so that the log stays
        for _ in range(40):
            database.add([row() for _ in range(5)])
        ran = run_anyhook(project, "log", run=limited, PYTHONDONTWRITEBYTECODE="1")
    assert ran.returncode == 0, ran.stderr
    assert "journal.db: " in ran.stderr
    assert "claude-code" in ran.stdout


def test_what_was_cut_is_shown(folder: Path) -> None:
    """A reason of 7 MB, of an event that exec has answered."""
    add_to_spool(folder, row(outcome=Happened(Effect.BLOCK, "far too long " * 600_000)))
    shown = log(folder, "--all-projects")
    assert re.search(r"\[7,[\d,]+ characters left out\]", shown.stdout)
    assert re.search(r"7,?\d{3},?\d{3} characters left out, because the row would be too large", shown.stdout), (
        shown.stdout[-300:]
    )
    assert len(shown.stdout) < 20_000
    line = log(folder, "--json", "--all-projects").stdout
    assert json.loads(line)["cut"] > 7_000_000
    assert (folder / "journal.db").stat().st_size < 200_000
