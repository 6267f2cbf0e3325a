"""Attacks on the running parts: odd payloads and surroundings, hooks of other projects, other processes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from anyhook.bridge.exec_options import exit_status, read_options
from anyhook.bridge.prepare_event import answer_without_hooks, prepare
from anyhook.bridge.read_call import Caller
from anyhook.bridge.stored_state import StoredCount
from anyhook.daemon_socket.ask import ask_daemon
from anyhook.dialects.profile import Matching, MatchMode
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine import index, match
from anyhook.engine.match import compile_matcher
from anyhook.model.events import Subject
from anyhook.model.hooks import Rule
from anyhook.serve.log import Log, read_log
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.serve.daemons import PYTHON_CLIENT, SOON, Stage, make_stage, wait_until
from tests.warm.commands import COLD

if os.name != "posix":
    pytest.skip("the attacks use processes of a POSIX system", allow_module_level=True)

CLOSED = ("--event", "PreToolUse", "--fail", "closed")


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        made.trust()
        yield made


def is_refused(stdout: bytes) -> bool:
    return b'"deny"' in stdout


def test_a_deleted_working_folder_does_not_silence_the_guard(stage: Stage) -> None:
    gone = stage.top / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD" && exec "$@"'
    words = ("sh", "-c", line, "sh", *COLD, *stage.words(*CLOSED))
    ran = subprocess.run(
        words, cwd=gone, env=stage.environment, input=stage.payload("forbidden"), capture_output=True, timeout=60
    )
    assert (ran.returncode, is_refused(ran.stdout)) == (90, True)


ODD = {
    "nested arrays": "[" * 1_000 + "1" + "]" * 1_000,
    "nested objects": '{"a":' * 1_000 + "1" + "}" * 1_000,
    "nested beyond any stack": "[" * 200_000 + "]" * 200_000,
    "an integer of 5,000 digits": "9" * 5_000,
    "a negative one": "-" + "9" * 5_000,
    "a number beyond all": "1e99999",
    "no number": "NaN",
    "infinity": "-Infinity",
    "half a surrogate pair": '"\\ud800"',
    "brackets in a text": json.dumps("]" * 5_000 + "[" * 5_000),
}


@pytest.mark.parametrize("way", ["exec", "daemon"])
def test_odd_input_does_not_keep_the_guard_from_being_asked(stage: Stage, way: str) -> None:
    """All of it with the default fail mode, which lets an event proceed that no hook could judge."""
    with stage.daemon() if way == "daemon" else nullcontext():
        _play_odd(stage, way)


def _play_odd(stage: Stage, way: str) -> None:
    for what, odd in ODD.items():
        event = json.loads(stage.payload("forbidden"))
        data = json.dumps(event)[:-1].encode() + f', "later": {odd}}}'.encode()
        inside = json.dumps(event).replace('"forbidden"', f'"forbidden", "x": {odd}').encode()
        for payload in (data, inside):
            if way == "exec":
                ran = stage.ask_without(payload, "--event", "PreToolUse")
            else:
                ran = stage.ask(PYTHON_CLIENT, payload, "--event", "PreToolUse")
                assert not stage.fell_back(), what
            assert is_refused(ran.stdout), (what, ran)
            assert b"not that" in ran.stdout, what


# --- matchers


def write_matchers(stage: Stage, matchers: list[str]) -> None:
    action = {"type": "command", "command": "true"}
    stage.write_hooks({"pre-tool-use": [{"matcher": matcher, "hooks": [action]} for matcher in matchers]})


def heavy_matchers() -> list[str]:
    return [rf"(?=a)(?:\w{{1,60}}){{1,60}}x{number}" for number in range(1_000)]


@pytest.mark.parametrize(
    ("matchers", "is_asked"),
    [(heavy_matchers(), True), (["Bash"], True), (["Edit|Write"], False), (["Read", "Bash|Edit"], True)],
)
def test_nothing_of_an_untrusted_package_is_compiled(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, matchers: list[str], is_asked: bool
) -> None:
    def refuse(text: str, mode: object) -> object:
        if not text.replace("|", "").isalnum():
            pytest.fail(f"compiled {text}")
        return match.Words(text.split("|")), False

    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(stage.top / "nothing trusted"))
    monkeypatch.setattr(match, "compile_pattern", refuse)
    compile_matcher.cache_clear()
    write_matchers(stage, matchers)
    caller = Caller(cwd=stage.project, home=stage.top / "h", environment=stage.environment)
    options = read_options(["--client", "claude-code", "--fail", "closed"])
    answer = answer_without_hooks(prepare(options, caller, stage.payload()))
    compile_matcher.cache_clear()
    assert answer is not None
    assert is_refused(answer.stdout) is is_asked
    assert not is_asked or b"trust" in answer.stdout


def test_an_untrusted_package_does_not_end_the_daemon(stage: Stage) -> None:
    write_matchers(stage, heavy_matchers())
    with stage.daemon() as daemon:
        for _ in range(2):
            ran = stage.ask(PYTHON_CLIENT, stage.payload(), *CLOSED)
            assert is_refused(ran.stdout)
            assert not stage.fell_back()
        assert daemon.poll() is None


def test_all_slow_matchers_of_an_event_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are not asked any more count as a match: a filter fails towards running the guard."""
    monkeypatch.setattr(index, "EVENT_SECONDS", 0.0)
    rules = index._EventRules()
    matcher = compile_matcher("(?=never)x", Subject.TOOL, MatchMode())
    assert matcher.backtracks
    rule = Rule(event="PreToolUse", native_event="PreToolUse")
    rules.add(index.IndexedRule(0, rule, matcher, Matching()))
    assert rules.fitting("Bash")


