"""People approve hooks, not agents: ways to run ``anyhook trust`` or to write its state, and what looks like them.

``approvals.jsonl`` has the command lines that are refused, by the way that they try; ``no_approvals.jsonl`` those that
only read, or speak of it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anyhook.guards.asked import asked_effects
from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import guard_function
from anyhook.guards.effects import Place, Verb
from anyhook.guards.wording import PERSON
from anyhook.model.payload_base import Payload
from tests.guards.cases import PROJECT, bash, said, tool, write
from tests.guards.effects.places import judged

HERE = Path(__file__).parent
MISSED = (
    "IFS=,; c=anyhook,trust,-y; $c",
    "declare -n r=x; x=trust; anyhook $r",
    "find ~/.local/state -name '*anyhook*' -exec cp x {} \\;",
    "ls ~/.local/state/anyhook/* | xargs -I{} cp x {}",
)
"""What is not refused although it should be: SECURITY.md says so of words that are made while the line runs."""
OTHER_REASONS = (
    "at -f x.sh now; echo",
    "export ANYHOOK_STATE_DIR=/tmp/s",
    "pwsh -EncodedCommand YQBuAHkAaABvAG8AawAgAHQAcgB1AHMAdAAgAC0ALQB5AGUAcwA=",
)
"""What is refused for something else that it does."""
BY_FAMILY = ("into the state folder", "further")
"""Ways of which another family may say why: they delete, open permissions or change a database."""
PATCH = (
    "*** Begin Patch\n*** Update File: docs/a.md\n@@\n+anyhook trust\n"
    "*** Add File: build.sh\n+#!/bin/sh\n+anyhook trust --yes\n*** End Patch"
)
SCRIPTS = (
    ("x.sh", "anyhook trust --yes\n"),
    ("x.sh", "#!/bin/sh\nset -e\nA=anyhook\n$A trust --yes  # anyhook\n"),
    ("x.sh", "yes | anyhook trust\n"),
    ("x.sh", "python3 -m anyhook trust -y\n"),
    ("x.sh", "uvx anyhook trust -y\n"),
    ("x.sh", "script -qc 'anyhook trust -y'\n"),
    ("x.sh", "echo 'anyhook trust -y' | sh\n"),
    ("build", "#!/bin/sh\n  sudo anyhook trust -y\n"),
    ("Makefile", "x:\n\tanyhook trust --yes\n"),
    ("justfile", "x:\n  anyhook trust -y"),
    ("package.json", '{"scripts": {"postinstall": "anyhook trust --yes"}}'),
    ("tox.ini", "[testenv]\ncommands =\n  anyhook trust -y"),
    ("docker-compose.yml", "services:\n  x:\n    command: anyhook trust -y"),
    ("x.py", "import subprocess\nsubprocess.run(['anyhook', 'trust', '--yes'])\n"),
    ("x.py", "import pty\npty.spawn(['anyhook','trust'])"),
    ("conftest.py", "from anyhook.cli.main import main\nmain(['trust','--yes'])"),
    ("conftest.py", "from anyhook.trust.records import trust_project\ntrust_project(r, f)"),
    ("conftest.py", "from anyhook.project.trusted_project import TrustedProject as T\nT(p).approve_all()"),
    ("sign.sh", "ssh-keygen -Y sign -n anyhook -f ~/.ssh/id_ed25519 statement\n"),
    ("x.js", "require('child_process').execSync('anyhook trust --yes')"),
    ("x.exp", "spawn anyhook trust\nsend y\\r"),
    ("x.ps1", "& anyhook trust -y"),
    ("x.bat", "@echo off\r\nanyhook trust -y\r\n"),
    (".vscode/tasks.json", '{"tasks":[{"type":"shell","command":"anyhook trust -y"}]}'),
    (".git/hooks/post-commit", "#!/bin/sh\nanyhook trust -y"),
    ("/etc/cron.d/x", "0 4 * * 1 me anyhook trust -y\n"),
    ("/home/me/.config/systemd/user/x.service", "[Service]\nExecStart=/usr/bin/anyhook trust -y\n"),
    ("/home/me/.config/autostart/x.desktop", "[Desktop Entry]\nExec=anyhook trust -y"),
    ("/home/me/.bashrc", "anyhook trust -y\n"),
)
OWN_FILES = (
    "~/.local/state/anyhook/x",
    "/home/me/.local/state/anyhook/trust/1",
    "/home/me/.config/anyhook/anyhook.toml",
    "/home/me/.config/anyhook/allowed_signers",
    "/Users/me/Library/Application Support/anyhook/trust/1",
    "C:\\Users\\me\\AppData\\Local\\anyhook\\trust\\1",
    "/run/user/1000/anyhook/daemon.sock",
)
EDITS = (
    *(write(path, text) for path, text in SCRIPTS),
    *(write(path) for path in OWN_FILES),
    tool("Edit", file_path="build.sh", old_string="make", new_string="make\nanyhook trust --yes"),
    tool("NotebookEdit", notebook_path="x.ipynb", new_source="!anyhook trust -y"),
    tool("mcp__fs__write_file", path="x.sh", content="anyhook trust -y"),
    tool("mcp__fs__edit_file", path="x.sh", edits=[{"oldText": "a", "newText": "anyhook trust -y"}]),
    tool("mcp__fs__move_file", source="a", destination="/home/me/.local/state/anyhook/x"),
    tool("mcp__git__apply", path=".", patch="--- a/x.sh\n+++ b/x.sh\n@@\n+anyhook trust -y\n"),
    tool("mcp__sqlite__write_query", query="update t set a=1", db="/home/me/.local/state/anyhook/x.db"),
)
CALLS = (
    tool("mcp__shell__run", command="anyhook trust -y"),
    tool("mcp__shell__run", command=["anyhook", "trust", "-y"]),
    tool("mcp__shell__run", command="anyhook", args=["trust", "-y"]),
    tool("mcp__term__send_keys", text="anyhook trust -y\n"),
    tool("mcp__term__run_in_terminal", input="anyhook trust -y"),
    tool("mcp__pty__write", data="anyhook trust -y\n"),
    tool("mcp__computer__type", text="anyhook trust -y\n"),
    tool("mcp__cron__add_job", command="anyhook trust -y"),
    tool("mcp__box__exec", command="cp x ~/.local/state/anyhook/x"),
)
HARMLESS = (
    write("docs/trust.md", "    $ anyhook trust --yes\n"),
    write("README.md", "Run `anyhook trust`."),
    write("notes.txt", "anyhook trust -y"),
    write(".github/workflows/ci.yml", "- run: anyhook trust --yes"),
    write("x.sh", "anyhook trust --list\nanyhook check\n"),
    write("x.sh", "echo 'run: anyhook trust'\n"),
    write("x.sh", "# anyhook trust --yes is for people\nmake\n"),
    write("x.py", "raise SystemExit('hooks are not trusted: run anyhook trust')\n"),
    write("x.py", "import anyhook\nprint('anyhook trust --yes')"),
    write("x.py", '"""Run anyhook trust first."""\nimport anyhook.trust\n'),
    write("x.toml", 'message = "Ask the user to run anyhook trust."'),
    write("x.js", "console.log('anyhook trust')"),
    tool("Edit", file_path="x.sh", old_string="anyhook trust --yes", new_string="make"),
    tool("mcp__git__apply", path=".", patch="--- a/x.sh\n+++ b/x.sh\n@@\n-anyhook trust -y\n+make\n"),
    tool("Read", file_path="/home/me/.local/state/anyhook/daemon.log"),
    tool("Grep", pattern="anyhook trust --yes"),
    tool("WebSearch", query="anyhook trust --yes"),
    tool("mcp__gh__create_issue", title="anyhook trust asks twice", body="run anyhook trust --yes"),
    tool("mcp__sqlite__read_query", query="select * from t", db="/home/me/.local/state/anyhook/x.db"),
    tool("mcp__browser__type", text="how hooks are trusted"),
    tool("TodoWrite", todos=[{"content": "anyhook trust"}]),
)


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", rows("approvals.jsonl"), ids=lambda row: row["command"])
def test_no_way_approves(row: dict[str, str]) -> None:
    findings = judged(row["command"])
    assert findings
    if row["way"] not in BY_FAMILY and row["command"] not in OTHER_REASONS:
        assert PERSON in [finding.instead for finding in findings]


@pytest.mark.parametrize("command", MISSED)
def test_what_remains_is_known(command: str) -> None:
    assert judged(command) == ()


@pytest.mark.parametrize("row", rows("no_approvals.jsonl"), ids=lambda row: row["command"])
def test_reading_and_speaking_of_it_is_allowed(row: dict[str, str]) -> None:
    assert judged(row["command"]) == ()


@pytest.mark.parametrize("event", EDITS, ids=lambda event: str(event.get("tool_input")))
def test_no_edit_approves(event: Payload) -> None:
    assert said("files", event)


@pytest.mark.parametrize("event", CALLS, ids=lambda event: str(event.get("tool_input")))
def test_no_tool_of_a_server_approves(event: Payload) -> None:
    assert PERSON in said("shell", event)


@pytest.mark.parametrize("event", HARMLESS, ids=lambda event: str(event.get("tool_input")))
def test_other_calls_are_allowed(event: Payload) -> None:
    assert said("files", event) == ""
    assert said("shell", event) == ""


def test_of_a_patch_only_the_lines_count_that_it_adds_to_a_file() -> None:
    call = GuardCall(event=tool("apply_patch", patch=PATCH), project=PROJECT, dialect="codex")
    written = [effect for effect in asked_effects(call)[0].effects if effect.verb is Verb.WRITES]
    assert [(effect.target.shown, effect.text) for effect in written if isinstance(effect.target, Place)] == [
        ("docs/a.md", "anyhook trust"),
        ("build.sh", "#!/bin/sh\nanyhook trust --yes"),
    ]
    assert guard_function("files")(call) is not None


@pytest.mark.parametrize(
    ("guard", "event", "is_refused"),
    [
        ("shell", bash("cp x /srv/state/trust/1"), True),
        ("shell", bash("cp x /srv/settings/anyhook/allowed_signers"), True),
        ("shell", bash("ls /srv/state"), False),
        ("shell", bash("cp x /srv/state-of-things"), False),
        ("files", write("/srv/state/trust/1"), True),
        ("files", write("/srv/settings/anyhook/anyhook.toml"), True),
        ("files", write("/srv/settings/other.toml"), False),
    ],
    ids=str,
)
def test_folders_that_variables_name(guard: str, event: Payload, is_refused: bool) -> None:
    variables = {"ANYHOOK_STATE_DIR": "/srv/state", "XDG_CONFIG_HOME": "/srv/settings", "XDG_RUNTIME_DIR": ""}
    reply = guard_function(guard)(GuardCall(event=event, project=PROJECT, environment=variables))
    assert (reply is not None) == is_refused


def test_the_settings_of_the_files_guard_count() -> None:
    script = write("tools/x.sh", "anyhook trust --yes")
    assert "tools/x.sh would run a command that approves hooks" in said("files", script)
    assert said("files", script, allow=["tools/**"]) == ""
    assert said("files", script, defaults=False) == ""


@pytest.mark.parametrize(
    "part",
    ["anyhook trust ", "anyhook -a ", "anyhook.a.", "anyhook.trust ", "anyhook '--' ", "user_state_dir( anyhook"],
)
def test_a_long_text_is_judged(part: str) -> None:
    said("files", write("x.sh", "anyhook " + part * (1_000_000 // len(part))))
