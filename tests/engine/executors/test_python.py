"""Functions as hooks: in a process of their own and in the host's, with the same result either way."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.engine.engine import Engine
from anyhook.engine.functions import function_host
from anyhook.engine.functions.function_calls import pack_event, pack_result, result_of, unpack_event, unpack_result
from anyhook.engine.functions.function_host import FunctionHost
from anyhook.model.hooks import HookSet
from anyhook.model.lazyjson import LazyJson
from anyhook.model.outcome import Effect, Outcome, Run, Status
from anyhook.model.output import AsyncOutput, Decision, Reply, SyncOutput
from anyhook.model.payload import PAYLOADS, PostToolUse, PreToolUse, SessionStart, Stop
from anyhook.model.payload_base import Payload
from anyhook.project.package_hooks import PackageHooks

CALL = PreToolUse(session_id="s1", tool_name="Bash", tool_input={"command": "ls"}, cwd="/work")
BEGINNING = "from anyhook import *; from anyhook.model.output import Decision\n"
SHORT = 0.2


class Package:
    """A package of functions, and how they are run."""

    def __init__(self, root: Path, host: FunctionHost | None) -> None:
        self.root, self.host = root, host
        (root / "hooks").mkdir()

    def write(self, text: str, name: str = "guard.py", beginning: str = BEGINNING) -> Path:
        file = self.root / "hooks" / name
        file.write_text(beginning + dedent(text), encoding="utf-8")
        return file

    def write_hook(self, body: str, settings: str = "", name: str = "guard.py") -> Path:
        lines = "\n".join(f"    {line}" for line in dedent(body).strip().splitlines())
        return self.write(f'@hook("PreToolUse"{settings})\ndef guard(event):\n{lines}\n', name)

    def engine(self, limit: float | None = None) -> Engine:
        hooks = PackageHooks(self.root).of("universal")
        assert not hooks.problems
        if limit is not None:
            hooks = with_limit(hooks, limit)
        return Engine(hooks, project=self.root, functions=self.host)

    def fire(self, event: Payload = CALL, limit: float | None = None) -> Outcome:
        """``limit``: in place of the time that the file gives them; the format has nothing below a second."""
        engine = self.engine(limit)
        if limit is not None:
            timeouts = structs.replace(engine.profile.timeouts, minimum_ms=None)
            engine = Engine(
                engine.hooks, structs.replace(engine.profile, timeouts=timeouts), project=self.root, functions=self.host
            )
        return engine.fire_sync(event)

    def run(self, event: Payload = CALL, limit: float | None = None) -> Run:
        [run] = self.fire(event, limit).runs
        return run


def with_limit(hooks: HookSet, limit: float) -> HookSet:
    rules = [
        structs.replace(
            rule, actions=tuple(structs.replace(action, timeout_ms=round(limit * 1000)) for action in rule.actions)
        )
        for rule in hooks.rules
    ]
    return structs.replace(hooks, rules=tuple(rules))


@pytest.fixture
def host() -> Iterator[FunctionHost]:
    made = FunctionHost()
    yield made
    made.close()


@pytest.fixture(params=["worker", "in process"])
def package(request: pytest.FixtureRequest, tmp_path: Path, host: FunctionHost) -> Package:
    return Package(tmp_path, host if request.param == "in process" else None)


@pytest.fixture
def hosted(tmp_path: Path, host: FunctionHost) -> Package:
    return Package(tmp_path, host)


@pytest.fixture
def worker(tmp_path: Path) -> Package:
    return Package(tmp_path, None)


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other threads do."""
    ended = threading.Event()
    for _ in range(12_000):
        if condition():
            return
        ended.wait(0.01)
    raise AssertionError("it never happened")


