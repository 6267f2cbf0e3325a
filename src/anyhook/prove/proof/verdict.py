"""The columns configured, loaded, fired and effect for each hook, with the reason where one is no. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.events import find_event
from anyhook.engine.plan import PlannedHook, PlanStatus, plan_event
from anyhook.engine.reach import unknown_tools
from anyhook.entries.command_entries import is_bridge
from anyhook.model.hooks import Action, Command, FateState, HookSet, Rule
from anyhook.model.outcome import Effect
from anyhook.model.payload import ToolPayload
from anyhook.model.wording import join_or
from anyhook.prove.proof.observe import Observation, PlayReport, refusal_of, words_of
from anyhook.prove.proof.said import Said, has_reached, said_by
from anyhook.prove.report import HookCall, RunReport
from anyhook.testing.scaffold.example_events import make_payload

_NOT_EXECUTABLE, _NOT_FOUND = 126, 127
_LONGEST_QUOTE = 200
_COMPLAINT = re.compile(r"warn|error|fail|invalid|not load", re.IGNORECASE)
_HOOK = re.compile(r"(?<![\w/.-])hooks?\b", re.IGNORECASE)


class HookProof(Struct, frozen=True, kw_only=True):
    """One hook in one client."""

    client: str
    event: str
    matcher: str | None
    hook: str
    file: str
    line: int
    loaded: bool | None = None
    """Whether the client called it, else what is known of such a file in this client; None: nothing shows it."""
    fired: bool | None = None
    """None: nothing that was played is about it, or its kind cannot be seen firing."""
    calls: int = 0
    effect: bool | None = None
    """Whether every case of its event had the expected effect, and the model got what the hook says; None: no case says
    what to expect, and the hook says nothing."""
    uncalled: bool = False
    """Whether the client did not call it when, by the rules of this client, it should have."""
    unseen: bool = False
    """Whether all that the hook does is to say something that this client shows nowhere: the effect is not known."""
    reason: str = ""
    """Why a column is no, or what is not seen."""

    @property
    def is_failure(self) -> bool:
        return self.effect is False


class ProvedHook(Struct, frozen=True):
    """A hook that is judged."""

    client: str
    hooks: HookSet
    rule: Rule
    action: Action
    name: str | None
    """The recorder's name for it; None: one cannot see it firing."""

    @property
    def title(self) -> str:
        return profile(self.client).title

    @property
    def is_lost(self) -> bool:
        return self.action.fate.state in (FateState.DROPPED, FateState.DISABLED)

    @property
    def is_shadowed(self) -> bool:
        return self.action.fate.state is FateState.SHADOWED

    def calls_in(self, report: RunReport) -> list[HookCall]:
        return [call for call in report.hooks_fired if call.name == self.name]

    def planned_in(self, play: PlayReport) -> PlannedHook | None:
        """What the rules of the client say of the hook in a play; None: nothing."""
        event = find_event(self.rule.event)
        if event is None:
            return None
        payload = make_payload(event, {"session_id": "session-1", "cwd": ".", **play.case.fields}, self.client)
        tool = payload.tool_name if isinstance(payload, ToolPayload) else None
        plan = plan_event(self.hooks, profile(self.client), event.name, tool, payload)
        return next((planned for planned in plan.hooks if planned.action.origin == self.action.origin), None)

    def is_uncalled_in(self, play: PlayReport) -> bool:
        """Whether the client came so far, and did not call the hook although it should have."""
        seen = play.seen
        if self.name is None or self.calls_in(play.report) or seen.effect is None or seen.by_client or seen.did_not_run:
            return False
        planned = self.planned_in(play)
        return planned is not None and planned.verdict is PlanStatus.RUNS

    def why_dead(self) -> str:
        """Why the client can never call the hook, by what is known of it; empty: it may."""
        fate = self.action.fate
        if fate.state is FateState.DROPPED:
            return f"{self.title} does not load it: {fate.why}"
        if fate.state is FateState.NEVER:
            return f"{fate.state}: {fate.why}"
        if fate.state is FateState.ACTIVE and (names := unknown_tools(profile(self.client), self.rule)):
            return f"{self.title} has no tool called {join_or(names)}, as far as anyhook knows"
        return ""

    def _was_not_asked(self, call: HookCall) -> bool:
        """Whether the hooks behind an entry did not run: the case may end as expected without them."""
        return is_bridge(self.action) and call.unasked is not False

    def said_in(self, play: PlayReport) -> list[tuple[Said, bool | None]]:
        """What the hook says, each with whether it reached whom it is for."""
        texts = [said for call in self.calls_in(play.report) for said in said_by(call, self.client, play.case.event)]
        return [(said, has_reached(said, play.report, play.case.event)) for said in texts]

    def is_unseen(self, play: PlayReport) -> bool:
        """Whether nothing but what the hook says tells its effect, and that cannot be seen."""
        has_decided = play.case.expected_in(self.client) not in (None, Effect.PROCEED)
        is_silent = has_decided or any(map(refusal_of, self.calls_in(play.report)))
        return not is_silent and any(reached is None for _, reached in self.said_in(play))

    def is_missed(self, play: PlayReport) -> bool:
        """Whether a case did not have the effect that it expects, or that this hook asked for."""
        if play.distrusted or any(map(self._was_not_asked, self.calls_in(play.report))):
            return True
        if any(reached is False for _, reached in self.said_in(play)):
            return True
        seen = play.seen
        expected = play.case.expected_in(self.client)
        if expected is not None:
            return not seen.meets(expected)
        return seen.effect is Effect.PROCEED and any(map(refusal_of, self.calls_in(play.report)))


