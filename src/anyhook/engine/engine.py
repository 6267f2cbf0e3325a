"""The engine: an event in, an outcome out. Plan, execute, interpret, fold; nothing raises across this boundary."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar
from uuid import uuid4

from msgspec import structs

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Order, Profile
from anyhook.dialects.stages import FinishedRun, Judged, refuses
from anyhook.dialects.translation.subjects import matched_text
from anyhook.engine.background import Background, may_continue
from anyhook.engine.continuation import ContinuationCap, ContinuationCounter, CountInMemory
from anyhook.engine.environment import HookContext
from anyhook.engine.executors.execute import execute
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.failure_log import log_failure
from anyhook.engine.fold import fold
from anyhook.engine.index import IndexedHooks, index_hooks
from anyhook.engine.interpret import allowed_unasked, interpret, interpret_value
from anyhook.engine.models.models import AskModel, Models, is_inside_a_hook
from anyhook.engine.plan import Plan, PlannedHook, PlanStatus, plan_event
from anyhook.engine.raw import RawResult, is_lack, not_started
from anyhook.engine.untrusted import decide_untrusted
from anyhook.guards.session.memory import GuardMemory, MemoryOfProcess
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Agent, Callback, Guard, HookSet, Prompt, Python, Rule
from anyhook.model.origin import Scope
from anyhook.model.outcome import Outcome, Run, Skip
from anyhook.model.output import HookAnswer
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload, Text
from anyhook.model.problems import AnyhookError, Problem, describe_bug, problem

if TYPE_CHECKING:
    from anyhook.engine.executors.callback import Function
    from anyhook.engine.functions.function_host import FunctionHost
    from anyhook.engine.session.agent_loop import Ask, NeedsPermission
    from anyhook.engine.session.host_tools import ToolNames
    from anyhook.engine.session.session import Session

E = TypeVar("E", bound=Payload)
A = TypeVar("A", bound=HookAnswer | Awaitable[HookAnswer] | AsyncIterator[HookAnswer] | Iterator[HookAnswer])

_LOGGER = logging.getLogger("anyhook")
CHARACTERS_PER_TOKEN = 4
MAX_CONCURRENT = 64
"""How many hooks of one event run at the same time at most."""


class Engine:
    """The hooks of one project under the rules of one client."""

    def __init__(
        self,
        hooks: HookSet | IndexedHooks,
        profile: Profile | None = None,
        *,
        project: Path | str = ".",
        home: Path | str | None = None,
        environment: Mapping[str, str] | None = None,
        model: AskModel | None = None,
        functions: FunctionHost | None = None,
        observe: Callable[[Payload, Outcome], None] | None = None,
        continuations: ContinuationCounter | None = None,
        client: str = "",
        memory: GuardMemory | None = None,
        unasked: Literal["block", "allow"] = "block",
        open_files: int | None = None,
        trust: Literal["skip", "all"] | None = None,
    ) -> None:
        """``environment``: what hooks inherit instead of this process's own variables.

        ``model``: who answers prompt and agent hooks instead of the configured model.
        ``functions``: who calls the functions of Python files in this process; without it each runs in one of its own.
        ``observe``: called with every event and what came of it (``JournalObserver.observe``); what it raises is lost.
        ``continuations``: counts how often in a row hooks keep an agent going; by default in memory.
        ``client``: the client that sends the events, where it is not the one that the hooks are written for.
        ``memory``: what guards remember from one event to the next; by default in memory.
        ``unasked``: what becomes of a call if a hook that could block it cannot be asked, for lack of processes or so.
        ``open_files``: how many files a command may have open, where this process may have more.
        ``trust``: what becomes of hooks of a project that nobody has approved: "skip", they do not run, or "all", they
        run, because the host has asked its user itself. Without it, one that could block raises AnyhookError.
        """
        if not isinstance(hooks, IndexedHooks):
            hooks = decide_untrusted(hooks, profile, trust)
        self._indexed = hooks if isinstance(hooks, IndexedHooks) else index_hooks(hooks, profile)
        self.profile = self._indexed.profile
        inherited = dict(os.environ if environment is None else environment)
        self.hook_context = HookContext(
            project=Path(project).absolute(),
            home=Path(home).absolute() if home is not None else Path.home(),
            inherited=inherited,
            # Not tempfile.gettempdir(), which tries to write a file: a full disk must not keep guards from being asked.
            scratch=Path(inherited.get("TMPDIR") or inherited.get("TEMP") or "/tmp"),
            client=client,
            memory=memory or MemoryOfProcess(),
            open_files=open_files,
        )
        self._models = Models(self.hook_context, model)
        self._functions = functions
        self._unasked = unasked
        self._observe = observe
        self._callback_numbers = count(1)
        self._has_warned = False
        self._background = Background(self._carry_out, _interpret)
        self._cap = ContinuationCap(self.profile.stopping, continuations or CountInMemory())

    # --- the host's own hooks

    def on(
        self, event: type[E], *, matcher: str | None = None, timeout: float | None = None
    ) -> Callable[[Callable[[E], A]], Callable[[E], A]]:
        """Decorate a function that is a hook: ``@engine.on(PreToolUse, matcher="Bash")``.

        As :meth:`register`, with the class of the event in place of its name, so that a type checker knows what the
        function takes and may return.
        """
        if event is not PAYLOADS.get(event.__name__):
            raise TypeError(f"{event.__name__} is not the class of an event")

        def decorate(function: Callable[[E], A]) -> Callable[[E], A]:
            self.register(event.__name__, function, matcher=matcher, timeout=timeout)
            return function

        return decorate

    def register(
        self,
        event: str,
        callback: Function | Sequence[Function],
        *,
        matcher: str | None = None,
        timeout: float | None = None,
        own_event: bool = False,
    ) -> str:
        """Call functions on an event, after the hooks of the files; returns the id for :meth:`unregister`.

        A function takes the payload, or the Agent SDK's (input, tool_use_id, context), and may be async; a sync one
        runs in a thread, and what it answers after its timeout is discarded. ``event`` is any client's name
        for it; an event that only the host has needs ``own_event``. ``matcher`` is read as in a hook file, ``timeout``
        is in seconds, for each function.
        """
        from anyhook.engine.functions.host_hooks import HookMatcher, rule_of  # only hosts have callbacks

        hook_id = f"callback-{next(self._callback_numbers)}"
        functions = (callback,) if callable(callback) else tuple(callback)
        rule = rule_of(self.profile.name, event, HookMatcher(matcher, functions, timeout), hook_id, own_event=own_event)
        self._set_rules((*self.hooks.rules, rule))
        return hook_id

    def unregister(self, hook_id: str) -> bool:
        """Forget a registered callback; False when there is none of this id."""
        kept = tuple(
            rule
            for rule in self.hooks.rules
            if rule.origin.scope is not Scope.RUNTIME or rule.origin.pointer != hook_id
        )
        was_there = len(kept) < len(self.hooks.rules)
        if was_there:
            self._set_rules(kept)
        return was_there

    @property
    def hooks(self) -> HookSet:
        """All hooks, each with what becomes of it."""
        return self._indexed.hooks

    def _set_rules(self, rules: tuple[Rule, ...]) -> None:
        self._indexed = IndexedHooks(self.profile, structs.replace(self.hooks, rules=rules))

    # --- plans

    def plan(self, payload: Payload) -> Plan:
        """What would run, and why the others would not. Nothing is started."""
        return plan_event(self.hooks, self.profile, payload.event, self._subject(payload), payload)

    def match(self, payload: Payload) -> Plan:
        """The same plan without the hooks whose matcher does not match: quick however many rules there are."""
        return self._indexed.rules.plan(payload, self._subject(payload))

    def _subject(self, payload: Payload) -> str:
        return matched_text(payload, self.profile)

    # --- events

    async def fire(self, payload: Payload, *, explain: bool = False, also_named: str = "") -> Outcome:
        """Run the hooks of an event and fold what they answer.

        The outcome lists what was skipped among the hooks whose matcher matches; of all hooks of the event, if asked to
        ``explain``. ``also_named`` is another name of the event's tool: hooks whose matcher matches it run, too.
        """
        plan = self.plan(payload) if explain else self.match(payload)
        return await self.run_plan(self._with_other_name(plan, payload, also_named) if also_named else plan, payload)

    def _with_other_name(self, plan: Plan, payload: Payload, name: str) -> Plan:
        known = {id(hook.action) for hook in plan.hooks}
        more = [hook for hook in self._indexed.rules.plan(payload, name).hooks if id(hook.action) not in known]
        if not more:
            return plan
        actions = (action for rule in self.hooks.rules for action in rule.actions)
        place = {id(action): number for number, action in enumerate(actions)}
        hooks = sorted((*plan.hooks, *more), key=lambda hook: place.get(id(hook.action), len(place)))
        return structs.replace(plan, hooks=tuple(hooks))

    async def run_plan(self, plan: Plan, payload: Payload) -> Outcome:
        """Run what a plan says of an event, and fold what the hooks answer."""
        if is_inside_a_hook():
            return self._indexed.silence(payload.event, payload.native_event)
        late = self.take_late_context(payload.session_id)  # before hooks run: those of this event are for the next
        messages = self.take_late_messages(payload.session_id)
        runs = [hook for hook in plan.hooks if hook.verdict is PlanStatus.RUNS]
        skipped = [_skip(hook) for hook in plan.hooks if hook.verdict is not PlanStatus.RUNS]
        ended: list[FinishedRun] = []
        problems: list[Problem] = []
        if plan.order is Order.SEQUENTIAL or len(runs) < 2:
            await self._in_sequence(runs, payload, ended, problems)
        else:
            await self._together(runs, payload, ended, problems)
        outcome = self._cap.apply(payload, self._fold(payload, ended, skipped, problems))
        if late or messages:
            to_model, to_user = (*late, *outcome.to_model), (*messages, *outcome.to_user)
            outcome = structs.replace(outcome, to_model=to_model, to_user=to_user)
        for run in outcome.runs:
            log_failure(payload.event, run)
        if self._observe is not None:
            with suppress(Exception):
                self._observe(payload, outcome)
        return outcome

    @property
    def background_tasks(self) -> frozenset[asyncio.Task[ActionResult]]:
        """Hooks that still run in the background, one task each."""
        return frozenset(self._background.tasks)

    def take_late_context(self, session_id: Text) -> tuple[str, ...]:
        """What background hooks of a session have said to the model since the last event, and forget it."""
        return self._background.take_late_context(session_id)

    def take_late_messages(self, session_id: Text) -> tuple[str, ...]:
        """What background hooks of a session have said to the user since the last event, and forget it."""
        return self._background.take_late_messages(session_id)

    def _fold(
        self, payload: Payload, ended: Sequence[FinishedRun], skipped: Sequence[Skip], problems: Sequence[Problem]
    ) -> Outcome:
        speaks = any(e.run.reply is not None for e in ended)
        if speaks or (ended and payload.event in self.profile.answers.silence_blocks_on):
            bound = self._indexed.bind(payload.event, payload.native_event)
            try:
                return fold(bound, payload, ended, skipped, problems)
            except Exception as error:
                return self._fold_the_rest(bound, payload, ended, skipped, problems, error)
        silence = self._indexed.silence(payload.event, payload.native_event)  # what nearly all events come to
        if not ended and not skipped:
            return silence
        runs = tuple(e.run for e in ended)
        return structs.replace(silence, runs=runs, skipped=tuple(skipped), problems=tuple(problems))

    def _fold_the_rest(
        self,
        bound: BoundEvent,
        payload: Payload,
        ended: Sequence[FinishedRun],
        skipped: Sequence[Skip],
        problems: Sequence[Problem],
        error: Exception,
    ) -> Outcome:
        """The outcome where the replies cannot be folded: those that cannot even alone have failed; if none, all."""
        at_fault = [e for e in ended if not _can_fold(bound, payload, e)] or list(ended)
        actions = {action.origin: action for rule in self.hooks.rules for action in rule.actions}
        kept: list[FinishedRun] = []
        for e in ended:
            failed = self._unasked_run(bound, actions.get(e.run.origin, Callback(function=print)), _bug(error))
            kept.append(structs.replace(e, run=failed) if e in at_fault else e)
        found = [problem("K008", e.run.origin, describe_bug(error)) for e in at_fault]
        return fold(bound, payload, kept, skipped, [*problems, *found])

    def fire_sync(self, payload: Payload, wait: float = 0) -> Outcome:
        """The same for callers without an event loop, with every hook explained.

        Background hooks get ``wait`` seconds, then they are ended. Raises RuntimeError where an event loop runs.
        """
        return self.run_plan_sync(self.plan(payload), payload, wait)

    def run_plan_sync(self, plan: Plan, payload: Payload, wait: float = 0) -> Outcome:
        """Run what a plan says of an event, as :meth:`fire_sync` does."""
        if _is_in_a_loop():
            raise RuntimeError("an event loop runs here; use `await engine.fire(...)` instead of fire_sync")

        async def run() -> Outcome:
            outcome = await self.run_plan(plan, payload)
            await self.close(wait)
            return outcome

        runner = asyncio.Runner()
        try:
            runner.get_loop()
        except OSError as error:  # no descriptor is left for an event loop
            return self._unasked_outcome(plan, payload, error)
        with runner:
            return runner.run(run())

    def _unasked_outcome(self, plan: Plan, payload: Payload, error: OSError) -> Outcome:
        """The outcome where no hook can be asked: one that could block has refused, unless the host allows that."""
        runs = [hook for hook in plan.hooks if hook.verdict is PlanStatus.RUNS]
        skipped = [_skip(hook) for hook in plan.hooks if hook.verdict is not PlanStatus.RUNS]
        ended = []
        for place, hook in enumerate(runs):
            bound = self._indexed.bind(hook.rule.event, hook.rule.native_event)
            ended.append(FinishedRun(self._unasked_run(bound, hook.action, not_started(error)), place, place))
        return self._fold(payload, ended, skipped, ())

    async def close(self, wait: float = 0) -> None:
        """End the background hooks, after giving them this many seconds."""
        await self._background.end(wait)

    # --- sessions

    def session(
        self,
        *,
        cwd: Path | str | None = None,
        model: str | None = None,
        ask: Ask | None = None,
        needs_permission: NeedsPermission = False,
        source: str = "startup",
        setup: str | None = None,
        session_id: str | None = None,
        transcript_path: Path | str = "",
        permission_mode: str = "default",
        agent_type: str | None = None,
        tools: ToolNames = MappingProxyType({}),
        problems: Literal["log", "raise", "ignore"] = "log",
    ) -> Session:
        """The lifecycle of an agent around these hooks; use it with ``async with``, or ``with`` in code that is not
        async.

        ``ask`` is asked when a tool call needs permission, ``needs_permission`` says which calls do when hooks leave it
        open. ``source`` is "startup", "resume", "clear" or "compact"; ``setup`` ("init" or "maintenance") fires Setup
        before. ``tools`` says what the host's tools are, so that hooks see them by the client's names; where it says
        nothing, the name and the inputs of a call do, if they can. ``problems`` says what to do about errors and
        warnings in ``hooks.problems``: the logger "anyhook" warns of each once, or AnyhookError is raised, because a
        file with a mistake may have lost a guard.
        """
        self._report_problems(problems)
        from anyhook.engine.session.agent_loop import SessionContext
        from anyhook.engine.session.session import Session

        terms = SessionContext(
            self,
            cwd=str(self.hook_context.project if cwd is None else Path(cwd).absolute()),
            session_id=session_id or str(uuid4()),
            transcript_path=str(transcript_path),
            permission_mode=permission_mode,
            ask=ask,
            needs_permission=needs_permission,
            tools=tools,
        )
        return Session(terms, source=source, setup=setup, model=model, agent_type=agent_type)

    def _report_problems(self, how: Literal["log", "raise", "ignore"]) -> None:
        found = [each for each in self.hooks.problems if each.severity is not Severity.NOTE]
        if how == "raise" and found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            raise AnyhookError(f"{found[0].origin}: {found[0].text}{more}")
        if how == "log" and not self._has_warned:
            self._has_warned = True
            for each in found:
                _LOGGER.warning("%s: %s", each.origin, each.text)

    def begin_turn(self, session_id: Text) -> None:
        """Count anew how often hooks keep the agent of a session going."""
        self._cap.begin_turn(session_id)

    async def end_session(self, session_id: Text) -> None:
        """End the background hooks of one session, and forget what is known of it."""
        await self._background.end_session(session_id)
        self._cap.end_session(session_id)

    # --- runs

    async def _together(
        self, hooks: Sequence[PlannedHook], payload: Payload, ended: list[FinishedRun], problems: list[Problem]
    ) -> None:
        gate = asyncio.Semaphore(MAX_CONCURRENT)

        async def one(place: int, hook: PlannedHook) -> None:
            async with gate:
                last = await self._run(place, hook, payload, problems)
            ended.append(structs.replace(last, finished=len(ended)))

        async with asyncio.TaskGroup() as tasks:  # when cancelled it waits for all of them; gather does not
            for place, hook in enumerate(hooks):
                tasks.create_task(one(place, hook))
        ended.sort(key=lambda e: e.place)

    async def _in_sequence(
        self, hooks: Sequence[PlannedHook], payload: Payload, ended: list[FinishedRun], problems: list[Problem]
    ) -> None:
        for place, hook in enumerate(hooks):
            last = structs.replace(await self._run(place, hook, payload, problems), finished=place)
            ended.append(last)
            if self._ends_the_sequence(last, payload.event):
                break
            rewritten = last.reply.updated_input
            if self.profile.execution.chains_input and rewritten is not None and hasattr(payload, "tool_input"):
                payload = structs.replace(payload, tool_input=rewritten)

    def _ends_the_sequence(self, ended: FinishedRun, event: str) -> bool:
        judged = Judged(self._indexed.bind(event, ""), ended.run)
        return overridden(self.profile.overrides.ends_sequence, judged, _ends_the_sequence)

    async def _run(self, place: int, hook: PlannedHook, payload: Payload, problems: list[Problem]) -> FinishedRun:
        """Run one hook. An exception in our own code is this hook's failure alone: the others are asked."""
        try:
            return await self._run_hook(place, hook, payload, problems)
        except Exception as error:
            bound = self._indexed.bind(hook.rule.event, hook.rule.native_event)
            run = self._unasked_run(bound, hook.action, _bug(error))
            problems.append(problem("K008", hook.action.origin, run.reason))
            return FinishedRun(run, place, -1)

    def _unasked_run(self, bound: BoundEvent, action: Action, raw: RawResult) -> Run:
        """The run of a hook that could not be asked, or whose answer was lost by an exception in our own code."""
        run = interpret(bound, action, raw)
        return allowed_unasked(run, bound, action) if self._unasked == "allow" else run

    async def _run_hook(self, place: int, hook: PlannedHook, payload: Payload, problems: list[Problem]) -> FinishedRun:
        bound = self._indexed.bind(hook.rule.event, hook.rule.native_event)
        variant, action = bound.profile, hook.action
        limit = bound.timeout_ms(action)
        job = Job(bound, action, payload)
        timeout = None if limit is None else limit / 1000
        if may_continue(variant.execution, action, payload.event):
            started = await self._background.start(job, timeout)
            if started is None:
                return FinishedRun(_background_run(job), place, -1)
            done = started
        else:
            done = await self._carry_out(job, timeout)
        problems += [problem("K008", action.origin, text) for text in done.problems]
        run = _interpret(job, done)
        if self._unasked == "allow":
            run = allowed_unasked(run, bound, action)
        if run.cause.json is JsonUse.BROKEN:
            text = f"the reply is not valid JSON: {bound.title} reads it as plain text, which decides nothing"
            problems.append(problem("A004", action.origin, text))
        cap = getattr(action, "context_limit", None)
        return FinishedRun(run, place, -1, None if cap is None else cap * CHARACTERS_PER_TOKEN)

    async def _carry_out(
        self, job: Job, timeout: float | None, went_async: asyncio.Future[float | None] | None = None
    ) -> ActionResult:
        """Execute a job; if the event cannot be handed over (it cannot be written as JSON, ...), it was not asked."""
        try:
            return await execute(job, self.hook_context, self._models, self._functions, timeout, went_async)
        except RecursionError:
            why = "it refers to itself or is nested too deeply"
        except Exception as error:
            why = str(error) or type(error).__name__
            if is_lack(error):  # which another process may have
                return ActionResult(RawResult(error=f"it was not asked: {why}", unable=True))
        return ActionResult(RawResult(error=f"the event could not be handed to the hook: {why}", not_asked=True))


