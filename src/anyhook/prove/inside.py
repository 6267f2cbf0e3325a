"""The first process of a namespace: plays one situation after another and ends everything that they left running.

``python -m anyhook.prove.inside [FOLDER]``: reads one JSON object a line, which names the workspace and the client, and
prints one line when the report is in the workspace. With a folder, no file outside of it can be changed. When stdin
ends, so does the namespace with all its processes.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, structs

from anyhook.model.problems import AnyhookError
from anyhook.prove.clients import driver
from anyhook.prove.driver import Conversation, Driver, Start
from anyhook.prove.installation import Installed
from anyhook.prove.model_server.scripted_model import ScriptedModel
from anyhook.prove.model_server.server import ModelServer
from anyhook.prove.namespace import bring_up_loopback, mount_over, protect_files, unmount
from anyhook.prove.report import HookCall, RunReport
from anyhook.prove.situation import Situation, decode_situation
from anyhook.prove.workspace import Workspace

REPORT, SITUATION = "report.json", "situation.json"
_OF_SHELLS = {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}
_SECONDS_FOR_HOOKS_TO_END = 1.0
_PRINTED_CHARACTERS = 20_000
_LOG_LINES = 200


class Task(Struct, frozen=True):
    """What the process outside asks for."""

    workspace: Workspace
    installed: Installed


class _Ended(Struct, frozen=True):
    """How a client ended."""

    status: int | None
    started: float
    seconds: float


def encode_task(task: Task) -> bytes:
    return msgspec.json.encode(task, enc_hook=str)


def main() -> None:
    bring_up_loopback()
    if sys.argv[1:]:
        protect_files(Path(sys.argv[1]))
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # nothing that a library prints is taken for an answer
        for line in sys.stdin.buffer:
            task = msgspec.json.decode(line, type=Task, dec_hook=lambda _, value: Path(value))
            report = play(task)
            _end_processes()
            (task.workspace.root / REPORT).write_bytes(msgspec.json.encode(report))
            answers.write(b"done\n")
            answers.flush()


def play(task: Task) -> RunReport:
    """One start of the client."""
    situation = decode_situation((task.workspace.root / SITUATION).read_bytes())
    own = situation.project if situation.keeps_path else None
    mounted = own if own is not None and mount_over(task.workspace.project, own) else None
    try:
        return _play_in(mounted or task.workspace.project, task, situation)
    finally:
        if mounted is not None:
            unmount(mounted)


def _play_in(project: Path, task: Task, situation: Situation) -> RunReport:
    workspace, drives = task.workspace, driver(task.installed.client)
    server = ModelServer()
    start = Start(
        workspace=workspace,
        project=project,
        url=server.url,
        installation=task.installed.folder,
        prompts=situation.prompts,
        trust=situation.trust,
    )
    drives.prepare(start)
    model = ScriptedModel(situation.script, drives, project)
    server.start(model)
    command = [
        str(task.installed.program),
        *drives.arguments(start),
        *(drives.approval if situation.approve else ()),
        *situation.arguments,
    ]
    environment = _environment(start, drives, situation)
    talk = drives.conversation(start) if len(situation.prompts) > 1 else None
    if talk is None and len(situation.prompts) > 1:
        raise AnyhookError(f"{task.installed.client} takes one prompt in a start")
    ended = _run(command, environment, start, situation.seconds, talk)
    _wait_for_hooks()
    server.close()
    return RunReport(
        client=task.installed.client,
        version=task.installed.version,
        exit_status=ended.status,
        seconds=round(ended.seconds, 3),
        hooks_fired=_hooks_fired(workspace.calls, environment, ended.started),
        log=_log(workspace.logs),
        stdout=_end_of(workspace.root / "stdout"),
        stderr=_end_of(workspace.root / "stderr"),
        **structs.asdict(model.report()),
    )


def _environment(start: Start, drives: Driver, situation: Situation) -> dict[str, str]:
    variables: dict[str, str | None] = {
        "PATH": os.environ["PATH"],
        "HOME": str(start.workspace.home),
        "TMPDIR": str(start.workspace.tmp),
        "SHELL": shutil.which("bash") or "/bin/sh",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        **drives.environment(start),
        **situation.environment,
    }
    return {name: value for name, value in variables.items() if value is not None}


def _run(
    command: Sequence[str], environment: Mapping[str, str], start: Start, seconds: float, talk: Conversation | None
) -> _Ended:
    root = start.workspace.root
    with (root / "stdout").open("wb") as stdout, (root / "stderr").open("wb") as stderr:
        began = time.time()
        process = subprocess.Popen(
            command,
            cwd=start.project,
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL if talk is None else subprocess.PIPE,
            stdout=stdout if talk is None else subprocess.PIPE,
            stderr=stderr,
        )
        if talk is not None:
            threading.Thread(target=_converse, args=(process, talk, root / "stdout"), daemon=True).start()
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        return _Ended(status, began, time.time() - began)


def _converse(process: subprocess.Popen[bytes], talk: Conversation, copy: Path) -> None:
    """Give the client one prompt after another, each when it has answered the one before."""
    assert process.stdin is not None
    assert process.stdout is not None
    with copy.open("wb") as file, suppress(BrokenPipeError, ValueError):
        try:
            process.stdin.write(next(talk))
            process.stdin.flush()
            for line in process.stdout:
                file.write(line)
                process.stdin.write(talk.send(line))
                process.stdin.flush()
        except StopIteration:
            process.stdin.close()
        for line in process.stdout:
            file.write(line)


def _wait_for_hooks() -> None:
    """Hooks that still run are children of this process now: let them finish their record."""
    deadline = time.monotonic() + _SECONDS_FOR_HOOKS_TO_END
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.02)
        except ChildProcessError:
            return


def _end_processes() -> None:
    """End every process that is left in this namespace, so that the next run is alone."""
    if os.getpid() != 1:
        raise RuntimeError("this is not the first process of a namespace")
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # from the first process: all of its namespace but itself
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _hooks_fired(calls: Path, given: Mapping[str, str], began: float) -> tuple[HookCall, ...]:
    records = [msgspec.json.decode(path.read_bytes()) for path in calls.glob("*.*.json")]
    return tuple(_hook_call(record, given, began) for record in sorted(records, key=lambda record: record["started"]))


def _hook_call(record: Mapping[str, Any], given: Mapping[str, str], began: float) -> HookCall:
    payload = record["stdin"]
    added = {
        name: value
        for name, value in sorted(record["env"].items())
        if given.get(name) != value and name not in _OF_SHELLS and "TOKEN" not in name
    }
    return HookCall(
        name=record["name"],
        event=payload.get("hook_event_name") if isinstance(payload, dict) else None,
        payload=payload,
        cwd=record["cwd"],
        environment=added,
        started=round(record["started"] - began, 3),
        seconds=record.get("seconds"),
        exit_status=record.get("exit_status"),
        stdout=record.get("stdout", ""),
        stderr=record.get("stderr", ""),
    )


def _log(logs: Path) -> tuple[str, ...]:
    """What the client's own log says about hooks."""
    files = sorted(path for path in logs.rglob("*") if path.is_file())
    lines = (line for path in files for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    return tuple(line.strip() for line in lines if "hook" in line.lower())[-_LOG_LINES:]


def _end_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")[-_PRINTED_CHARACTERS:]


if __name__ == "__main__":
    main()
