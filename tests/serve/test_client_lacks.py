"""What the clients do when the system refuses them a process, or a write changes ``errno``."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from anyhook.daemon_socket.protocol import PREFIX, head_size
from tests.serve.daemons import Ran, Stage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has LD_PRELOAD")

Client = tuple[str, ...]
LARGE = 300_000
"""Bytes that no pipe holds, so that a process must write them."""

FAILING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int forks;

pid_t fork(void) {
    const char *failing = getenv("FAILING_FORK"); /* counted along a line of descent: 2 is the child's own */
    if (failing != NULL && ++forks == atoi(failing)) {
        errno = EAGAIN;
        return -1;
    }
    return ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
}

static int changed(int printed) {
    if (getenv("CHANGED_ERRNO") != NULL)
        errno = EIO;
    return printed;
}

int fprintf(FILE *to, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int printed = vfprintf(to, format, values);
    va_end(values);
    return changed(printed);
}

int __fprintf_chk(FILE *to, int flag, const char *format, ...) {
    va_list values;
    (void)flag;
    va_start(values, format);
    int printed = vfprintf(to, format, values);
    va_end(values);
    return changed(printed);
}
"""


@pytest.fixture(scope="module")
def failing_calls(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library that makes calls of the C library fail, for LD_PRELOAD."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = tmp_path_factory.mktemp("failing") / "failing.so"
    source = library.with_suffix(".c")
    source.write_text(FAILING)
    subprocess.run([compiler, "-shared", "-fPIC", "-U_FORTIFY_SOURCE", "-o", library, source, "-ldl"], check=True)
    return str(library)


def ask_a_daemon_that_dies(stage: Stage, client: Client, payload: bytes, **variables: str) -> Ran:
    """The daemon takes the whole event and ends without an answer, so that the client has to pass the event on."""
    stage.place.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    stage.place.socket.unlink(missing_ok=True)

    def talk() -> None:
        connection, _ = listening.accept()
        with connection:
            head = connection.recv(PREFIX.size, socket.MSG_WAITALL)
            connection.recv(head_size(head), socket.MSG_WAITALL)
            connection.sendall(b"Y")
            connection.recv(4 + len(payload), socket.MSG_WAITALL)

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(stage.place.socket))
        listening.listen()
        thread = threading.Thread(target=talk)
        thread.start()
        asked = stage.ask(client, payload, **variables)
        thread.join()
    return asked


@pytest.mark.parametrize("failing", ["1", "2"])
def test_without_a_process_that_passes_the_event_on_the_entry_fails(
    stage: Stage, client: Client, failing_calls: str, failing: str
) -> None:
    """Any status but an answer's makes the entry answer by its fail mode; an empty event would be allowed."""
    payload = stage.payload("forbidden" + "x" * LARGE)
    asked = ask_a_daemon_that_dies(stage, client, payload, LD_PRELOAD=failing_calls, FAILING_FORK=failing)
    assert not stage.fell_back()
    assert asked.status == 127
    assert b"no process is left" in asked.stderr
    assert b"Traceback" not in asked.stderr


def test_with_the_processes_it_needs_the_event_is_passed_on(stage: Stage, client: Client, failing_calls: str) -> None:
    payload = stage.payload("forbidden" + "x" * LARGE)
    asked = ask_a_daemon_that_dies(stage, client, payload, LD_PRELOAD=failing_calls)
    assert stage.fell_back()
    assert b"not that" in asked.stdout + asked.stderr


def test_the_status_for_a_missing_program_does_not_depend_on_what_printing_does(
    stage: Stage, client: Client, failing_calls: str, tmp_path: Path
) -> None:
    missing = str(tmp_path / "anyhook")
    asked = stage.run((*client, missing, *stage.words()), b"{}", LD_PRELOAD=failing_calls, CHANGED_ERRNO="1")
    assert asked.status == 127
    assert b"No such file" in asked.stderr