def _ends_the_sequence(judged: Judged) -> bool:
    reply = judged.run.reply
    match judged.bound.client.execution.stops_after if reply is not None else "nothing":
        case "block":
            return refuses(reply)
        case "decision":
            return refuses(reply) or (reply is not None and reply.decision == "ask")
        case "continue false":
            return reply is not None and reply.stop is True
        case _:
            return False


def _bug(error: Exception) -> RawResult:
    return RawResult(error=describe_bug(error), not_asked=True)


def _is_in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _can_fold(bound: BoundEvent, payload: Payload, ended: FinishedRun) -> bool:
    try:
        fold(bound, payload, [ended])
    except Exception:
        return False
    return True


def _interpret(job: Job, done: ActionResult) -> Run:
    run = _interpreted(job, done)
    return structs.replace(run, would=done.would, reason=done.reason) if done.would or done.reason else run


def _interpreted(job: Job, done: ActionResult) -> Run:
    if isinstance(job.action, Callback | Prompt | Agent | Python | Guard):
        return interpret_value(job.bound, job.action, done.raw, done.value)
    return interpret(job.bound, job.action, done.raw)


def _background_run(job: Job) -> Run:
    action = job.action
    return Run(
        origin=action.origin,
        name=action.name,
        summary=action.summary(),
        cause=Cause(CauseKind.BACKGROUND),
        reason="runs in the background",
    )


def _skip(hook: PlannedHook) -> Skip:
    action = hook.action
    return Skip(
        origin=action.origin,
        name=action.name,
        summary=action.summary(),
        cause=Cause(hook.cause or CauseKind.NOT_LOADED),
        reason=hook.why,
    )