def judge_hook(subject: ProvedHook, plays: Sequence[PlayReport], shown: str) -> HookProof:
    """The proof of one hook; ``shown`` is how people know it."""
    rule, action = subject.rule, subject.action
    plays = [play for play in plays if play.case.event == rule.event]
    calls = [call for play in plays for call in subject.calls_in(play.report)]
    distrusted = any(play.distrusted for play in plays)
    uncalled = not calls and any(map(subject.is_uncalled_in, plays))
    is_dead = bool(plays) and not calls and bool(subject.why_dead()) and not _is_replaced(subject, plays)
    failed = is_dead or uncalled or any(map(subject.is_missed, plays))
    fired: bool | None = bool(calls) and not distrusted
    if not plays or subject.name is None or not (fired or failed or subject.why_dead() or subject.is_lost):
        fired = None
    has_said = any(map(subject.said_in, plays))
    expects = any(play.case.expected_in(subject.client) is not None for play in plays)
    effect = _effect(
        fired,
        is_judged=expects or has_said or is_dead or uncalled or any(map(refusal_of, calls)),
        failed=failed,
        is_shadowed=subject.is_shadowed,
    )
    unseen = effect is True and any(map(subject.is_unseen, plays))
    is_explained = failed or (bool(plays) and not calls) or unseen or subject.is_lost
    return HookProof(
        client=subject.client,
        event=rule.native_event,
        matcher=rule.matcher,
        hook=shown,
        file=action.origin.file,
        line=action.origin.line,
        loaded=True if calls else None if uncalled else not subject.is_lost,
        fired=fired,
        calls=0 if distrusted else len(calls),
        effect=None if unseen else effect,
        uncalled=uncalled,
        unseen=unseen,
        reason=next(_reasons(subject, plays), "") if is_explained else "",
    )


def _is_replaced(subject: ProvedHook, plays: Sequence[PlayReport]) -> bool:
    """Whether a case shows that another hook does on this event what is expected: to refuse, not only to agree."""
    expected = ((play, play.case.expected_in(subject.client)) for play in plays)
    return any(effect not in (None, Effect.PROCEED) and play.seen.meets(effect) for play, effect in expected if effect)


def without_lost_files(proofs: Sequence[HookProof]) -> tuple[HookProof, ...]:
    """The proofs; a file of which no hook was called that should have been is not loaded, with all its hooks."""
    called = {proof.file for proof in proofs if proof.calls}
    lost = {proof.file: proof.reason for proof in proofs if proof.uncalled and proof.file not in called}
    return tuple(
        structs.replace(proof, loaded=False, reason=proof.reason or lost[proof.file]) if proof.file in lost else proof
        for proof in proofs
    )