def test_half_of_a_surrogate_pair_in_a_matched_name_does_not_raise() -> None:
    matcher = compile_matcher("^(Ba.h|x)$", Subject.TOOL, MatchMode())
    assert not matcher.backtracks
    assert matcher.matches("Ba\udcffh")
    assert not matcher.matches("\ud800")
    assert not compile_matcher("^\ud800.$", Subject.TOOL, MatchMode()).matches("Bash")


# --- options


@pytest.mark.parametrize("timeout", [10**400, -(10**400), 1e308], ids=["401 digits", "negative", "float"])
def test_a_timeout_that_no_clock_reaches_does_not_silence_a_trusted_guard(timeout: float, tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    assert run_anyhook(package, "trust", "--yes").returncode == 0
    hook = {"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh", "timeout": timeout}
    make_package(package, {"pre-tool-use": [{"matcher": "Bash", "hooks": [hook]}]})
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("echo DANGER"))
    assert (done.returncode, "hooks/hooks.json:1: no hook of this file can run" in done.stderr) == (2, True)
    assert run_anyhook(package, "trust", "--yes").returncode == 1  # trusted, with a mistake in the file
    done = run_anyhook(package, "exec", "--client", "codex", stdin=shell_call("ls"))
    assert (done.returncode, "no hook of this file can run (K007)" in done.stdout) == (0, True)


def test_a_number_of_5000_digits_is_wrong_use(stage: Stage) -> None:
    for number in ("9" * 5_000, "256", "-1", "٣"):
        words = ("exec", "--client", "claude-code", "--answered", number)
        with stage.daemon():
            ran = stage.run((*PYTHON_CLIENT, *COLD, *words), stage.payload())
        assert (ran.status, b"--answered is a number" in ran.stderr) == (2, True), number
    assert exit_status({"--answered": "90"}, ProcessAnswer(exit_code=2)) == 92


# --- a function of one project in the daemon of all

CHANGES = {
    "nothing": "pass",
    "umask": "os.umask(0)",
    "environment": "os.environ['PATH'] = '/evil'",
    "working folder": "os.chdir('/tmp')",
    "RLIMIT_CORE": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "json.loads": "json.loads = lambda *_, **__: {}",
    "anyhook.bridge.answer_event.answer": "import anyhook.bridge.answer_event as a; a.answer = None",
}


