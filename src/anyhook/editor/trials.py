"""Tries a hook: a sample event that it would run on, and the test cases that are about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.model.events import BY_NAME
from anyhook.model.payload import PAYLOADS, ToolPayload
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.project.hook import ResolvedHook
from anyhook.testing.cases.case_files import find_package, read_suite
from anyhook.testing.cases.case_reports import explain
from anyhook.testing.cases.cases import Case, Suite
from anyhook.testing.runner import CaseResult, CaseStatus, Runner, Trial
from anyhook.testing.scaffold.new_case import example_payload, would_run
from anyhook.testing.scaffold.new_files import json_text


def sample_event(hook: ResolvedHook) -> str:
    """The JSON of an event that the hook's matcher matches, if one of the known tools does; else of a usual one."""
    client, event = hook.client, BY_NAME.get(hook.rule.event)
    if event is None:
        raise UsageError(f"{hook.native_event} is not an event that anyhook knows, so there is no sample of it")
    payloads = _samples(hook)
    chosen = next((each for each in payloads if would_run(hook.rule, each, client)), payloads[0])
    chosen = structs.replace(chosen, native_event=hook.rule.native_event)
    return json_text(encode_payload(bind_rule(profile(client), hook.rule), chosen))


def _samples(hook: ResolvedHook) -> Sequence[Payload]:
    event, client = BY_NAME[hook.rule.event], hook.client
    tools: list[str | None] = [None]
    if issubclass(PAYLOADS[event.name], ToolPayload):
        kinds = profile(client).tools.kinds
        first = [kind for kind in kinds if any(_is_for(asked, kind) for asked in hook.behind)]
        tools += [name for kind in dict.fromkeys((*first, *kinds)) for name in kinds[kind].names]
        if first:  # an entry hears of every tool, and what it asks only of some
            del tools[0]
    found = []
    for tool in tools:
        try:
            payload = example_payload(event, tool, None, client)
        except UsageError:  # an event whose fields have no usual values
            continue
        found.append(payload if payload.cwd is not None else structs.replace(payload, cwd=str(hook.base)))
    if not found:
        raise UsageError(f"there is no sample of {hook.native_event}; write one for: anyhook fire")
    return found


def _is_for(hook: ResolvedHook, kind: str) -> bool:
    """Whether a hook would run on a tool of this kind."""
    tool = profile(hook.client).tools.kinds.get(kind)
    for name in () if tool is None else tool.names:
        with suppress(UsageError):
            if would_run(hook.rule, example_payload(BY_NAME[hook.rule.event], name, None, hook.client), hook.client):
                return True
    return False


class CaseRun(Struct, frozen=True):
    """The cases of one hook, and how they ended."""

    suite: Suite | None
    """None: there are no cases in the project."""
    results: tuple[CaseResult, ...] = ()

    def lines(self) -> Iterator[tuple[str, str]]:
        """Text and style, a case each, with what is wrong below it."""
        if self.suite is None:
            yield "The project has no test cases. Write one: anyhook new case", "yellow"
            return
        if not self.results:
            yield f"No case of {self.suite.root} tests this hook. Write one: anyhook new case", "yellow"
            return
        styles = {CaseStatus.PASSED: "green", CaseStatus.FAILED: "bold red", CaseStatus.BROKEN: "yellow"}
        for result in self.results:
            yield f"{result.state.value:<14}{result.case.name}  ({result.duration * 1000:.0f} ms)", styles[result.state]
            yield from ((f"{'':<14}{line}", "") for line in explain(result))
        passed = sum(result.state is CaseStatus.PASSED for result in self.results)
        yield f"{passed} of {len(self.results)} passed", "bold"


def run_cases(hook: ResolvedHook) -> CaseRun:
    """Run the cases that test this hook."""
    try:
        suite = read_suite(find_package(hook.base))
    except UsageError:
        return CaseRun(None)
    with Runner(suite) as runner:
        cases = [case for case in suite.cases if _is_about(runner, case, hook)]
        return CaseRun(suite, runner.run_all(cases) if cases else ())


def _is_about(runner: Runner, case: Case, hook: ResolvedHook) -> bool:
    trial = runner.prepare(structs.replace(case, sandbox=False))  # only to see which hook it is
    if not isinstance(trial, Trial):
        return False
    origins = [trial.action.origin] if case.action_index is not None else [each.origin for each in trial.actions]
    own = {(str(Path(each.file)), each.origin.pointer, each.line) for each in hook.behind or (hook,)}
    return any((origin.file, origin.pointer, origin.line) in own for origin in origins)
