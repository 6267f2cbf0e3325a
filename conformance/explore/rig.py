"""Plays situations to a real client. The only module that knows what starts it: ``anyhook.prove``."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.prove.installation import Release, install
from anyhook.prove.report import RunReport
from anyhook.prove.run import ClientRunner
from anyhook.prove.situation import read_situation
from conformance.explore.scenes import Scene
from conformance.explore.situations import Situation

SPY = Path(__file__).resolve().with_name("spy.py")
MAX_SECONDS = 120
"""How long one start of a client may take."""


class Observation(Struct, frozen=True, kw_only=True):
    """What the client did in one situation."""

    ran: tuple[str, ...]
    """The hooks, in the order in which they started."""
    payload: Mapping[str, Any] | None
    """What the first of them received; None when none ran."""
    made: frozenset[str]
    """Marks of commands that were run."""
    told: str
    """Everything that the model was told after the situation began."""
    requests: int
    """How often the model was asked."""
    ended: bool
    """The client did not go on to the next turn."""
    failed_to_start: bool = False


def play(runner: ClientRunner, client: str, scene: Scene, situations: Sequence[Situation]) -> list[Observation | None]:
    """Plays situations with the same files in one start; None for one that the client did not come to."""
    installed = install(Release(client, profile(client).release))
    top = Path(tempfile.mkdtemp(prefix="explore-")).resolve()
    try:
        stage, workspace = top / "stage", top / "workspace"
        for folder in (stage / "calls", workspace):
            folder.mkdir(parents=True)
        (stage / "hooks.json").write_text(json.dumps({each.mark: each.hooks for each in situations}), encoding="utf-8")
        report = runner.play(installed, read_situation(_case(scene, situations, stage)), keep_in=workspace)
        return observations(scene, situations, stage, report, workspace)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _case(scene: Scene, situations: Sequence[Situation], stage: Path) -> dict[str, Any]:
    hook = shlex.join([sys.executable, "-S", "-E", str(SPY), str(stage)])
    files = json.loads(json.dumps(situations[0].files).replace("@HOOK@", json.dumps(hook)[1:-1]))
    return {
        "files": {**scene.files, **{path: text for path, text in files.items() if not path.startswith("~/")}},
        "home_files": {
            **scene.home_files,
            **{path[2:]: content for path, content in files.items() if path.startswith("~/")},
        },
        "prompts": list(scene.prompts),
        "script": scene.script([each.mark for each in situations]),
        "args": list(scene.args),
        "env": scene.env,
        "approve": scene.approve,
        "timeout": MAX_SECONDS,
    }


def observations(
    scene: Scene, situations: Sequence[Situation], stage: Path, report: RunReport, root: Path
) -> list[Observation | None]:
    calls = [json.loads(call.read_text(encoding="utf-8")) for call in sorted((stage / "calls").iterdir())]
    requests = ["\n".join(message.text for message in new) for new in report.model_saw]
    given = {result.turn for result in report.tool_results}
    failed = not requests and not calls and report.exit_status != 0
    if failed:
        given.add(0)  # one situation is enough to say that the client does not start
    found: list[Observation | None] = []
    for turn, situation in enumerate(situations):
        if scene.step and turn not in given:
            found.append(None)
            continue
        mine = [call for call in calls if call["situation"] == situation.mark]
        made = {path.name for path in (root / "project").glob(f"mark-{situation.mark}*") if _is_mine(path, situation)}
        found.append(
            Observation(
                ran=tuple(call["name"] for call in mine) if scene.step else _first_calls(mine),
                payload=_payload(mine[0]["text"], root) if mine else None,
                made=frozenset(made),
                told="\n".join(requests[turn + 1 if scene.step else 0 :]),
                requests=len(requests),
                ended=len(requests) <= turn + 1 if scene.step else False,
                failed_to_start=failed,
            )
        )
    return found


def _first_calls(calls: list[dict[str, Any]]) -> tuple[str, ...]:
    """The event may come again, as when a hook keeps the agent going; the situation is about its first time."""
    return tuple(dict.fromkeys(call["name"] for call in calls))


def _is_mine(path: Path, situation: Situation) -> bool:
    return path.name == f"mark-{situation.mark}" or path.name.startswith(f"mark-{situation.mark}-")


def _payload(text: str, root: Path) -> dict[str, Any]:
    for folder, word in (("project", "@PROJECT@"), ("home", "@HOME@")):
        text = text.replace(str(root / folder), word)
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
