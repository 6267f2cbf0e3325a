"""Attacks by what a process inherits: ignored signals, few descriptors. A guard that cannot run does not allow."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.daemons import PYTHON_CLIENT, SOON, Stage, make_stage, wait_until
from tests.warm.commands import COLD

pytestmark = pytest.mark.long

if os.name != "posix":
    pytest.skip("the attacks use signals and limits of a POSIX system", allow_module_level=True)

DEAF = """\
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Starts a program that ignores SIGCHLD, as a parent that does not care for its children leaves it."""


def deaf(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-c", DEAF, *words)


JSON_GUARD = """\
#!/bin/sh
case "$(cat)" in
*forbidden*) echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}' ;;
esac
"""


@pytest.fixture(params=["exit 2", "JSON"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    with make_stage() as made:
        if request.param == "JSON":
            made.write("guard.sh", JSON_GUARD)
        made.trust()
        yield made


def is_refused(stdout: bytes) -> bool:
    return b'"deny"' in stdout


@pytest.mark.parametrize("fail", ["guard", "closed"])
def test_exec_that_inherits_an_ignored_sigchld_refuses(stage: Stage, fail: str) -> None:
    more = ("--event", "PreToolUse", "--fail", fail)
    asked = stage.run(deaf(*COLD, *stage.words(*more)), stage.payload("forbidden"))
    assert (asked.status, is_refused(asked.stdout)) == (90, True), asked
    asked = stage.run(deaf(*COLD, *stage.words(*more)), stage.payload("ls"))
    assert (asked.status, is_refused(asked.stdout)) == (90, False), asked


@pytest.mark.parametrize("fail", ["guard", "closed"])
@pytest.mark.parametrize("files", range(5, 12))
def test_exec_that_may_open_hardly_any_file_refuses_in_plain_words(stage: Stage, files: int, fail: str) -> None:
    limited = ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *COLD)
    asked = stage.run((*limited, *stage.words("--event", "PreToolUse", "--fail", fail)), stage.payload("forbidden"))
    assert (asked.status, is_refused(asked.stdout)) == (90, True), asked  # not left to the entry, which may allow
    assert b"Traceback" not in asked.stderr


def test_a_daemon_that_inherits_an_ignored_sigchld_refuses(stage: Stage) -> None:
    with stage.daemon(run=deaf(*COLD)):
        for command in ("forbidden", "ls"):
            asked = stage.ask(PYTHON_CLIENT, stage.payload(command), "--event", "PreToolUse")
            assert (asked.status, is_refused(asked.stdout)) == (90, command == "forbidden"), asked
        assert not stage.fell_back()


def test_a_client_that_inherits_an_ignored_sigchld_hands_on_all_of_stdin(stage: Stage) -> None:
    """Without a daemon; a payload this large is handed on by a child that the client waits for."""
    asked = stage.ask(deaf(*PYTHON_CLIENT), stage.payload("forbidden", more="x" * 200_000), "--event", "PreToolUse")
    assert (asked.status, is_refused(asked.stdout)) == (90, True), asked


HOST = """\
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if sys.argv[1] == "thread":
    del os.pidfd_open
from anyhook import Engine, HookSet, PreToolUse
from anyhook.model.hooks import Command, Rule
rule = Rule(event="PreToolUse", native_event="PreToolUse", actions=(Command(command=sys.argv[2]),))
outcome = Engine(HookSet(dialect="claude-code", rules=(rule,))).fire_sync(PreToolUse(tool_name="Bash", tool_input={}))
print(outcome.effect, outcome.runs[0].status, outcome.runs[0].cause.kind)
"""


@pytest.mark.parametrize("command", ["exit 0", "exit 2", "kill -9 $$"])
@pytest.mark.parametrize("way", ["pidfd", "thread"])
def test_a_host_that_ignores_sigchld_does_not_learn_the_status_and_blocks(way: str, command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", HOST, way, command], env=environment, capture_output=True, text=True)
    assert done.stdout == "block failed-so-blocked unable\n", done.stderr


FEW = """\
import os, resource, sys
limit, kind = int(sys.argv[1]), sys.argv[2]
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit if kind == "hard" else hard))
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Starts a program that may open only so many files."""
LIMIT_GUARD = """\
#!/bin/sh
echo "{\\"systemMessage\\": \\"limit $(ulimit -S -n)\\"}"
"""


def few(limit: int, kind: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, "-c", FEW, str(limit), kind, *words)


@pytest.fixture
def project() -> Iterator[Stage]:
    with make_stage() as made:
        yield made


def test_a_daemon_out_of_descriptors_allows_nothing_that_a_guard_refuses(project: Stage) -> None:
    """Each waiting guard takes about six; those that the daemon cannot start are asked by exec."""
    project.write("guard.sh", '#!/bin/sh\nuntil [ -e "$GATE" ]; do sleep 0.05; done\necho no >&2\nexit 2\n')
    project.trust()
    with project.daemon(run=few(64, "hard", *COLD)):
        words = (*PYTHON_CLIENT, str(project.top / "anyhook"), *project.words("--event", "PreToolUse"))
        asking = [
            subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=project.project,
                env=project.environment,
            )
            for _ in range(16)
        ]
        for one in asking:
            assert one.stdin is not None
            one.stdin.write(project.payload("forbidden"))
            one.stdin.close()
            one.stdin = None
        wait_until(lambda: (project.top / "fell-back").exists())
        project.gate.touch()
        answers = [one.communicate(timeout=SOON) for one in asking]
        assert [answer for answer in answers if not is_refused(answer[0])] == []
        assert {one.returncode for one in asking} == {90}


@pytest.mark.parametrize("limit", [5, 6, 7, 8, 9, 10, 12])
def test_exec_out_of_descriptors_does_not_allow(project: Stage, limit: int) -> None:
    project.trust()
    words = few(limit, "hard", *COLD, *project.words("--event", "PreToolUse"))
    asked = project.run(words, project.payload("forbidden"))
    assert (asked.status, is_refused(asked.stdout)) == (90, True), asked


@pytest.mark.skipif(sys.platform != "linux", reason="only there a limit can be given to a process that runs")
def test_hooks_of_the_daemon_have_the_limit_with_which_it_was_started(project: Stage) -> None:
    project.write("guard.sh", LIMIT_GUARD)
    project.trust()
    with project.daemon(run=few(200, "soft", *COLD)) as daemon:
        limits = Path(f"/proc/{daemon.pid}/limits").read_text()
        soft, hard = next(line.split()[3:5] for line in limits.splitlines() if line.startswith("Max open files"))
        asked = project.ask(PYTHON_CLIENT, project.payload("ls"), "--event", "PreToolUse")
    assert soft == hard != "200"
    assert b"limit 200" in asked.stdout, asked
    assert not project.fell_back()
