"""Several processes at once lose no entry, and one that is killed leaves the old file or the new one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.deploy.installing import CLAUDE, STOP, Machine, groups, rule_per_event

pytestmark = pytest.mark.long

ROUNDS = 50
WRITER = """
import json, sys
from pathlib import Path
from anyhook.deploy.install import Owner, apply, plan_install
from anyhook.model.hooks import Command, Rule
from anyhook.model.origin import Scope
from anyhook.sources.discover import Roots

project, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
owner = Owner(name, lambda action: action.summary().startswith(f"anyhook {name} "))
for number in range(rounds):
    rule = Rule(event="Stop", native_event="Stop", actions=(Command(command=f"anyhook {name} {number}"),))
    apply(plan_install("claude-code", [rule], Roots(project, project / "home"), Scope.PROJECT, owner))
    groups = json.loads((project / ".claude/settings.json").read_bytes())["hooks"]["Stop"]
    mine = [g["hooks"][0]["command"] for g in groups if g["hooks"][0]["command"].startswith(f"anyhook {name} ")]
    assert mine == [f"anyhook {name} {number}"], mine
"""
TOGGLER = """
import sys
from pathlib import Path
from tests.deploy.installing import BRIDGE, rule_per_event
from anyhook.deploy.install import apply, plan_install, plan_removal
from anyhook.model.origin import Scope
from anyhook.sources.discover import Roots

roots, rules = Roots(Path(sys.argv[1]), Path(sys.argv[1]) / "home"), rule_per_event("claude-code")
print("ready", flush=True)
while True:
    apply(plan_install("claude-code", rules, roots, Scope.PROJECT, BRIDGE))
    for change in plan_removal("claude-code", roots, Scope.PROJECT, BRIDGE):
        apply(change)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def start(script: str, *arguments: str) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("before", [None, json.dumps({"hooks": {"Stop": [groups("./theirs")]}})])
def test_two_processes_lose_no_update(before: str | None, machine: Machine) -> None:
    path = machine.roots.project / CLAUDE
    if before is not None:
        machine.write(CLAUDE, before)
    writers = [start(WRITER, str(machine.roots.project), name, str(ROUNDS)) for name in ("one", "two")]
    errors = [writer.communicate()[1].decode() for writer in writers]
    assert errors == ["", ""]
    found = [group["hooks"][0]["command"] for group in json.loads(path.read_bytes())["hooks"]["Stop"]]
    own = {f"anyhook {name} {ROUNDS - 1}" for name in ("one", "two")}
    assert sorted(found) == sorted(own | (set() if before is None else {"./theirs"}))


@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
def test_a_killed_process_leaves_the_old_file_or_the_new_one(machine: Machine) -> None:
    chance = random.Random(6)
    old = json.dumps({"a": 1, "hooks": {"Stop": [groups("./theirs")] * 200}}, indent=2)
    path = machine.write(CLAUDE, old)
    new = machine.plan("claude-code", rule_per_event("claude-code")).file.after
    seen = set()
    for _ in range(12):
        process = start(TOGGLER, str(machine.roots.project))
        with process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(chance.uniform(0.0, 0.15))
            process.send_signal(signal.SIGKILL)
        seen.add(path.read_bytes())
        assert seen <= {old.encode(), new}
        machine.remove("claude-code")
        assert path.read_bytes() == old.encode()
    machine.install("claude-code", [STOP])
    machine.remove("claude-code")
    assert [file.name for file in path.parent.iterdir()] == [path.name]