def _effect(fired: bool | None, *, is_judged: bool, failed: bool, is_shadowed: bool) -> bool | None:
    """A hook that did not fire and was not needed proves nothing; one whose place another takes is not judged."""
    if is_shadowed or not is_judged:
        return None
    return False if failed else True if fired else None


def _reasons(subject: ProvedHook, plays: Sequence[PlayReport]) -> Iterator[str]:
    """Why a hook has no effect, the most certain reason first."""
    if subject.is_lost:
        yield f"{subject.title} does not load it: {subject.action.fate.why}"
    for play in sorted(plays, key=lambda each: (subject.is_uncalled_in(each), subject.is_missed(each)), reverse=True):
        calls = subject.calls_in(play.report)
        for call in calls:
            yield from _failures(call, subject.action)
        if not calls:
            yield from _why_not_fired(subject, play)
        elif subject.is_missed(play):
            yield _why_missed(subject, play, calls)
        elif subject.is_unseen(play):
            text = next(said.text for said, reached in subject.said_in(play) if reached is None)
            yield f"{subject.title} shows nowhere, without a terminal, what the hook said: {_quoted(text)}"


def _why_missed(subject: ProvedHook, play: PlayReport, calls: Sequence[HookCall]) -> str:
    if play.distrusted:
        return f"{subject.title} does not trust it: {'; '.join(profile(subject.client).setup)}"
    for lost in (said.text for said, reached in subject.said_in(play) if reached is False):
        return f"{play.case.name}: {subject.title} did not give the model what the hook said: {_quoted(lost)}"
    said = next((_quoted(words) for call in calls if (words := words_of(call))), "")
    spoke = f"said: {said}" if said else "said nothing"
    return f"{play.case.name}: {subject.title} {what_happened(play.seen)}; the hook {spoke}"


def _failures(call: HookCall, action: Action) -> Iterator[str]:
    """Why a hook that was called did not do its work."""
    command = action.line() if isinstance(action, Command) else action.summary()
    said = _quoted(call.stderr)
    if call.exit_status == _NOT_EXECUTABLE:
        yield f"the hook does not start: {said}; make the script executable with chmod +x"
    elif call.exit_status == _NOT_FOUND:
        yield f"the hook does not start: {said}"
    elif call.seconds is None:
        yield f"the hook was killed before it ended: {command}"
    elif call.exit_status not in (None, 0, 2):
        yield f"the hook fails with exit status {call.exit_status}{f': {said}' if said else ''}"


def _why_not_fired(subject: ProvedHook, play: PlayReport) -> Iterator[str]:
    if why := subject.why_dead():
        yield why
    planned = subject.planned_in(play)
    if planned is not None and planned.verdict is PlanStatus.SKIPPED:
        yield planned.why
    if about := next(_words_about(subject.action.origin.file, play.report), ""):
        yield f"{subject.title} did not call it: {_quoted(about)}"
    if play.seen.by_client:
        yield f"{play.case.name}: {subject.title} {what_happened(play.seen)}"
    yield f"{subject.title} did not call it"


def _words_about(file: str, report: RunReport) -> Iterator[str]:
    """What the client itself says about the hook's file, and about hooks: complaints alone."""
    lines = [line.strip() for line in (*report.stderr.splitlines(), *report.log)]
    complaints = [line for line in lines if _COMPLAINT.search(line)]
    yield from (line for line in complaints if file and file in line)
    yield from (line for line in complaints if _HOOK.search(line))


def what_happened(seen: Observation) -> str:
    """What the client did, after its name."""
    if seen.by_client:
        return "refused it by its own rules, which proves nothing of a hook"
    words = {
        Effect.PROCEED: "went ahead",
        Effect.BLOCK: "refused it",
        Effect.CONTINUE: "kept the agent going",
        Effect.FEEDBACK: "told the model",
    }
    return words.get(seen.effect, "did not come so far") if seen.effect else "did not come so far"


def _quoted(text: str) -> str:
    """The first line of a text, shortened."""
    lines = text.strip().splitlines()
    return lines[0][:_LONGEST_QUOTE] if lines else ""
