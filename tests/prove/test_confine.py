"""What a hostile hook can do in a confined run: nothing outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec import structs

from anyhook.prove.installation import Installed
from anyhook.prove.namespace import NamespaceUnavailableError, namespace_command
from anyhook.prove.quota import Quota, watch
from anyhook.prove.report import RunReport
from anyhook.prove.run import ClientRunner, RunError
from anyhook.prove.situation import Situation, read_situation
from anyhook.prove.workspace import Workspace, lay_out
from tests.checkout import SOURCE

Found = TypeVar("Found")
CLIENT = """#!{python}
import subprocess, sys
done = subprocess.run(["sh", "-c", sys.argv[2]], capture_output=True, text=True)
print(done.stdout + done.stderr)
"""
"""It runs its prompt as a command."""

TRIES = """
import os, socket, sys
def attempt(name, act):
    try:
        print(name + ":", act())
    except BaseException as error:
        print(name + ":", type(error).__name__)
home, outside = sys.argv[1], sys.argv[2]
attempt("secret", lambda: open(home + "/.ssh/id").read())
attempt("dot folder on PATH", lambda: open(home + "/.tools/bin/tool").read())
attempt("remount", lambda: os.system("mount -o remount,rw,bind / 2>/dev/null; mount -o remount,bind,rw / 2>/dev/null"))
attempt("write", lambda: open(outside + "/made", "w"))
attempt("path socket", lambda: socket.socket(socket.AF_UNIX).connect(outside + "/socket"))
attempt("pair", lambda: socket.socketpair()[0].fileno() > 0)
attempt("loopback", lambda: socket.create_server(("127.0.0.1", 0)).fileno() > 0)
attempt("first process", lambda: open("/proc/1/environ", "rb").read())
attempt("capabilities", lambda: [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")])
attempt("terminals", lambda: [name for name in os.listdir("/dev/pts") if name != "ptmx"])
attempt("variable", lambda: os.environ.get("A_TOKEN"))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    program = tmp_path / "client"
    program.write_text(CLIENT.format(python=sys.executable))
    program.chmod(0o755)
    return Installed("claude-code", "0.0.1", program)


def play(installed: Installed, played: Situation, *shown: Path) -> RunReport:
    try:
        with ClientRunner(protect=True, shown=shown) as runner:
            return runner.play(installed, played)
    except NamespaceUnavailableError as error:
        pytest.skip(str(error))


def situation(command: str, **more: object) -> Situation:
    return structs.replace(read_situation({"prompt": command, "script": [{"text": "x"}]}), **more)


def test_what_a_hook_can_reach(installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, outside, project = tmp_path / "home", tmp_path / "outside", tmp_path / "home/.dots/project"
    for path in (home / ".ssh/id", home / ".tools/bin/tool", outside / "file", project / "file"):
        path.parent.mkdir(parents=True)
        path.write_text("here")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("A_TOKEN", "secret")
    monkeypatch.setenv("PATH", f"{home / '.tools/bin'}{os.pathsep}{os.environ['PATH']}")
    (tmp_path / "tries.py").write_text(TRIES)
    command = f"{sys.executable} {tmp_path / 'tries.py'} {home} {outside}; cat file"
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(outside)
        server.bind("socket")  # a relative name: the whole one may be too long
        server.listen()
        report = play(installed, situation(command, project=project, keeps_path=True), project)
    seen = dict(line.split(": ", 1) for line in report.stdout.strip().splitlines() if ": " in line)
    assert report.stdout.strip().endswith("here"), report.stderr  # the project itself is shown
    assert seen.pop("capabilities") == "['0000000000000000']"
    assert seen.pop("remount") != "0"
    assert seen == {
        "secret": "FileNotFoundError",
        "dot folder on PATH": "here",
        "write": "OSError",
        "path socket": "PermissionError",
        "pair": "True",
        "loopback": "True",
        "first process": "PermissionError",
        "terminals": "[]",
        "variable": "None",
    }
    assert not (outside / "made").exists()


@pytest.mark.long
def test_files_of_a_case_stay_in_the_project(tmp_path: Path) -> None:
    """Links of a project and names with dots lead elsewhere: nothing there is written or deleted."""
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    project.mkdir()
    (outside / "settings.json").write_text("mine")
    (outside / "script.sh").write_text("script")
    (project / "linked").symlink_to(outside)
    (project / "file").symlink_to(outside / "settings.json")
    os.mkfifo(project / "pipe")
    given = read_situation({"files": {"linked/settings.json": "new", "file": "new"}, "script": []})
    workspace = Workspace(tmp_path / "run")
    workspace.root.mkdir()
    lay_out(workspace, structs.replace(given, project=project, without=("linked/script.sh",)))
    assert (outside / "settings.json").read_text() == "mine"
    assert (workspace.project / "linked/settings.json").read_text() == "new"
    assert (workspace.project / "file").read_text() == "new"
    assert sorted(path.name for path in outside.iterdir()) == ["script.sh", "settings.json"]
    for name in ("../x", "a/../../x", "/x", "."):
        for more in ({"files": read_situation({"files": {name: "x"}}).files}, {"without": (name,)}):
            with pytest.raises(ValueError, match="not in the project"):
                lay_out(Workspace(tmp_path / "run"), structs.replace(read_situation([]), **more))


@pytest.mark.long
def test_what_a_project_installed_is_there(installed: Installed, tmp_path: Path) -> None:
    """The copy of the project is at its own path, and hides what it links to."""
    project = tmp_path / "project"
    (project / "node_modules").mkdir(parents=True)
    (project / "node_modules/tool").write_text("installed")
    command = "cat node_modules/tool; touch node_modules/new && echo changed"
    report = play(installed, situation(command, project=project, keeps_path=True), project)
    assert "installed" in report.stdout
    assert "changed" not in report.stdout
    assert [path.name for path in (project / "node_modules").iterdir()] == ["tool"]


@pytest.mark.long
def test_variables_of_a_case_replace_none_of_the_run(installed: Installed, tmp_path: Path) -> None:
    given = {"HOME": "/home/me", "ANTHROPIC_BASE_URL": "http://elsewhere", "ANTHROPIC_API_KEY": "x", "OWN": "own"}
    report = play(installed, situation("echo $HOME $ANTHROPIC_BASE_URL $OWN", case_environment=given))
    home, url, own = report.stdout.split()
    assert (home.endswith("/home"), url.startswith("http://127.0.0.1"), own) == (True, True, "own")
    assert home != "/home/me"


@pytest.mark.long
def test_traps_in_place_of_records(installed: Installed, tmp_path: Path) -> None:
    """A hook may put a pipe or a link where the report is read from: the run ends, and no other file is read."""
    (tmp_path / "secret").write_text("a hook secret")
    places = ("rm -r logs stderr", f"ln -s {tmp_path} logs", f"ln -s {tmp_path}/secret stderr")
    records = ("mkfifo calls/a.0.json", "echo {} > calls/b.0.json")
    traps = " && ".join((*places, *records))
    report = play(installed, situation(f'cd "$(dirname "$HOME")" && {traps} && echo set'))
    assert report.stdout.strip() == "set"
    assert (report.exit_status, report.hooks_fired, report.log, report.stderr) == (0, (), (), "")


BOMB = "import os\nwhile True:\n    os.fork() or os.execlp('sleep', 'sleep', '600')"


@pytest.mark.long
def test_a_run_that_starts_processes_without_end(installed: Installed) -> None:
    with pytest.raises(RunError, match="the run had more than 1,000 processes, and was ended"):
        play(installed, situation(f'{sys.executable} -c "{BOMB}"'))


@pytest.mark.long
def test_a_run_that_fills_the_disk(tmp_path: Path) -> None:
    """Also with many small files, whatever others write on the same disk."""
    (tmp_path / "before").write_bytes(bytes(1 << 20))
    watched = structs.replace(watch(tmp_path, Quota(bytes_on_disk=1 << 20)), free=1 << 62)
    (tmp_path / "folder").mkdir()
    for number in range(8):
        (tmp_path / f"folder/{number}").write_bytes(b"x" * (1 << 17))
    assert watched.excess() == ""
    (tmp_path / "folder/more").write_bytes(b"x" * (1 << 17))
    assert watched.excess() == "more than 0.000977 GB on disk"
    assert structs.replace(watched, free=0).excess() == ""


PROVE = """
import sys
from pathlib import Path
from anyhook.prove.installation import Installed
from anyhook.prove.report import RunReport
from anyhook.prove.run import ClientRunner
from anyhook.prove.situation import read_situation
with ClientRunner(protect=True) as runner:
    command = "echo started > " + sys.argv[2] + "; exec sleep 600"
    runner.play(Installed("claude-code", "1", Path(sys.argv[1])), read_situation({"prompt": command}))
"""


@pytest.mark.long
def test_nothing_outlives_a_run_that_is_killed(installed: Installed, tmp_path: Path) -> None:
    try:
        namespace_command()
    except NamespaceUnavailableError as error:
        pytest.skip(str(error))
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-c", PROVE, str(installed.program), "$HOME/started"]
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL)
    try:
        first = wait_for(lambda: list(tmp_path.glob("anyhook-prove-*/run-*/home/started")))[0]
        process.kill()
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: not first.exists())
    wait_for(lambda: not running_below(tmp_path))


def wait_for(condition: Callable[[], Found]) -> Found:
    while not (found := condition()):
        threading.Event().wait(0.05)
    return found


def running_below(folder: Path) -> list[str]:
    """The processes that were started with a path below a folder."""
    found = []
    for status in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={folder}".encode() in status.read_bytes():
                found.append(status.parent.name)
        except OSError:
            continue
    return found