# -------------------------------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("answer", "effect", "reason"),
    [
        ("None", Effect.PROCEED, ""),
        ("allow()", Effect.PROCEED, ""),
        ('deny("not here")', Effect.BLOCK, "not here"),
        ('ask("sure?")', Effect.ASK, "sure?"),
        ('stop("enough")', Effect.STOP, "enough"),
        ('{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "x"}}', Effect.BLOCK, "x"),
        ('Reply(decision=Decision.DENY, reason="y")', Effect.BLOCK, "y"),
    ],
)
def test_an_answer_decides(package: Package, answer: str, effect: Effect, reason: str) -> None:
    package.write_hook(f"return {answer}")
    outcome = package.fire()
    assert (outcome.effect, outcome.reason) == (effect, reason)


def test_a_function_rewrites_and_tells(package: Package) -> None:
    package.write_hook(
        """
        command = event.tool_input.value
        command["command"] = f"nice {event.command}"
        return rewrite(command)
        """
    )
    package.write(
        '@hook("PreToolUse")\nasync def note(event):\n    return context(f"{event.tool_name} in {event.cwd}")\n', "b.py"
    )
    outcome = package.fire()
    assert outcome.effect is Effect.PROCEED
    assert outcome.updated_input == {"command": "nice ls"}
    assert outcome.to_model == ("Bash in /work",)
    assert CALL.tool_input == {"command": "ls"}


def test_a_refusal_means_on_each_event_what_a_refusal_is_there(package: Package) -> None:
    package.write(
        """
        @hook("Stop")
        @hook("PostToolUse")
        def guard(event):
            return deny("Run the tests.")
        """
    )
    assert package.fire(Stop(session_id="s")).effect is Effect.CONTINUE
    after = PostToolUse(session_id="s", tool_name="Bash", tool_input={}, tool_response="ok")
    assert package.fire(after).effect is Effect.FEEDBACK


def test_matchers_and_the_order_of_files_hold_as_for_every_hook(package: Package) -> None:
    package.write_hook("return context('a')", ', matcher="Bash"', "a.py")
    package.write_hook("return context('b')", ', matcher="Write"', "b.py")
    package.write_hook("return context('c')", ', matcher="Ba.h"', "c.py")
    assert package.fire().to_model == ("a", "c")


def test_what_a_function_prints_is_not_its_answer(package: Package) -> None:
    package.write(
        """
        print('{"decision": "block"}')

        @hook("PreToolUse")
        def guard(event):
            print("looking at", event.command, sep=": ", end="!")
            return context("fine")
        """
    )
    run = package.run()
    assert (run.status, run.reply) == (Status.ALLOWED, Reply(context="fine"))
    assert run.stderr == '{"decision": "block"}\nlooking at: ls!'


