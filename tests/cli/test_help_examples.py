"""The examples that ``--help``, the man page and ``docs/commands.md`` show are run, and none is wrong usage."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.cli.test_help import FOUND
from tests.documents import Project

EXAMPLE = re.compile(r"(anyhook|echo) ")
NEEDS_A_CLIENT = re.compile(r"anyhook prove|.* -- claude ")
"""``make test-clients`` runs these."""
KEYS = {
    "anyhook hooks": "q",
    "anyhook new hook": "^C",
    "anyhook log -f": "^C",
    "anyhook ui": "^C",
    "anyhook daemon start --foreground": "^C",
}
"""What is typed on a terminal to end the examples that begin so."""
AFTER = {"anyhook record on": "anyhook record off"}
"""What undoes an example, so that another one can be run."""
PROBLEMS_FOUND = 1
EVENT = '{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
EXEC = "anyhook exec --client codex --event PreToolUse"
RECORD = f"echo '{EVENT}' | anyhook record --client codex --name NAME -- {EXEC}"
PREPARE = (
    f"echo '{EVENT}' > event.json",
    f"cp -R {ROOT / 'examples/shop/.claude'} {ROOT / 'examples/shop/.codex'} .",
    "anyhook init",
    "cp .codex/hooks.json hooks.json",
    "mkdir -p ~/src ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions",
    'cp -R "$PWD" ~/src/shop',
    "anyhook deploy --client codex",
    "anyhook trust --yes",
)
TO_SIGN = (
    "git init -q . && git -c user.name=you -c user.email=you@example.com commit -q --allow-empty -m first",
    "mkdir -p -m 700 ~/.ssh && ssh-keygen -q -t ed25519 -N '' -C ana@example.com -f ~/.ssh/id_ed25519",
    "cp ~/.ssh/id_ed25519.pub ana.pub",
)
RECORDINGS = ("2026-11-15", "monday")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="the examples use bash and terminals"),
]


def examples(name: str) -> list[str]:
    """The commands of a help text, without the remarks beside them."""
    lines = (line.strip() for line in (FOUND[name].epilog or "").splitlines())
    return [re.split(r"\s{2,}", line)[0] for line in lines if EXAMPLE.match(line)]


def keys_for(example: str) -> str | None:
    return next((keys for start, keys in KEYS.items() if re.match(rf"{start}(?! -c| case)(\s|$)", example)), None)


@pytest.mark.parametrize("name", [name for name in FOUND if name != "init" and examples(name)])
def test_the_examples_can_be_run(name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="help", dir="/tmp") as folder:  # a short path, for sockets
        project = new_project(Path(folder))
        recordings = () if name == "record on" else RECORDINGS
        keys = TO_SIGN if name == "trust" else ()
        for command in (*keys, *PREPARE, *(RECORD.replace("NAME", recording) for recording in recordings)):
            done = project.run(command)
            assert done.status == 0, f"{command}\n" + "\n".join(done.output)
        try:
            wrong = [told for example in examples(name) if (told := complaint(project, example))]
        finally:
            project.run("anyhook daemon stop")
    assert wrong == []


@pytest.mark.parametrize("example", examples("init"))
def test_a_package_can_be_begun(example: str, tmp_path: Path) -> None:
    assert complaint(new_project(tmp_path), example) == ""


def new_project(folder: Path) -> Project:
    project = Project(folder / "user", {})
    project.start("")
    return project


def complaint(project: Project, example: str) -> str:
    """What is wrong with an example; empty if nothing is."""
    if NEEDS_A_CLIENT.match(example):
        return ""
    if shutil.which("jq") is None:
        example = example.partition(" | jq")[0]
    keys = keys_for(example)
    done = project.run(example) if keys is None else project.run_on_terminal(example, keys)
    if undo := next((undo for start, undo in AFTER.items() if example.startswith(start)), None):
        project.run(undo)
    return "" if done.status in (0, PROBLEMS_FOUND) else f"{example}: {done.status}\n" + "\n".join(done.output[-5:])
