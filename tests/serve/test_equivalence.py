"""Recorded situations get the same answer from what the daemon keeps as from what exec reads anew."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects.replying import Sent
from anyhook.engine.function_host import FunctionHost
from anyhook.serve.answer import Surroundings, answer_prepared, prepare, read_options
from anyhook.serve.packages import KeepingLoader
from anyhook.sources.load import Loader

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"
CLIENTS = sorted(path.stem for path in VECTORS.glob("*.jsonl"))
MOST = 10_000 if os.environ.get("ANYHOOK_PROPERTIES") == "explore" else 25
"""How many of each client; all of them with ``make explore``."""

pytestmark = pytest.mark.skipif(not CLIENTS, reason="shared/vectors is not beside this checkout")


def vectors(client: str) -> Iterator[dict[str, Any]]:
    """Those with one hook that ends at once: several at a time have no order that two runs share."""
    lines = (VECTORS / f"{client}.jsonl").read_text().splitlines()
    for vector in map(json.loads, lines):
        behaviours = list(vector["hooks"].values())
        if (
            len(behaviours) == 1
            and isinstance(behaviours[0], dict)
            and behaviours[0].keys() <= {"stdout", "stderr", "exit"}
        ):
            yield vector


def write_script(file: Path, behaviour: dict[str, Any]) -> None:
    """A hook that does what the vector says."""
    stdout = behaviour.get("stdout", "")
    stdout = stdout if isinstance(stdout, str) else json.dumps(stdout)
    lines = ["#!/bin/sh", "cat > /dev/null", f"printf %s {shlex.quote(stdout)}"]
    lines += [f"printf %s {shlex.quote(behaviour.get('stderr', ''))} >&2", f"exit {behaviour.get('exit', 0)}"]
    file.write_text("\n".join(lines) + "\n")
    file.chmod(0o755)


def write_project(vector: dict[str, Any], top: Path) -> bytes:
    """Put the vector's files into the project, always the same folder, and give the payload."""
    project, home = top / "project", top / "home"
    for folder in (project, home):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    script = top / "hook.sh"
    write_script(script, next(iter(vector["hooks"].values())))

    def filled(text: str) -> str:
        return text.replace("@HOOK@", str(script)).replace("@PROJECT@", str(project)).replace("@HOME@", str(home))

    for name, value in vector["files"].items():
        file = home / name[2:] if name.startswith("~/") else project / name
        text = value.get("text") if isinstance(value, dict) and "text" in value else value
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(filled(text if isinstance(text, str) else json.dumps(text)))
    return filled(json.dumps(vector["payload"])).encode()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_vector_is_answered_alike(client: str, tmp_path: Path) -> None:
    kept, functions = KeepingLoader(), FunctionHost()

    def ask(vector: dict[str, Any], payload: bytes, loader: Loader | None, host: FunctionHost | None) -> Sent:
        options = read_options(["--client", client, "--from", client, "--event", vector["event"]])
        environment = {**os.environ, "HOME": str(tmp_path / "home"), "ANYHOOK_TRUST": "1", **vector.get("env", {})}
        around = Surroundings(cwd=tmp_path / "project", home=tmp_path / "home", environment=environment)
        return asyncio.run(answer_prepared(prepare(options, around, payload, loader, host), payload, lambda: None))

    answers = set()
    found = list(vectors(client))
    for vector in found[:: -(-len(found) // MOST)]:
        payload = write_project(vector, tmp_path)
        alone = ask(vector, payload, None, None)
        for _ in range(2):  # the second time from what is kept
            assert ask(vector, payload, kept, functions) == alone, vector["id"]
        answers.add((alone.exit_code, alone.stdout, alone.stderr))
    functions.close()
    assert answers