def write_function(stage: Stage, does: str) -> None:
    (stage.project / "hooks" / "hooks.json").unlink()
    stage.write(
        "f.py",
        f"""\
import json, os, pathlib, resource, time
from anyhook import deny, hook

@hook("PreToolUse", matcher="Bash")
def guard(event):
    {does}
    return deny("not that")
""",
    )
    stage.trust()


@pytest.mark.parametrize("what", CHANGES)
def test_a_function_that_changes_the_daemon_ends_it(stage: Stage, what: str) -> None:
    write_function(stage, CHANGES[what])
    with stage.daemon() as daemon:
        ran = stage.ask(PYTHON_CLIENT, stage.payload())
        assert is_refused(ran.stdout)
        if what == "nothing":
            assert stage.status()["answered"] == 1
        elif what != "RLIMIT_CORE" or resource.getrlimit(resource.RLIMIT_CORE) != (0, 0):
            daemon.wait(SOON)
            assert f"a hook has changed {what}" in stage.place.log.read_text()


def test_a_change_is_noticed_although_the_client_is_gone(stage: Stage) -> None:
    started = stage.top / "started"
    waits = f"pathlib.Path({str(started)!r}).touch(); [time.sleep(0.05) for _ in range(2_000)]"
    write_function(stage, f"if 'sleepy' in event.command: {CHANGES['umask']}; {waits}")
    with stage.daemon() as daemon:
        words = (*PYTHON_CLIENT, *COLD, *stage.words())
        asking = subprocess.Popen(words, stdin=subprocess.PIPE, cwd=stage.project, env=stage.environment)
        assert asking.stdin is not None
        with asking.stdin:
            asking.stdin.write(stage.payload("sleepy"))
        wait_until(started.exists)
        asking.kill()
        asking.wait()
        wait_until(lambda: stage.status()["running"] == 0)
        ran = stage.ask(PYTHON_CLIENT, stage.payload())
        assert is_refused(ran.stdout)
        assert stage.fell_back()
        daemon.wait(SOON)
        assert "a hook has changed umask" in stage.place.log.read_text()


def test_a_client_does_not_wait_for_the_search_for_changes(stage: Stage) -> None:
    write_function(stage, CHANGES["nothing"])
    order = stage.top / "order"
    noting = stage.top / "noting.py"
    noting.write_text(f"""\
import sys
from pathlib import Path
from anyhook.cli.start import main
from anyhook.serve import process_state, socket_front

def note(owner, name):
    before = getattr(owner, name)
    def noted(*arguments):
        with Path({str(order)!r}).open("a") as file:
            file.write(name + " ")
        return before(*arguments)
    setattr(owner, name, noted)

note(socket_front.Connection, "_send_result")
note(process_state.ProcessState, "change")
sys.exit(main())
""")
    with stage.daemon(run=(sys.executable, "-P", str(noting))):
        for _ in range(2):
            assert is_refused(stage.ask(PYTHON_CLIENT, stage.payload()).stdout)
        wait_until(lambda: len(order.read_text().split()) == 4)
    assert order.read_text().split() == ["_send_result", "change"] * 2


# --- the daemon's files and log


def test_the_pid_file_is_private_whatever_the_umask(stage: Stage) -> None:
    before = os.umask(0)
    try:
        with stage.daemon():
            assert stage.place.pid.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's file")
def test_status_does_not_believe_the_socket_of_another_user(stage: Stage) -> None:
    with stage.daemon():
        os.chown(stage.place.socket, 65534, 65534)
        assert ask_daemon(stage.place, "status") is None
        os.chown(stage.place.socket, 0, 0)


def test_the_log_keeps_lines_with_odd_paths(stage: Stage) -> None:
    log = Log(stage.top / "log")
    log.write("answered", packages=["/tmp/\udcff"])
    assert read_log(log.path, 1)[0].count("answered") == 1


def test_a_full_disk_does_not_open_a_stop_gate(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    (stage.top / "file").write_text("")
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(stage.top / "file" / "state"))
    assert StoredCount("codex", stage.project).increment(("s", "Stop", None)) == 1