def test_the_output_of_its_run_is_what_a_command_would_print(package: Package) -> None:
    package.write_hook('return deny("no")')
    specific = {"hookEventName": "pre-tool-use", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    assert json.loads(package.run().stdout) == {"hookSpecificOutput": specific}
    package.write_hook("return None")
    assert package.run().stdout == ""


def test_children_cannot_speak_for_it(worker: Package) -> None:
    worker.write_hook(
        """
        import os, subprocess, sys
        subprocess.run([sys.executable, "-c", "print('{}')"])
        os.write(1, b"{}")
        return deny(input_or_nothing())
        """
    )
    worker.write(
        "import sys\n"
        + (worker.root / "hooks/guard.py").read_text()
        + "\ndef input_or_nothing():\n    return repr(sys.stdin.read())\n",
        beginning="",
    )
    run = worker.run()
    assert (run.status, run.reason, run.stderr) == (Status.BLOCKED, "''", "{}\n{}")


# ------------------------------------------------------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('raise ValueError("boom")', "guard.py, line 4: ValueError: boom"),
        ("import sys\nsys.exit(2)", "guard.py, line 5: SystemExit: 2"),
        ("import json\njson.loads('{')", "guard.py, line 5: JSONDecodeError: [..]"),
        ("raise KeyboardInterrupt", "guard.py, line 4: KeyboardInterrupt"),
        ("raise StopIteration", "guard.py, line 4: StopIteration"),
        ("return True", "guard.py: TypeError: it returned bool; a hook returns [..]"),
        ('return {"x": object()}', "guard.py: TypeError: object cannot be written as JSON"),
        (
            "import nothing_of_this_name",
            "guard.py, line 4: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
        ("return event.tool_nam", "guard.py, line 4: AttributeError: [..]"),
    ],
)
def test_an_exception_is_the_failure_of_this_hook_alone(package: Package, body: str, reason: str) -> None:
    package.write_hook(body)
    package.write('@hook("PreToolUse")\ndef other(event):\n    return deny("I still work.")\n', "other.py")
    outcome = package.fire()
    failed, other = outcome.runs
    assert failed.status is Status.FAILED_OPEN
    assert failed.reason.startswith(reason.partition("[..]")[0])
    assert reason.endswith("[..]") or failed.reason == reason
    assert failed.stderr
    assert "function_calls.py" not in failed.stderr  # a traceback shows the author's own lines only
    assert (outcome.effect, outcome.reason, other.status) == (Effect.BLOCK, "I still work.", Status.BLOCKED)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 / 0", "guard.py, line 7: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", "guard.py, line 7: SystemExit: 0"),
        ("import _broken", "_broken.py, line 2: SyntaxError: "),
        ("import _failing", "guard.py, line 7: RuntimeError: no"),
        ("del guard", "guard.py: LookupError: there is no function guard once the file is loaded"),
    ],
)
def test_a_file_that_cannot_be_loaded_says_where(package: Package, text: str, reason: str) -> None:
    package.write("\ndef broken(:\n", "_broken.py", beginning="")
    package.write("raise RuntimeError('no')\n", "_failing.py", beginning="")
    package.write(f'@hook("PreToolUse")\ndef guard(event):\n    return deny("x")\n\n\n{text}\n')
    run = package.run()
    assert (run.status, run.reason[: len(reason)]) == (Status.FAILED_OPEN, reason)


@pytest.mark.parametrize(("code", "how"), [("os._exit(3)", "exit status 3"), ("os.kill(os.getpid(), 9)", "signal 9")])
def test_a_function_that_ends_its_process_ends_only_that(worker: Package, code: str, how: str) -> None:
    worker.write_hook(f"import os\n{code}")
    run = worker.run()
    assert run.reason == f"guard.py: guard ended its process ({how}) and did not answer"
    assert run.status is Status.FAILED_OPEN


# -------------------------------------------------------------------------------------------------------------- modules


def test_modules_beside_the_file_can_be_imported_in_every_way(package: Package) -> None:
    package.write("WORD = 'helper'\n", "_helper.py", beginning="")
    (package.root / "hooks" / "lib").mkdir()
    package.write("from . import deep\n", "lib/__init__.py", beginning="")
    package.write("import _helper\nWORD = 'deep ' + _helper.WORD\n", "lib/deep.py", beginning="")
    package.write_hook(
        """
        import lib.deep, _helper as h
        from _helper import WORD
        from lib import deep
        from . import _helper
        assert lib.deep is deep and h is _helper
        return deny(f"{WORD}, {deep.WORD}")
        """
    )
    assert package.fire().reason == "helper, deep helper"


def test_two_files_share_nothing(package: Package) -> None:
    package.write("seen = []\n", "_helper.py", beginning="")
    for name in ("a.py", "b.py"):
        package.write_hook("import _helper\n_helper.seen.append(1)\nreturn context(str(_helper.seen))", name=name)
    assert package.fire().to_model == ("[1]", "[1]")
    assert "_helper" not in sys.modules
    assert str(package.root / "hooks") not in sys.path


