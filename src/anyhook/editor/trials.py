"""Tries a hook: a sample event that it would run on, and the test cases that are about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import UNSET, Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.editor.overview import HookItem
from anyhook.model.events import BY_NAME
from anyhook.model.payload import PAYLOADS, ToolPayload
from anyhook.model.payload_base import Payload
from anyhook.model.problems import UsageError
from anyhook.testing.cases.case_files import find_package, read_suite
from anyhook.testing.cases.case_reports import explain
from anyhook.testing.cases.cases import Case, Suite
from anyhook.testing.runner import CaseResult, CaseStatus, Runner, Trial
from anyhook.testing.scaffold.new_case import example_payload, would_run
from anyhook.testing.scaffold.new_files import json_text


def sample_event(item: HookItem) -> str:
    """The JSON of an event that the hook's matcher matches, if one of the known tools does; else of a usual one."""
    client, event = item.row.client, BY_NAME.get(item.rule.event)
    if event is None:
        raise UsageError(f"{item.row.native_event} is not an event that anyhook knows, so there is no sample of it")
    payloads = _samples(item)
    chosen = next((each for each in payloads if would_run(item.rule, each, client)), payloads[0])
    chosen = structs.replace(chosen, native_event=item.rule.native_event)
    return json_text(encode_payload(bind_rule(profile(client), item.rule), chosen))


def _samples(item: HookItem) -> Sequence[Payload]:
    event, client = BY_NAME[item.rule.event], item.row.client
    tools: list[str | None] = [None]
    if issubclass(PAYLOADS[event.name], ToolPayload):
        tools += [name for tool in profile(client).tools.kinds.values() for name in tool.names]
    found = []
    for tool in tools:
        try:
            payload = example_payload(event, tool, None, client)
        except UsageError:  # an event whose fields have no usual values
            continue
        found.append(payload if payload.cwd is not UNSET else structs.replace(payload, cwd=str(item.row.base)))
    if not found:
        raise UsageError(f"there is no sample of {item.row.native_event}; write one for: anyhook fire")
    return found


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


def run_cases(item: HookItem) -> CaseRun:
    """Run the cases that test this hook."""
    try:
        suite = read_suite(find_package(item.row.base))
    except UsageError:
        return CaseRun(None)
    with Runner(suite) as runner:
        cases = [case for case in suite.cases if _is_about(runner, case, item)]
        return CaseRun(suite, runner.run_all(cases) if cases else ())


def _is_about(runner: Runner, case: Case, item: HookItem) -> bool:
    trial = runner.prepare(structs.replace(case, sandbox=False))  # only to see which hook it is
    if not isinstance(trial, Trial):
        return False
    origins = [trial.action.origin] if case.action_index is not None else [each.origin for each in trial.rule.actions]
    own = (str(Path(item.row.file)), item.row.pointer, item.row.line)
    return any((origin.file, origin.pointer, origin.line) == own for origin in origins)
