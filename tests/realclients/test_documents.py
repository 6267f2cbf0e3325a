"""The commands of the README and the documents that install anyhook or need a real client.

They use an anyhook that pip has installed from a clone, as a new user's do, and not the checkout under test.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from anyhook.dialects import all_profiles
from anyhook.prove.installation import VARIABLE, install, read_release
from tests.checkout import ROOT
from tests.documents import needing_more, play
from tests.realclients.playing import INSTALLED, PLAY
from tests.test_docs_commands import PAGES, complaint, shown

REPOSITORY = "https://github.com/anyhook/anyhook"
CONVERSATION = [{"shell": "echo tests passed"}, {"text": "The tests pass."}]
"""What the agent of ``anyhook record -- claude -p ...`` does."""
CLIENTS = [known.name for known in all_profiles() if known.basis == "recorded"]


@pytest.fixture(scope="session")
def variables(clients: None, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment of a user: a virtual environment with anyhook, Claude Code with a scripted model, and Codex."""
    folder = tmp_path_factory.mktemp("user")
    programs, environment = folder / "bin", folder / "venv"
    programs.mkdir()
    conversation = folder / "conversation.json"
    conversation.write_text(json.dumps({"script": CONVERSATION, "env": {"ANYHOOK_DAEMON": "0"}}))
    scripted = [sys.executable, str(PLAY), "claude-code", str(conversation)]
    write_program(programs / "claude", f'PYTHONPATH={ROOT / "src"} exec {shlex.join(scripted)} "$(dirname "$PWD")"')
    write_program(programs / "codex", f'exec {shlex.quote(str(install(read_release("codex")).program))} "$@"')
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([environment / "bin" / "pip", "install", "-q", ROOT], check=True)
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": REPOSITORY,
        "PATH": os.pathsep.join(map(str, (programs, environment / "bin", os.environ["PATH"]))),
        "PIP_CACHE_DIR": str(folder / "cache"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONPATH": "",
        VARIABLE: INSTALLED,
    }


def write_program(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/sh\n{line}\n")
    file.chmod(0o755)


@pytest.mark.skipif(not ROOT.joinpath(".git").exists(), reason="this is not a clone")
@pytest.mark.parametrize("page", [page for page, found in PAGES.items() if needing_more(found)], ids=shown)
def test_the_commands_print_what_is_shown(page: Path, variables: Mapping[str, str]) -> None:
    wanted = [block for block in PAGES[page] if block.needs or block.path]  # the others are run without a client
    told = [
        f"{block.name}: $ {step.command}\n{wrong}"
        for block, step, result in play(wanted, given=("network", *CLIENTS), changes=variables)
        if (wrong := complaint(step, result))
    ]
    if told:
        pytest.fail("\n\n".join(told), pytrace=False)