def test_a_module_of_python_itself_cannot_be_hidden(package: Package) -> None:
    package.write("raise RuntimeError\n", "json.py", beginning="")
    package.write("raise RuntimeError\n", "anyhook.py", beginning="")
    package.write_hook("import json\nreturn deny(json.dumps(1))")
    assert package.fire().reason == "1"


def test_classes_of_a_file_work_as_anywhere(package: Package) -> None:
    package.write(
        """
        import dataclasses, typing

        @dataclasses.dataclass
        class Rule:
            word: str

        @hook("PreToolUse")
        def guard(event: PreToolUse) -> Reply | None:
            return deny(f"{Rule('a')} {typing.get_type_hints(Rule)['word'].__name__}")
        """,
        beginning="from __future__ import annotations\nfrom anyhook import PreToolUse, Reply, deny, hook\n",
    )
    assert package.fire().reason == "Rule(word='a') str"


def test_nothing_is_read_from_or_written_to_a_cache_of_bytecode(package: Package) -> None:
    package.write("WORD = 'a'\n", "_helper.py", beginning="")
    package.write_hook("import _helper\nreturn deny(_helper.WORD)")
    assert package.fire().reason == "a"
    assert sorted(path.name for path in (package.root / "hooks").iterdir()) == ["_helper.py", "guard.py"]


def test_a_file_may_have_any_name(package: Package) -> None:
    package.write_hook('return deny("x")', name="no-force.push.py")
    assert package.fire().reason == "x"


# ------------------------------------------------------------------------------------------------------------- the host


def test_a_file_is_loaded_once_and_again_when_it_or_what_it_imports_changes(hosted: Package) -> None:
    count = "import _helper\n_helper.calls += 1\nreturn deny(f'{_helper.WORD} {_helper.calls}')"
    helper = hosted.write("calls = 0\nWORD = 'a'\n", "_helper.py", beginning="")
    hosted.write_hook(count)
    assert [hosted.fire().reason for _ in range(2)] == ["a 1", "a 2"]
    os.utime(helper, (1, 1))  # touched, not changed
    assert hosted.fire().reason == "a 3"
    hosted.write("calls = 0\nWORD = 'b'\n", "_helper.py", beginning="")
    assert hosted.fire().reason == "b 1"
    hosted.write_hook(count.replace("deny(f'", "deny(f'new "))
    assert hosted.fire().reason == "new b 1"
    helper.unlink()
    assert hosted.run().status is Status.FAILED_OPEN
    hosted.write("calls = 6\nWORD = 'c'\n", "_helper.py", beginning="")
    assert hosted.fire().reason == "new c 7"


def test_old_modules_are_forgotten(hosted: Package, host: FunctionHost) -> None:
    def loaded() -> list[str]:
        return [name for name in sys.modules if name.startswith("_anyhook_hooks_")]

    for number in range(5):
        hosted.write_hook(f"return deny('{number}')")
        assert hosted.fire().reason == str(number)
    assert len(loaded()) == 2  # a package and the file in it


def test_a_function_that_blocks_holds_nobody_up(hosted: Package) -> None:
    hosted.write(
        """
        import threading, time
        met = threading.Barrier(3, timeout=120)

        @hook("PreToolUse")
        def one(event):
            met.wait()

        @hook("PreToolUse")
        def two(event):
            met.wait()

        @hook("PreToolUse")
        async def three(event):
            met.wait()  # blocks the loop that it runs in
        """
    )

    async def main() -> Outcome:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        ticking = asyncio.create_task(tick())
        outcome = await hosted.engine().fire(CALL)
        ticking.cancel()
        assert ticks
        return outcome

    assert [run.status for run in asyncio.run(main()).runs] == [Status.ALLOWED] * 3


