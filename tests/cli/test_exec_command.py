"""``anyhook exec`` without a daemon: functions run in its own process, and nothing of that disturbs the answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.approving import approve
from tests.bridge.bridging import make_package, run_trusted, shell_call
from tests.checkout import SOURCE
from tests.warm.commands import COLD

ASK = ("exec", "--client", "codex", "--event", "PreToolUse")
HEAD = "import os, subprocess, sys, threading, time\nfrom anyhook import deny, hook\n\n"


def package_with(folder: Path, *functions: str) -> Path:
    """A package whose hooks are functions, given from their ``def`` on; all are for shell calls."""
    package = make_package(folder / "project", {})
    seconds = [1 if "def hangs" in function else 120 for function in functions]
    heads = [f'@hook("PreToolUse", matcher="Bash", timeout={limit})' for limit in seconds]
    hooks = "\n\n".join(f"{head}\n{function}" for head, function in zip(heads, functions, strict=True))
    (package / "hooks" / "functions.py").write_text(HEAD + hooks + "\n")
    return package


def ask(package: Path) -> subprocess.CompletedProcess[str]:
    return run_trusted(package, *ASK, stdin=shell_call("ls"))


@pytest.mark.parametrize(
    "noise",
    [
        "print('noise')",
        "sys.stdout.write('noise')",
        "sys.stderr.write('noise')",
        "os.write(1, b'noise')",
        "os.write(2, b'noise')",
        "subprocess.run([sys.executable, '-c', 'print(1)'])",
        "threading.Thread(target=sys.stdout.write, args=('noise',)).start()",
        "sys.stdout.close(); sys.stderr.close()",
        "os.close(1); os.close(2)",
    ],
)
def test_what_a_function_writes_is_no_part_of_the_answer(noise: str, tmp_path: Path) -> None:
    done = ask(package_with(tmp_path, f"def guard(event):\n    {noise}\n    return deny('not here')"))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "not here")


def test_a_function_runs_in_the_process_of_exec(tmp_path: Path) -> None:
    package = package_with(tmp_path, "def guard(event):\n    return deny(str(os.getpid()))")
    approve(package, state=tmp_path / "state")
    approve(package, state=tmp_path / "state")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    environment |= {"ANYHOOK_STATE_DIR": str(tmp_path / "state"), "ANYHOOK_DAEMON": "0"}
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "anyhook", *ASK],
        cwd=package,
        env=environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        _, said = process.communicate(json.dumps(shell_call("ls")).encode())
    assert (process.returncode, said.decode()) == (2, str(process.pid))


@pytest.mark.parametrize(
    "endless",
    [
        "def hangs(event):\n    while True: pass",
        "def hangs(event):\n    time.sleep(1000)",
        "async def hangs(event):\n    time.sleep(1000)",
    ],
)
def test_a_function_that_never_ends_keeps_exec_no_longer_than_its_time(endless: str, tmp_path: Path) -> None:
    """Without an end of its own the test would never end, either."""
    done = ask(package_with(tmp_path, endless, "def guard(event):\n    return deny('not here')"))
    assert (done.returncode, done.stderr) == (2, "not here")


def test_a_thread_that_a_function_leaves_behind_is_not_waited_for(tmp_path: Path) -> None:
    leaves = "def guard(event):\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n    return deny('no')"
    assert ask(package_with(tmp_path, leaves)).returncode == 2


def test_a_function_that_ends_the_process_leaves_the_answer_to_the_entry(tmp_path: Path) -> None:
    """The same happens to the daemon; an entry takes only a status of 90 and more for an answer."""
    package = package_with(tmp_path, "def guard(event):\n    os._exit(0)")
    done = run_trusted(package, *ASK, "--answered", "90", stdin=shell_call("ls"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(os.name != "posix", reason="the numbers of pipes differ")
@pytest.mark.parametrize("then", ["pass", "[os.open(os.devnull, os.O_WRONLY) for _ in range(40)]"])
def test_a_function_that_takes_the_output_away_leaves_the_answer_to_the_entry(then: str, tmp_path: Path) -> None:
    """It replaces every descriptor that is not the event loop's: the answer would go to another file, unseen."""
    code = (
        "def guard(event):\n"
        "    for number in range(3, 40):\n"
        "        try:\n"
        "            link = os.readlink(f'/dev/fd/{number}')\n"
        "            if link.startswith('pipe:'): os.close(number)\n"
        "        except OSError: pass\n"
        f"    {then}\n"
        "    return deny('no')"
    )
    package = package_with(tmp_path, code)
    done = run_trusted(package, *ASK, "--answered", "90", stdin=shell_call("ls"), run=COLD)
    assert done.stdout == ""
    assert not 90 <= done.returncode < 100


@pytest.mark.long
def test_a_function_that_stops_all_threads_leaves_the_answer_to_the_entry(tmp_path: Path) -> None:
    endless = "def guard(event):\n    import re\n    re.match('(a+)+$', 'a' * 100 + 'b')"
    package = package_with(tmp_path, endless)
    done = run_trusted(package, *ASK, "--answered", "90", stdin=shell_call("ls"))
    how = (
        -signal.SIGPROF if os.name == "posix" else 1
    )  # the watchdog's; a shell makes 155 of it, and no answer's status
    assert (done.returncode, done.stdout, done.stderr) == (how, "", "")


def test_a_function_that_exits_has_failed_and_the_others_count(tmp_path: Path) -> None:
    package = package_with(tmp_path, "def exits(event):\n    sys.exit(0)", "def guard(event):\n    return deny('no')")
    assert ask(package).returncode == 2


def test_a_function_sees_the_variables_of_exec_and_those_of_its_hook(tmp_path: Path) -> None:
    package = package_with(
        tmp_path,
        "def guard(event):\n"
        "    from anyhook import environment\n"
        "    return deny(os.environ['SET_BY_CLIENT'] + ' ' + environment()['PACKAGE_ROOT'])",
    )
    done = run_trusted(package, *ASK, stdin=shell_call("ls"), SET_BY_CLIENT="yes")
    assert done.stderr == f"yes {package}"


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(closed: str, tmp_path: Path) -> None:
    package = package_with(tmp_path, "def guard(event):\n    return None")
    line = f'"$@" {closed}; echo $?'
    words = ("-c", line, "sh", sys.executable, "-P", "-m", "anyhook", *ASK, "--answered", "90")
    approve(package, state=tmp_path / "state")
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        ("sh", *words), cwd=package, env=environment, input=json.dumps(shell_call("ls")), capture_output=True, text=True
    )
    assert done.stdout.endswith("90\n")
    assert "Traceback" not in done.stderr
