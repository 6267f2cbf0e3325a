"""The first process of a namespace: plays one situation after another and ends everything that they left running.

``python -m anyhook.prove.inside [CONFINEMENT]``: reads one JSON object a line, which names the workspace and the
client, and prints the report as one line. What clients and hooks leave in the workspace may be a trap: a link, a pipe.
When stdin ends, so does the namespace with all its processes: the process outside may have been killed.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import msgspec
from msgspec import Struct, structs

from anyhook.entries.command_entries import is_entry_text
from anyhook.model.problems import AnyhookError
from anyhook.prove.clients import driver
from anyhook.prove.confine import confine, decode_confinement
from anyhook.prove.driver import Conversation, Driver, Start
from anyhook.prove.installation import Installed
from anyhook.prove.model_server.scripted_model import ScriptedModel
from anyhook.prove.model_server.server import ModelServer
from anyhook.prove.namespace import bring_up_loopback, mount_over, unmount
from anyhook.prove.quota import Quota, WatchedRun, watch
from anyhook.prove.report import HookCall, RunReport
from anyhook.prove.situation import Situation, decode_situation
from anyhook.prove.workspace import Workspace, lay_out, mount_linked
from anyhook.record.append import SPOOL
from anyhook.record.recorded import RecordedEvent, decode_row

SITUATION = "situation.json"
_OF_SHELLS = {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}
_SECONDS_FOR_HOOKS_TO_END = 1.0
_SECONDS_BETWEEN_LOOKS = 0.25
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


class _RecordedCall(Struct, frozen=True):
    """What the recorder writes for one call."""

    name: str
    started: float
    cwd: str
    env: dict[str, str]
    stdin: Any
    seconds: float | None = None
    exit_status: int | None = None
    stdout: str = ""
    stderr: str = ""


def encode_task(task: Task) -> bytes:
    return msgspec.json.encode(task, enc_hook=str)


def main() -> None:
    bring_up_loopback()
    confinement = decode_confinement(sys.argv[1]) if sys.argv[1:] else None
    if confinement is not None:
        confine(confinement)
    ending = threading.Event()
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # nothing that a library prints is taken for an answer
        try:
            for line in _lines_until_the_end(confinement.writable if confinement else None, ending):
                task = msgspec.json.decode(line, type=Task, dec_hook=lambda _, value: Path(value))
                answers.write(msgspec.json.encode(play(task)) + b"\n")
                answers.flush()
        except Exception as error:
            if not (ending.is_set() or isinstance(error, BrokenPipeError)):
                raise
            # Whoever asked is gone. The other thread removes what is left, and then ends this process.
            threading.Event().wait()


def _lines_until_the_end(own: Path | None, ending: threading.Event) -> Iterator[bytes]:
    """The lines of stdin; when it ends, this process does, whatever it is doing."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> NoReturn:
        with open(0, "rb", buffering=0) as stdin:  # a buffer has a lock, with which Python could not end
            for line in stdin:
                lines.put(line)
        ending.set()
        _end_processes()
        for entry in own.iterdir() if own else ():
            shutil.rmtree(entry, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield lines.get()


def play(task: Task) -> RunReport:
    """One start of the client."""
    given = decode_situation((task.workspace.root / SITUATION).read_bytes())
    situation = lay_out(task.workspace, given)
    own = situation.project if situation.keeps_path else None
    linked = () if own is None else mount_linked(own, task.workspace.project)
    mounted = own if own is not None and mount_over(task.workspace.project, own) else None
    try:
        return _play_in(mounted or task.workspace.project, task, situation)
    finally:
        for place in (*([mounted] if mounted else ()), *linked):
            unmount(place)


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
    _end_processes()
    server.close()
    return RunReport(
        client=task.installed.client,
        version=task.installed.version,
        exit_status=ended.status,
        seconds=round(ended.seconds, 3),
        hooks_fired=_hooks_fired(workspace, situation.hooks, environment, ended.started),
        log=_log(workspace.logs),
        stdout=_end_of(workspace.root / "stdout"),
        stderr=_end_of(workspace.root / "stderr"),
        **structs.asdict(model.report()),
    )


def _environment(start: Start, drives: Driver, situation: Situation) -> dict[str, str]:
    variables: dict[str, str | None] = {
        "PATH": os.environ["PATH"],
        **situation.case_environment,
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
        status = _wait(process, seconds, watch(root, Quota()))
        if status is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return _Ended(status, began, time.time() - began)


def _wait(process: subprocess.Popen[bytes], seconds: float, watched: WatchedRun) -> int | None:
    """The exit status; None: the process has not ended in time. A run that uses too much ends the namespace."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        try:
            return process.wait(min(left, _SECONDS_BETWEEN_LOOKS))
        except subprocess.TimeoutExpired:
            if excess := watched.excess():
                _end_processes()
                raise SystemExit(f"the run had {excess}, and was ended") from None
    return None


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


def _hooks_fired(
    workspace: Workspace, hooks: Mapping[str, Any], given: Mapping[str, str], began: float
) -> tuple[HookCall, ...]:
    records = []
    for path in _files_in(workspace.calls):
        if path.match("*.*.json"):
            with suppress(msgspec.DecodeError):  # not the recorder's
                records.append(msgspec.json.decode(_content(path), type=_RecordedCall))
    calls = [_hook_call(record, given, began) for record in sorted(records, key=lambda record: record.started)]
    return tuple(_with_answers(calls, hooks, _answers_of_anyhook(workspace)))


def _hook_call(record: _RecordedCall, given: Mapping[str, str], began: float) -> HookCall:
    payload = record.stdin
    added = {
        name: value
        for name, value in sorted(record.env.items())
        if given.get(name) != value and name not in _OF_SHELLS and "TOKEN" not in name
    }
    return HookCall(
        name=record.name,
        event=payload.get("hook_event_name") if isinstance(payload, dict) else None,
        payload=payload,
        cwd=record.cwd,
        environment=added,
        started=round(record.started - began, 3),
        seconds=record.seconds,
        exit_status=record.exit_status,
        stdout=record.stdout,
        stderr=record.stderr,
    )


def _answers_of_anyhook(workspace: Workspace) -> list[RecordedEvent]:
    """The journal of the anyhook that deployed entries call, in the order of its answers."""
    rows = []
    for line in _content(workspace.state / "journal" / SPOOL).splitlines():
        with suppress(ValueError, RecursionError):
            rows.append(decode_row(line, with_bodies=False))
    return rows


def _with_answers(calls: Sequence[HookCall], hooks: Mapping[str, Any], rows: list[RecordedEvent]) -> Iterator[HookCall]:
    """The calls; those of anyhook's entries with what the journal says, which has a row for each, in the same order."""
    for call in calls:
        line = _line_of(hooks.get(call.name))
        if not is_entry_text(line):
            yield call
            continue
        named = call.event or line  # a payload that does not name its event has it in the entry
        row = next((row for row in rows if row.event == named or f"--event {row.event}" in named), None)
        if row is not None:
            rows.remove(row)
        yield call if row is None else structs.replace(call, unasked=row.unasked)


def _line_of(behaviour: Any) -> str:
    """The command of a recorded hook; empty: it only records."""
    words = behaviour.get("run") if isinstance(behaviour, dict) else None
    return str(words[-1]) if words else ""


def _log(logs: Path) -> tuple[str, ...]:
    """What the client's own log says about hooks."""
    lines = (line for path in _files_in(logs) for line in _content(path).decode("utf-8", "replace").splitlines())
    return tuple(line.strip() for line in lines if "hook" in line.lower())[-_LOG_LINES:]


def _end_of(path: Path) -> str:
    return _content(path).decode("utf-8", "replace")[-_PRINTED_CHARACTERS:]


def _files_in(folder: Path) -> list[Path]:
    """The files below a folder; none if the folder has become a link."""
    return (
        []
        if folder.is_symlink()
        else sorted(Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    )


def _content(path: Path) -> bytes:
    """The content of a file; empty if a hook has put a link, a pipe or nothing in its place."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return b""


if __name__ == "__main__":
    main()