def test_a_runaway_is_answered_in_time_and_then_runs_in_a_process(hosted: Package, host: FunctionHost) -> None:
    marks = hosted.root / "marks"
    body = f"with open({str(marks)!r}, 'a') as file:\n    file.write(f'{{os.getpid()}} ')\nwhile True: pass"
    hosted.write_hook(f"import os\n{body}")
    assert hosted.run(limit=SHORT).status is Status.TIMED_OUT
    until(lambda: not any(call.is_alive() for call in host._stuck))  # it got the exception and ended
    marks.write_text(f"{os.getpid()} ")  # where it ran, also if the machine was too busy for it to say so
    for limit in (1, 5, 30, 120):
        assert hosted.run(limit=limit).status is Status.TIMED_OUT
        if len(marks.read_text().split()) > 1:
            break
    here, elsewhere = marks.read_text().split()
    assert int(here) == os.getpid() != int(elsewhere)
    with pytest.raises(ProcessLookupError):
        os.kill(int(elsewhere), 0)
    hosted.write_hook("return deny('better now')")
    assert hosted.fire().reason == "better now"


def test_a_file_that_never_loads_is_a_runaway_too(hosted: Package) -> None:
    hosted.write('@hook("PreToolUse")\ndef guard(event): ...\nwhile True: pass\n')
    assert hosted.run(limit=SHORT).status is Status.TIMED_OUT
    assert hosted.run(limit=SHORT).status is Status.TIMED_OUT


def test_a_thread_that_cannot_be_ended_keeps_its_function_out(hosted: Package, host: FunctionHost) -> None:
    go = hosted.root / "go"
    hosted.write(
        f"""
        import os, pathlib, time

        @hook("PreToolUse")
        async def guard(event):
            while not pathlib.Path({str(go)!r}).exists():
                try:
                    time.sleep(0.01)
                except BaseException:
                    pass
            return deny(str(os.getpid()))
        """
    )
    assert hosted.run(limit=SHORT).status is Status.TIMED_OUT
    assert hosted.run(limit=SHORT).status is Status.TIMED_OUT  # in a process by now
    go.touch()
    until(lambda: not any(call.is_alive() for call in host._stuck))
    assert hosted.fire().reason == str(os.getpid())


