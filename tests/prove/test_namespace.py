"""Namespaces: only loopback, only its own processes, no file outside can be changed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.prove.namespace import NamespaceUnavailableError, namespace_command
from tests.checkout import SOURCE

INSIDE = """
import json, os, socket, sys
from pathlib import Path
from anyhook.prove.confine import Confinement, confine
from anyhook.prove.namespace import bring_up_loopback, mount_over, unmount
own, outside = Path(sys.argv[1]), Path(sys.argv[2])
bring_up_loopback()
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
seen = {"pid": os.getpid(), "interfaces": [name for _, name in socket.if_nameindex()]}
confine(Confinement(writable=own))
(own / "written").write_text("yes")
changes = {"file": lambda: (outside / "file").write_text("changed"), "new": lambda: (outside / "new").touch()}
for name, change in changes.items():
    try:
        change()
    except OSError as error:
        seen[name] = error.strerror
(own / "copy").mkdir()
(own / "copy/from-copy").write_text("yes")
seen["mounted"] = mount_over(own / "copy", outside)
seen["at its place"] = os.listdir(outside)
(outside / "made").touch()
unmount(outside)
seen["afterwards"] = os.listdir(outside)
seen["devices"] = sorted(os.listdir("/dev"))
open("/dev/null", "w").write("x")
print(json.dumps(seen))
"""


def command() -> tuple[str, ...]:
    try:
        return namespace_command()
    except NamespaceUnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has namespaces")
def test_what_is_inside(tmp_path: Path) -> None:
    own, outside = tmp_path / "own", tmp_path / "outside"
    own.mkdir()
    outside.mkdir()
    (outside / "file").write_text("as it was")
    done = subprocess.run(
        [*command(), sys.executable, "-c", INSIDE, str(own), str(outside)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "NamespaceUnavailableError" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert (seen["pid"], seen["interfaces"]) == (1, ["lo"])
    assert (seen["file"], seen["new"]) == ("Read-only file system",) * 2
    assert (seen["mounted"], seen["at its place"], seen["afterwards"]) == (True, ["from-copy"], ["file"])
    assert not [name for name in seen["devices"] if name.startswith(("sd", "vd", "nvme", "mem", "loop"))]
    assert (outside / "file").read_text() == "as it was"
    assert sorted(path.name for path in (own / "copy").iterdir()) == ["from-copy", "made"]
    assert (own / "written").exists()


@pytest.mark.skipif(sys.platform == "linux", reason="elsewhere than on Linux")
def test_other_systems_are_told() -> None:
    with pytest.raises(NamespaceUnavailableError, match="Linux only"):
        namespace_command()
