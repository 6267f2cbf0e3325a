"""Daemon, Python client and C client find the same socket, and state is kept where docs/daemon.md says."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.daemon_socket.runtime_folder import RuntimeFolder, find_runtime_folder, make_private
from anyhook.model.problems import AnyhookError
from anyhook.sources.state import state_folder
from tests.checkout import SOURCE

CLIENT = SOURCE / "anyhook/serve/client"
HARNESS = """\
#define main client_main
#include "anyhook-client.c"
#undef main
int main(void) {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    return find_socket(path, sizeof path) && puts(path) >= 0 ? 0 : 1;
}
"""
PYTHON = "import sys; sys.path.insert(0, sys.argv[1]); import client; print(client.socket_path().decode())"
OWN, RUNTIME, STATE, HOME = "ANYHOOK_STATE_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"
USER_HOME = pwd.getpwuid(os.getuid()).pw_dir

PLACES: list[tuple[dict[str, str], str, str]] = [
    # variables, the folder for state, the folder for the socket
    ({HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({HOME: "/h/"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({}, f"{USER_HOME}/.local/state/anyhook", f"{USER_HOME}/.local/state/anyhook/run"),
    ({HOME: ""}, f"{USER_HOME}/.local/state/anyhook", f"{USER_HOME}/.local/state/anyhook/run"),
    ({HOME: "h"}, f"{USER_HOME}/.local/state/anyhook", f"{USER_HOME}/.local/state/anyhook/run"),
    ({STATE: "/s", HOME: "/h"}, "/s/anyhook", "/s/anyhook/run"),
    ({STATE: "/s"}, "/s/anyhook", "/s/anyhook/run"),
    ({STATE: "", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({STATE: "  ", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({STATE: "s", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({STATE: "~/s", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({RUNTIME: "/r", HOME: "/h"}, "/h/.local/state/anyhook", "/r/anyhook"),
    ({RUNTIME: "/r", STATE: "/s", HOME: "/h"}, "/s/anyhook", "/r/anyhook"),
    ({RUNTIME: "", STATE: "/s", HOME: "/h"}, "/s/anyhook", "/s/anyhook/run"),
    ({RUNTIME: "r", STATE: "/s", HOME: "/h"}, "/s/anyhook", "/s/anyhook/run"),
    ({RUNTIME: "./r", STATE: "s", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({OWN: "/o", HOME: "/h"}, "/o", "/o/run"),
    ({OWN: "/o", RUNTIME: "/r", STATE: "/s", HOME: "/h"}, "/o", "/o/run"),
    ({OWN: "/o"}, "/o", "/o/run"),
    ({OWN: "/o/", RUNTIME: "/r"}, "/o", "/o/run"),
    ({OWN: "/with space/ä"}, "/with space/ä", "/with space/ä/run"),
    ({OWN: "", RUNTIME: "/r", STATE: "/s", HOME: "/h"}, "/s/anyhook", "/r/anyhook"),
    ({OWN: "o", RUNTIME: "/r", STATE: "/s", HOME: "/h"}, "/s/anyhook", "/r/anyhook"),
    ({OWN: "../o", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
    ({OWN: "o", RUNTIME: "r", STATE: "s", HOME: "/h"}, "/h/.local/state/anyhook", "/h/.local/state/anyhook/run"),
]


@pytest.fixture(scope="session")
def c_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that prints the path that the C client would connect to."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    program = tmp_path_factory.mktemp("socket") / "find-socket"
    (program.parent / "find-socket.c").write_text(HARNESS)
    define = '-DANYHOOK_VERSION="0"'
    subprocess.run([compiler, "-std=c99", define, f"-I{CLIENT}", "-o", program, f"{program}.c"], check=True)
    return program


def shown_by(command: list[str], variables: dict[str, str]) -> str:
    ran = subprocess.run(command, env=variables, capture_output=True, check=True)
    return os.path.normpath(os.fsdecode(ran.stdout.removesuffix(b"\n")))


@pytest.mark.parametrize(("variables", "state", "socket_folder"), PLACES, ids=[str(place[0]) for place in PLACES])
def test_all_find_the_same_folders(variables: dict[str, str], state: str, socket_folder: str, c_client: Path) -> None:
    socket = f"{socket_folder}/daemon.sock"
    assert str(state_folder(variables)) == state
    assert str(find_runtime_folder(variables).socket) == socket
    utf8 = {**variables, "PYTHONUTF8": "1"}
    assert shown_by([sys.executable, "-I", "-S", "-X", "utf8", "-c", PYTHON, str(CLIENT)], utf8) == socket
    assert shown_by([str(c_client)], variables) == socket


def test_the_folder_is_closed_to_others(tmp_path: Path) -> None:
    place = RuntimeFolder(tmp_path / "a" / "run")
    make_private(place)
    make_private(place)
    assert stat.S_IMODE(place.path.stat().st_mode) == stat.S_IMODE(place.path.parent.stat().st_mode) == 0o700


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    place = RuntimeFolder(tmp_path / "run")
    place.path.mkdir()
    place.path.chmod(0o755)
    with pytest.raises(AnyhookError, match="other users can enter this folder; run chmod 700"):
        make_private(place)
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o755


def test_a_folder_that_cannot_be_private_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "run").symlink_to("elsewhere")
    with pytest.raises(AnyhookError, match="not a folder of this user"):
        make_private(RuntimeFolder(tmp_path / "run"))
    with pytest.raises(AnyhookError, match="too long for a socket"):
        make_private(RuntimeFolder(tmp_path / ("x" * 120)))
