"""The guard ``tests``: runs the project's checks when the agent wants to end, and gives it the failures."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from anyhook.guards.call import GuardCall, is_excepted
from anyhook.guards.repository import ask_git, uncommitted
from anyhook.guards.session.memory import LostMemoryError
from anyhook.model.functions import deny
from anyhook.model.output import Reply

ROUNDS, SECONDS, MAX_SECONDS = 3, 240, 280
_MAX_CHARACTERS = 4000
"""Of the output, from its end: there the failures are summed up."""
_GIT_SECONDS = 10
_PASSED = "tests passed"
_NOT_STARTED = {126: "it may not be run", 127: "it was not found"}
"""Exit statuses of a shell."""


def judge(call: GuardCall) -> Reply | None:
    if is_excepted(call):
        return None
    command = call.settings.get("command", "")
    if not command:
        where = "write command = ... into [guards.tests] of anyhook.toml; anyhook add tests --show lists what there is"
        return Reply(message=f"The tests guard has no command: {where}.")
    tree = _tree(call, command)
    if tree and call.memory.recall(_PASSED) == tree:
        return None
    failure = _run(call, command)
    if failure:
        return _tell(call, f"{command}: {failure}")
    _forget(call)
    if tree:
        call.memory.keep(_PASSED, tree)
    return None


def _tell(call: GuardCall, failure: str) -> Reply:
    """Keep the agent going with the failure, until it has had its rounds."""
    limit = call.settings.get("rounds", ROUNDS)
    if call.event.get("stop_hook_active") is False:  # a new turn; not every client says so
        _forget(call)
    try:
        round_now = len(call.memory.add(_log(call), "round"))
    except LostMemoryError:  # the cap on continuations still counts
        round_now = 1
    if round_now > limit:
        _forget(call)
        return Reply(message=f"The checks of this project still fail after {limit} rounds. {failure}")
    more = call.settings.get("message", "")
    what = "The checks of this project fail: correct the cause, not the check."
    told = " ".join(part for part in (what, more, f"(round {round_now} of {limit})") if part)
    return deny(f"{told}\n{failure}")


def _log(call: GuardCall) -> str:
    return f"tests\0{call.event.session_id}"


def _forget(call: GuardCall) -> None:
    call.memory.forget(_log(call))


def _run(call: GuardCall, command: str) -> str:
    """Why the checks do not pass, with the end of what they print; empty: they do."""
    seconds = min(call.settings.get("seconds", SECONDS), MAX_SECONDS)
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command,
                shell=True,  # as a command hook; the command is a setting, which is trusted
                cwd=call.project,
                env=dict(call.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return f"it could not be started: {error.strerror or error}"
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            return f"it took longer than {seconds} s\n{_end_of(output.fileno())}".strip()
        if status == 0:
            return ""
        why = f"it could not be started: {_NOT_STARTED[status]}" if status in _NOT_STARTED else f"exit status {status}"
        return f"{why}\n{_end_of(output.fileno())}".strip()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and what it has started."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _end_of(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    os.lseek(descriptor, max(0, size - 4 * _MAX_CHARACTERS), os.SEEK_SET)
    text = os.read(descriptor, 4 * _MAX_CHARACTERS).decode("utf-8", "replace").strip()
    return text if len(text) <= _MAX_CHARACTERS else f"… {text[-_MAX_CHARACTERS:]}"


def _tree(call: GuardCall, command: str) -> str:
    """A digest of everything that git knows of the working tree, and of the command; empty: there is no git."""
    where = (call.project, call.environment, _GIT_SECONDS)
    head, top = ask_git(*where, "rev-parse", "HEAD"), ask_git(*where, "rev-parse", "--show-toplevel")
    status = uncommitted(*where, "-z", "--untracked-files=all")
    if status is None or top is None:
        return ""
    digest = sha256(b"\0".join((command.encode(errors="replace"), head or b"", status)))
    for entry in status.split(b"\0"):
        with suppress(OSError, ValueError):
            facts = (Path(os.fsdecode(top.strip())) / os.fsdecode(entry[3:])).lstat()
            digest.update(f"{facts.st_size} {facts.st_mtime_ns} {facts.st_mode}\0".encode())
    return digest.hexdigest()


# ------------------------------------------------------------------------------------------------------ what there is


class Detected(Struct, frozen=True):
    """Checks that a project seems to have. They are shown and not run: its files are not what the user has trusted."""

    command: str
    file: str


_LOCK_FILES = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun run"}


def detect(project: Path) -> Iterator[Detected]:
    if re.search(r"^test[ \t]*:(?!=)", _read(project / "Makefile"), re.MULTILINE):
        yield Detected("make test", "Makefile")
    if _has_script(_read(project / "package.json")):
        runner = next((name for file, name in _LOCK_FILES.items() if (project / file).exists()), "npm")
        yield Detected(f"{runner} test", "package.json")
    if "pytest" in _read(project / "pyproject.toml"):
        yield Detected("python -m pytest -q", "pyproject.toml")
    for file, command in (("Cargo.toml", "cargo test"), ("go.mod", "go test ./...")):
        if (project / file).is_file():
            yield Detected(command, file)


def _has_script(text: str) -> bool:
    """Whether ``scripts.test`` is more than what npm init writes."""
    try:
        script = json.loads(text)["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(script, str) and "no test specified" not in script


def _read(path: Path) -> str:
    try:  # a pipe of that name would have to be waited for
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""
