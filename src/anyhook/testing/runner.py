"""Runs hook test cases with the real engine: one group or the whole event, in a small environment with a home."""

from __future__ import annotations

import asyncio
import enum
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from msgspec import Struct, structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.events import find_event, unknown_event_text
from anyhook.engine.engine import Engine
from anyhook.engine.models.models import ModelAnswer, ModelRequest
from anyhook.entries.anyhook_entries import asking_of
from anyhook.guards.session.memory import MemoryOfProcess
from anyhook.model.hooks import Action, Agent, FateState, HookSet, Http, Prompt, Rule
from anyhook.model.origin import Origin
from anyhook.model.outcome import Outcome, Run
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem, UsageError, problem
from anyhook.project.package_hooks import PackageHooks
from anyhook.project.project import Project
from anyhook.testing.cases.cases import BrokenCase, Case, Suite
from anyhook.testing.cases.fixtures import decode_fixture, read_earlier, read_fixture
from anyhook.testing.earlier_events import remember
from anyhook.testing.expectations import Failure, judge
from anyhook.testing.sandbox import case_environment, copy_package, outside_the_copy
from anyhook.testing.scaffold.example_events import choose_client

_NOT_LOADED = frozenset({FateState.DROPPED, FateState.DISABLED, FateState.SHADOWED})


