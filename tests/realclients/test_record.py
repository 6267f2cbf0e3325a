"""Real clients, offline, with a scripted model: what they do is recorded, and they do not notice.

ANYHOOK_REAL_CLIENTS=1 pytest tests/realclients        (once before: ../shared/realclients/realclient install)
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.dialects import RECORDED
from anyhook.record.infer import conclude, read_payloads
from anyhook.record.journal import find_recording, read_recording

ROOT = Path(__file__).parents[2]
REALCLIENT = ROOT.parent / "shared" / "realclients" / "realclient"
INSTALLED = os.environ.get("REALCLIENTS_DIR") or str(Path.home() / ".cache" / "realclients")
SCRIPT = [{"shell": "echo API_KEY=abc123 > fine.txt"}, {"text": "bye"}]


def obstacle() -> str:
    if not os.environ.get("ANYHOOK_REAL_CLIENTS"):
        return "runs real clients: set ANYHOOK_REAL_CLIENTS=1"
    if not REALCLIENT.exists():
        return "shared/realclients is not beside this checkout"
    if not Path(INSTALLED).is_dir():
        return f"no clients in {INSTALLED}: run {REALCLIENT} install"
    return next((f"{name} is not on PATH" for name in ("node", "unshare") if shutil.which(name) is None), "")


pytestmark = pytest.mark.skipif(bool(obstacle()), reason=obstacle())


@pytest.mark.parametrize("client", RECORDED)
def test_a_real_client_is_recorded_and_works_as_ever(client: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    run = [str(REALCLIENT), "run", client, "--project", str(project), "--script", str(script)]
    done = subprocess.run(
        [sys.executable, "-m", "anyhook", "record", "--client", client, "--name", "real", "--", *run],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "REALCLIENTS_DIR": INSTALLED},
        capture_output=True,
        text=True,
    )
    if done.returncode == 77:
        pytest.skip("no namespaces here")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [call["ran"] for call in report["tool_results"]] == [True]
    assert [path.name for path in project.iterdir()] == [".anyhook"]

    recording = read_recording(find_recording(project, "real"))
    assert recording.problems == ()
    assert "abc123" not in (recording.folder / "events.jsonl").read_text()
    events = read_payloads(recording.events)
    happened = dict(zip((event.payload.event for event in events), conclude(events), strict=True))
    assert happened.keys() >= {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"}
    for name in ("UserPromptSubmit", "PreToolUse"):
        outcome = happened[name]
        assert outcome is not None
        assert (outcome.effect, outcome.is_concluded) == ("proceed", True)
