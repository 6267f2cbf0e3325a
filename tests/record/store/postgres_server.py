"""A real PostgreSQL server in a temporary folder, reached by a socket in it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The folder with PostgreSQL's programs; Debian does not put them on the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def why_not() -> str:
    """Why no server can be started here; empty: it can."""
    if programs() is None:
        return "PostgreSQL is not installed"
    if os.geteuid() == 0 and _account() is None:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def _account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


class Server:
    """A server that can be stopped and started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"postgresql://postgres@/postgres?host={folder}"
        self._run("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8")
        self.start()

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-o", options, "-l", f"{self.folder}/log", "-w", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *words: str) -> None:
        found = programs()
        assert found is not None
        account = _account() if os.geteuid() == 0 else None
        subprocess.run(
            [str(found / program), *words],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            user=None if account is None else account.pw_uid,
            group=None if account is None else account.pw_gid,
            extra_groups=None if account is None else [],
        )


@contextmanager
def postgres() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a socket's name must be short
    if os.geteuid() == 0:
        account = _account()
        assert account is not None
        os.chown(folder, account.pw_uid, account.pw_gid)
    server = Server(folder)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