class CaseStatus(enum.StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    BROKEN = "could not run"


class CaseResult(Struct, frozen=True, kw_only=True):
    """The result of one case."""

    case: Case | BrokenCase
    state: CaseStatus
    client: str = ""
    """The client under whose rules it ran."""
    failures: tuple[Failure, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Why it could not run."""
    outcome: Outcome | None = None
    run: Run | None = None
    """The action that the assertions looked at, if it ran."""
    rules: tuple[Rule, ...] = ()
    """The groups under test."""
    group: int = 0
    """The place of the first among the groups of the event."""
    duration: float = 0.0
    """Seconds."""


class Trial(Struct, frozen=True, kw_only=True):
    """A case ready to run under one client's rules; the matrix makes one for every client."""

    case: Case
    client: str
    rules: tuple[Rule, ...]
    """The groups under test, the only ones that the engine gets: one, or all of the event."""
    group: int = 0
    """The place of the first among the groups of the event."""
    payload: Payload
    root: Path
    """The package, or the copy of it in which the case runs."""
    earlier: tuple[Payload, ...] = ()
    """What happened before in the session."""

    @property
    def rule(self) -> Rule:
        """The first group, which has the name of the event."""
        return self.rules[0]

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(action for rule in self.rules for action in rule.actions)

    @property
    def action(self) -> Action:
        """The action that the assertions look at, in a case about one group."""
        return self.rule.actions[self.case.action_index or 0]


class Played(Struct, frozen=True, kw_only=True):
    """What happened in a trial, before it is compared with what was expected."""

    outcome: Outcome | None
    """None: the case timed out."""
    prompts: tuple[str, ...] = ()
    """What a model would have been asked."""
    duration: float = 0.0
    """Seconds."""


class Runner:
    """Runs cases of one suite; what they share is made once, and removed when the runner is left.

    with Runner(suite) as runner:
        results = runner.run_all(suite.cases)
    """

    def __init__(self, suite: Suite, *, client: str | None = None) -> None:
        """``client``: whose rules apply to cases that do not name a client."""
        self.suite, self.client = suite, client
        self.hooks = Project.open(suite.root).own_package
        self._numbers = count(1)
        self._scratch: Path | None = None
        self._homes: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def run_all(
        self,
        cases: Sequence[Case | BrokenCase],
        *,
        jobs: int | None = None,
        on_end: Callable[[CaseResult], None] | None = None,
        stop_on_failure: bool = False,
    ) -> tuple[CaseResult, ...]:
        """Run many at once; the results are in the order of the cases, ``on_end`` gets each as it ends.

        With ``stop_on_failure``, those that have not ended when the first one fails have no result.
        """
        results: dict[int, CaseResult] = {}
        waiting = iter(enumerate(cases))
        stopped = asyncio.Event()

        async def work() -> None:
            for index, case in waiting:
                results[index] = result = await self.run(case)
                if on_end is not None:
                    on_end(result)
                if stop_on_failure and result.state is not CaseStatus.PASSED:
                    stopped.set()
                    return

        async def run() -> None:
            workers = [asyncio.create_task(work()) for _ in range(min(jobs or os.cpu_count() or 1, len(cases)))]
            first_failure = asyncio.create_task(stopped.wait())
            everything = asyncio.gather(*workers)
            await asyncio.wait((everything, first_failure), return_when=asyncio.FIRST_COMPLETED)
            first_failure.cancel()
            if stopped.is_set():
                everything.cancel()
            with suppress(asyncio.CancelledError):  # of the workers that were stopped
                await everything

        if cases:
            asyncio.run(run())
        return tuple(results[index] for index in sorted(results))

    async def run(self, case: Case | BrokenCase) -> CaseResult:
        """Prepare, play, compare."""
        if isinstance(case, BrokenCase):
            return CaseResult(case=case, state=CaseStatus.BROKEN, problems=case.problems)
        trial = self.prepare_test(case)
        if isinstance(trial, Problem):
            return CaseResult(case=case, state=CaseStatus.BROKEN, problems=(trial,))
        result = compare(trial, await self.play(trial))
        if trial.root == self.suite.root:
            return result
        return structs.replace(result, run=outside_the_copy(result.run, trial.root, self.suite.root))

    def hook_sets(self, results: Sequence[CaseResult]) -> tuple[HookSet, ...]:
        """All hooks that cases of this package could test: of every client that has hooks or a case."""
        clients = (self.hooks.owner(), *self.hooks.clients(), *(result.client for result in results))
        return tuple(self.hooks.of(client) for client in dict.fromkeys(clients) if client)

    # --- one case

    def prepare_test(self, case: Case) -> Trial | Problem:
        """The trial of a case that expects something, or why it cannot run."""
        trial = self.prepare(case)
        if isinstance(trial, Trial) and _has_entry(trial.rules):
            return _only_asks(case, trial.client)
        if isinstance(trial, Trial) and case.expected.is_empty:
            text = "the case expects nothing, so it would pass whatever the hook does"
            return problem(
                "K006", case.origin("expected"), text, "add expected: {effect: block}, or what should happen"
            )
        return trial

    def prepare(self, case: Case) -> Trial | Problem:
        """The trial of a case, or why it cannot run."""
        if not case.sandbox:
            return self._prepare(case, self.hooks)
        copy = self._new_folder() / (self.suite.root.name or "package")
        try:
            copy_package(self.suite.root, copy)
        except OSError as error:  # shutil.Error is one, too
            return problem("F005", case.origin("sandbox"), f"the package cannot be copied: {error}")
        trial = self._prepare(case, Project.open(copy).own_package)
        return outside_the_copy(trial, copy, self.suite.root) if isinstance(trial, Problem) else trial

    def _prepare(self, case: Case, hooks: PackageHooks) -> Trial | Problem:
        client = self._client(case, hooks)
        if isinstance(client, Problem):
            return client
        found = find_groups(case, client, hooks)
        if isinstance(found, Problem):
            return found
        group, rules = found
        data = read_fixture(case, self.hooks.loader)
        if isinstance(data, Problem):
            return data
        payload = decode_fixture(profile_of(client), data, rules[0].event, rules[0].native_event)
        earlier = read_earlier(case, self.hooks.loader, profile_of(client))
        if isinstance(earlier, Problem):
            return earlier
        trial = Trial(
            case=case, client=client, rules=rules, group=group, payload=payload, root=hooks.root, earlier=earlier
        )
        return next(_obstacles(trial), trial)

    async def play(self, trial: Trial) -> Played:
        """Run the groups under test as its client would; stopped at the case's timeout."""
        with self._home() as home:
            remembers = self.hooks.of(trial.client) if trial.earlier else None
            played = await play_trial(trial, home, remembers=remembers)
            if trial.root == self.suite.root:
                return played
            # An origin tells the hooks of the copy apart.
            outcome = outside_the_copy(played.outcome, trial.root, self.suite.root, kept=Origin)
            return structs.replace(played, outcome=outcome)

    @contextmanager
    def _home(self) -> Iterator[Path]:
        """An empty home folder. One that a case leaves empty is used again."""
        home = self._homes.pop() if self._homes else self._new_folder()
        yield home
        with suppress(OSError), os.scandir(home) as entries:  # a hook may have removed it
            if next(entries, None) is None:
                self._homes.append(home)

    def _new_folder(self) -> Path:
        """A folder for one case, removed with the runner."""
        if self._scratch is None:
            self._scratch = Path(tempfile.mkdtemp(prefix="anyhook-test-"))
        folder = self._scratch / str(next(self._numbers))
        folder.mkdir()
        return folder

    def _client(self, case: Case, hooks: PackageHooks) -> str | Problem:
        """The client whose rules apply: the case's, the caller's, or the one that the hooks are written for."""
        try:
            return case.client or self.client or choose_client(hooks, None)
        except UsageError as error:
            return problem("K006", case.origin("event"), str(error), "say whose hooks the case is about: client: NAME")


async def play_trial(trial: Trial, home: Path, *, remembers: HookSet | None = None, client: str = "") -> Played:
    """Run the groups of a trial with this home folder.

    ``remembers``: the hooks that are asked about the earlier events. ``client``: who asks for the hooks, if it is not
    the client that they are written for.
    """
    prompts: list[str] = []

    def answer(request: ModelRequest) -> ModelAnswer:
        prompts.append(request.prompt)
        return trial.case.input.verdict or ""

    memory = MemoryOfProcess()
    engine = Engine(
        HookSet(dialect=trial.client, rules=trial.rules),
        project=trial.root,
        home=home,
        environment=case_environment(os.environ, trial.case.folder.config.env, trial.root, home),
        model=answer,
        memory=memory,
        client=client,
    )
    outcome: Outcome | None = None
    began = time.perf_counter()
    try:
        async with asyncio.timeout(trial.case.seconds):
            if remembers is not None:
                await remember(remembers, trial.earlier, trial.root, home, memory)
            outcome = await engine.fire(trial.payload, explain=True)
            await engine.close(wait=trial.case.seconds)
    except TimeoutError:
        await engine.close()
    return Played(outcome=outcome, prompts=tuple(prompts), duration=time.perf_counter() - began)


def compare(trial: Trial, played: Played) -> CaseResult:
    """Compare what was played with what the case expects."""
    case = trial.case
    run: Run | None = None
    if played.outcome is None:
        text = f"timed out after {case.seconds:g} s"
        key = "timeout" if case.timeout is not None else "name"
        failures: tuple[Failure, ...] = (Failure(key=key, text=text, line=case.line(key), expected=case.seconds),)
    else:
        run, why_not = _looked_at(trial, played.outcome)
        failures = judge(case, played.outcome, run, why_not, played.prompts)
    return CaseResult(
        case=case,
        state=CaseStatus.FAILED if failures else CaseStatus.PASSED,
        client=trial.client,
        failures=failures,
        outcome=played.outcome,
        run=run,
        rules=trial.rules,
        group=trial.group,
        duration=played.duration,
    )


def _looked_at(trial: Trial, outcome: Outcome) -> tuple[Run | None, str]:
    """The run that the assertions look at, which is the one that decided if every hook ran; or why there is none."""
    if trial.case.is_whole_event:
        origin = outcome.decided_by
        run = next((run for run in outcome.runs if run.origin == origin), next(iter(outcome.runs), None))
        return run, next((skip.reason for skip in outcome.skipped), "the event has none")
    origin = trial.action.origin
    reasons = (skip.reason for skip in outcome.skipped if skip.origin == origin)
    return (
        next((run for run in outcome.runs if run.origin == origin), None),
        next(reasons, "an earlier hook ended the event"),
    )


def find_groups(case: Case, client: str, hooks: PackageHooks) -> tuple[int, tuple[Rule, ...]] | Problem:
    """The groups that a case tests, and the place of the first among the groups of the event."""
    event = find_event(case.event, client)
    if event is None:
        return problem("E001", case.origin("event"), unknown_event_text(case.event))
    rules = hooks.rules(client, event.name)
    title = profile_of(client).title
    if case.is_whole_event and rules:
        return 0, rules
    if case.hook and not case.is_whole_event:
        named = [index for index, rule in enumerate(rules) if is_named(rule, case.hook, hooks.root)]
        if not named and _has_entry(rules):
            return _only_asks(case, client)
        if len(named) != 1:
            has = "no hook" if not named else f"{len(named)} groups with a hook"
            text = f"{case.event} has {has} that {case.hook!r} is a part of ({title})"
            return problem("K007", case.origin("hook"), text, "anyhook list shows their names and files")
        index = named[0]
    elif case.hook_index >= len(rules):
        key = "hook-index" if "hook-index" in case.lines else "event"
        text = f"there is no group {case.hook_index} for {case.event} ({title}: {len(rules)}, counted from 0)"
        broken = next((f" ({p.origin}: {p.text})" for p in hooks.of(client).problems), "")
        return problem("K007", case.origin(key), text + broken)
    else:
        index = case.hook_index
    rule = rules[index]
    if (case.action_index or 0) >= len(rule.actions):
        text = f"there is no action {case.action_index or 0} in the group (it has {len(rule.actions)}, counted from 0)"
        return problem("K007", case.origin("action-index"), text)
    return index, (rule,)


def _has_entry(rules: Sequence[Rule]) -> bool:
    """Whether hooks that deploy has written are among them."""
    return any(asking_of(action) is not None for rule in rules for action in rule.actions)


def _only_asks(case: Case, client: str) -> Problem:
    """To run an entry would start a daemon, in a home folder in which nothing is trusted."""
    text = f"{profile_of(client).title} only asks anyhook here, which is deployed: there is no hook of its own to test"
    fix = "test the hooks behind it with anyhook test without --client, in each client with anyhook matrix"
    return problem("K006", case.origin("event"), text, fix)


def is_named(rule: Rule, text: str, root: Path) -> bool:
    """Whether this is a part of the name, the command or the file of a hook in a group."""
    return any(
        text in part
        for action in rule.actions
        for part in (action.name or "", action.summary(), action.origin.file.removeprefix(f"{root}{os.sep}"))
    )


def _obstacles(trial: Trial) -> Iterator[Problem]:
    """Why a group cannot be tested."""
    case = trial.case
    if case.is_whole_event:
        hooks = HookSet(dialect=trial.client, rules=trial.rules)
        actions = tuple(planned.action for planned in Engine(hooks).plan(trial.payload).runs)
    else:
        actions, fate = trial.rule.actions, trial.action.fate
        if fate.state in _NOT_LOADED:
            yield problem("K007", trial.action.origin, f"{trial.client} does not load this hook: {fate.why}")
    for action in actions:
        if asks_a_model(action) and case.input.verdict is None:
            where = "event" if case.is_whole_event else "group"
            text = f"the {where} has a {action.kind} hook, but the case does not give the model's answer"
            yield problem("K006", case.origin("input"), text, "add input.verdict: no model is called in a test")
        if isinstance(action, Http) and not case.folder.config.network and not _is_local(action.url):
            text = f"the hook calls {action.url}, but tests may reach only this machine"
            yield problem("K007", action.origin, text, 'allow it with "network": true in test-config.json')


def asks_a_model(action: Action) -> bool:
    return isinstance(action, Agent) or (isinstance(action, Prompt) and action.purpose == "judge")


def _is_local(url: str) -> bool:
    """Whether a URL is certain to lead to this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
