"""Kills ``anyhook deploy`` and ``undeploy`` before every single change of a file: ``killing.py FOLDER WAY``.

Started as a process of its own, because it forks. Every attempt runs the real command in a child that kills itself
before its n-th change (Python's audit events tell them), then runs the next command and looks at what is left.
Prints a JSON list: for every attempt what was killed, before what, and what is wrong after the next command.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.chown", "os.truncate", "os.link"}
TO = ("--client", "claude-code,codex")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def start_project(folder: Path) -> None:
    """A package with one guard, beside a hook file of the user's own."""
    hook = {"type": "command", "command": "./guard.sh"}
    files = {
        "hooks/hooks.json": {"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]}},
        ".codex/hooks.json": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./mine.sh"}]}]}},
    }
    for name, content in files.items():
        path = folder / "project" / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))
    (folder / "home").mkdir()


def run(folder: Path, words: tuple[str, ...], kill_at: int = 0) -> str:
    """Run a command in a child; what it was killed before, or "" if it came to its end."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _be_anyhook(folder, words, kill_at, writer)
    os.close(writer)
    told = b"".join(iter(lambda: os.read(reader, 4096), b"")).decode()
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, 1, -signal.SIGKILL):
        raise SystemExit(f"{words} ended with {status}: {told}")
    return told if status < 0 else ""


def _be_anyhook(folder: Path, words: tuple[str, ...], kill_at: int, told: int) -> None:
    os.environ |= {"HOME": str(folder / "home"), "ANYHOOK_STATE_DIR": str(folder / "state")}
    os.chdir(folder / "project")
    os.fsync = lambda fd: None  # a killed process loses nothing that it has written; only a power failure does
    said = sys.stdout = sys.stderr = io.StringIO()
    left = kill_at

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in CHANGES or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES):
            left -= 1
            if not left:
                os.write(told, f"{event} {arguments[0]}".encode())
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)
    from anyhook.cli.main import main

    status = main(words)
    if status not in (0, 1):  # 1: a guard is lost in some client
        os.write(told, said.getvalue().encode())
    os._exit(status)


def tree(folder: Path) -> dict[str, str]:
    """Every file with its content, and every folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found[name] = path.read_text() if path.is_file() else "a folder"
    return found


def left_in_state(folder: Path) -> list[str]:
    """What is kept besides locks, which stay, and the folders for the rest."""
    empty = {"files", "locks"}
    return [name for name in tree(folder / "state") if name not in empty and not name.startswith("locks/")]


def _warm_up(folder: Path, way: str) -> None:
    """Import everything in this process, so that the children need not."""
    from anyhook.cli.main import main

    start_project(folder)
    before = dict(os.environ), Path.cwd(), sys.stdout
    os.environ |= {"HOME": str(folder / "home"), "ANYHOOK_STATE_DIR": str(folder / "state")}
    os.chdir(folder / "project")
    sys.stdout = io.StringIO()
    for words in (("deploy", *TO, f"--{way}"), ("undeploy",)):
        main(words)
    os.chdir(before[1])
    os.environ.clear()
    os.environ |= before[0]
    sys.stdout = before[2]


def attempts(base: Path, way: str, step: int) -> list[list[str]]:
    """Kill at every so-many-th point; after the odd ones ``deploy`` follows, after the even ones ``undeploy``."""
    _warm_up(base / "warm", way)
    commands = {"deploy": ("deploy", *TO, f"--{way}"), "undeploy": ("undeploy",)}
    place, fresh, deployed = base / "place", base / "fresh", base / "deployed"
    start_project(place)  # always here, because records have whole paths
    shutil.copytree(place, fresh)
    run(place, commands["deploy"])
    shutil.copytree(place, deployed)
    results = []
    for name, before in (("deploy", fresh), ("undeploy", deployed)):
        for number in range(1, 1000, step):
            shutil.rmtree(place)
            shutil.copytree(before, place)
            killed = run(place, commands[name], number)
            if not killed:
                break
            following = "deploy" if number % 2 else "undeploy"
            run(place, commands[following])
            wrong = _differences(place, following, deployed if following == "deploy" else fresh)
            if following == "deploy":
                run(place, commands["undeploy"])
                wrong += _differences(place, "undeploy", fresh)
            results.append([name, f"{number} {killed}", following, "; ".join(dict.fromkeys(wrong))])
    return results


def _differences(place: Path, following: str, reference: Path) -> list[str]:
    found, wanted = tree(place / "project"), tree(reference / "project")
    differing = [name for name in sorted(found.keys() | wanted) if found.get(name) != wanted.get(name)]
    wrong = [f"{name} differs after {following}" for name in differing]
    state = left_in_state(place)
    if following == "undeploy":
        return wrong + [f"{name} is left in the state after undeploy" for name in state]
    return wrong + [f"{name} is unfinished" for name in state if ".anyhook-" in name]


if __name__ == "__main__":
    print(json.dumps(attempts(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