def test_too_many_of_them_send_every_function_to_a_process(
    hosted: Package, host: FunctionHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(function_host, "MAX_STUCK_THREADS", 0)
    hosted.write_hook("import os\nreturn deny(str(os.getpid()))")
    assert hosted.fire().reason != str(os.getpid())


def test_an_async_function_that_waits_too_long_is_cancelled_and_no_runaway(hosted: Package, host: FunctionHost) -> None:
    began = hosted.root / "began"
    hosted.write(
        f"""
        import asyncio, pathlib
        ended = []

        @hook("PreToolUse")
        async def guard(event):
            if event.tool_input["command"] == "load this file":
                return
            if ended:
                return deny(str(ended))
            pathlib.Path({str(began)!r}).touch()
            try:
                await asyncio.sleep(600)
            finally:
                ended.append("cleaned up")
        """
    )
    loads = structs.replace(CALL, tool_input={"command": "load this file"})
    assert hosted.run(loads, limit=120).status is Status.ALLOWED
    for limit in (SHORT, 1, 5, 30):  # longer ones for a machine on which it did not even start in that time
        assert hosted.run(limit=limit).status is Status.TIMED_OUT
        until(lambda: not any(call.is_alive() for call in host._stuck))
        if began.exists():
            break
    assert hosted.fire(limit=120).reason == "['cleaned up']"


def test_a_runaway_in_a_process_is_ended(worker: Package) -> None:
    worker.write_hook("while True: pass")
    assert worker.run(limit=SHORT).status is Status.TIMED_OUT


def test_cancelling_an_event_leaves_its_function_behind(hosted: Package, host: FunctionHost) -> None:
    hosted.write_hook("while True: pass")

    async def main() -> None:
        task = asyncio.create_task(hosted.engine().fire(CALL))
        await asyncio.sleep(SHORT)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    until(lambda: not any(call.is_alive() for call in host._stuck))


# ---------------------------------------------------------------------------------------------------------- environment


def test_a_function_gets_the_variables_of_a_command(package: Package) -> None:
    package.write_hook("return deny(environment()['PACKAGE_ROOT'] + environment()['OWN'])")
    hooks = PackageHooks(package.root).of("universal")
    variables = {"PATH": os.environ["PATH"], "OWN": "!"}
    engine = Engine(hooks, project=package.root, environment=variables, functions=package.host)
    assert engine.fire_sync(CALL).reason == f"{package.root}!"


def test_a_process_has_them_as_its_environment_and_starts_in_the_project(worker: Package) -> None:
    worker.write_hook("import os\nreturn deny(os.environ['PACKAGE_ROOT'] + '|' + os.getcwd())")
    assert worker.fire().reason == f"{worker.root}|{worker.root}"


def test_outside_of_a_hook_it_is_the_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from anyhook import environment

    monkeypatch.setenv("SOME_NAME", "some value")
    assert environment()["SOME_NAME"] == "some value"


# ---------------------------------------------------------------------------------------------------------------- bytes


@pytest.mark.parametrize("event", sorted(PAYLOADS))
def test_every_event_arrives_as_it_was(event: str) -> None:
    made = PAYLOADS[event]
    texts = {field.name: f"{field.name} é" for field in structs.fields(made) if field.type == str | None}
    required: dict[str, Any] = {field.name: {"a": [1, None]} for field in structs.fields(made) if field.required}
    required |= {name: "x" for name in required if name.endswith("_name")}
    payload = made(**{**texts, **required, "session_id": "s", "extra": {"more": LazyJson.of({"b": 1})}})
    assert unpack_event(pack_event(payload)) == payload


def test_an_event_that_nobody_knows_arrives_too() -> None:
    payload = Payload(event="Mine", native_event="mine", extra={"x": LazyJson(b'"\\ud83d"')})
    assert unpack_event(pack_event(payload)) == payload


def test_what_a_function_does_to_its_event_stays_with_it() -> None:
    copy = unpack_event(pack_event(CALL))
    assert isinstance(copy, PreToolUse)
    copy.tool_input.value["command"] = "rm"
    assert CALL.tool_input == {"command": "ls"}


REPLIES = st.builds(
    Reply,
    decision=st.none() | st.sampled_from(Decision),
    reason=st.none() | st.text(),
    context=st.none() | st.text(),
    updated_input=st.none() | st.dictionaries(st.text(), st.text() | st.integers(-(2**63), 2**63) | st.none()),
    stop=st.none() | st.booleans(),
    stop_reason=st.none() | st.text(),
)


@given(REPLIES)
def test_every_reply_arrives_as_it_was(reply: Reply) -> None:
    assert unpack_result(pack_result(result_of(reply))).value == reply


@pytest.mark.parametrize(
    ("returned", "value"),
    [
        (None, None),
        ({"continue": False}, {"continue": False}),
        (SyncOutput(decision="block", reason="x"), {"decision": "block", "reason": "x"}),
        (AsyncOutput(async_timeout=5), Reply(async_=True, async_timeout_ms=5000)),
    ],
)
def test_other_answers_arrive_too(returned: Any, value: Any) -> None:
    assert unpack_result(pack_result(result_of(returned))).value == value


def test_session_start_gets_its_own_class(package: Package) -> None:
    package.write(
        '@hook("SessionStart")\ndef note(event):\n    return context(f"{type(event).__name__} {event.source}")\n'
    )
    assert package.fire(SessionStart(session_id="s", source="resume")).to_model == ("SessionStart resume",)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_of_a_function_that_forks_only_one_process_answers(package: Package, kind: str) -> None:
    package.write(
        f'import os\n@hook("PreToolUse")\n{kind} guard(event):\n    os.fork()\n    return deny(str(os.getpid()))\n'
    )
    run = package.run()
    assert (run.status, run.reason.isdigit()) == (Status.BLOCKED, True), run
