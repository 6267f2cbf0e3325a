"""The columns configured, loaded, fired and effect for each hook, with the reason where one is no. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from anyhook.bridge.entries.command_entries import is_bridge
from anyhook.dialects import profile
from anyhook.dialects.events import find_event
from anyhook.engine.plan import PlanStatus, plan_event
from anyhook.model.hooks import Action, Command, FateState, HookSet, Rule
from anyhook.model.outcome import Effect
from anyhook.model.payload import ToolPayload
from anyhook.prove.driver import Driver
from anyhook.prove.proof.observe import Observation, observe, refusal_of, words_of
from anyhook.prove.proof.played_cases import PlayedCase
from anyhook.prove.proof.said import Said, has_reached, said_by
from anyhook.prove.report import HookCall, RunReport
from anyhook.testing.scaffold.example_events import make_payload

_NOT_EXECUTABLE, _NOT_FOUND = 126, 127
_LONGEST_QUOTE = 200
_HOOK = re.compile(r"(?<![\w/.-])hooks?\b", re.IGNORECASE)


class PlayReport(Struct, frozen=True):
    """A case and what a client showed."""

    case: PlayedCase
    report: RunReport
    untrusted: RunReport | None = None
    """The same without telling the client to trust the project, with the trust that the user gave."""


class HookProof(Struct, frozen=True, kw_only=True):
    """One hook in one client."""

    client: str
    event: str
    matcher: str | None
    hook: str
    file: str
    line: int
    loaded: bool | None = None
    fired: bool | None = None
    """None: no case played its event, or its kind cannot be seen firing."""
    calls: int = 0
    effect: bool | None = None
    """Whether every case of its event had the expected effect, and the model got what the hook says; None: no case says
    what to expect, and the hook says nothing."""
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
    driver: Driver

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

    def is_distrusted(self, play: PlayReport) -> bool:
        """Whether the case ends otherwise with the trust that the user gave: the client skips the hook then."""
        trusted, untrusted = play.report, play.untrusted
        return untrusted is not None and self._observed(play, untrusted) != self._observed(play, trusted)

    def _observed(self, play: PlayReport, report: RunReport) -> Observation:
        return observe(play.case, report, self.driver)

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
        if self.is_distrusted(play) or any(map(self._was_not_asked, self.calls_in(play.report))):
            return True
        if any(reached is False for _, reached in self.said_in(play)):
            return True
        seen = self._observed(play, play.report)
        expected = play.case.expected_in(self.client)
        if expected is not None:
            return not seen.meets(expected)
        return seen.effect is Effect.PROCEED and any(map(refusal_of, self.calls_in(play.report)))


def judge_hook(subject: ProvedHook, plays: Sequence[PlayReport], shown: str) -> HookProof:
    """The proof of one hook; ``shown`` is how people know it."""
    rule, action = subject.rule, subject.action
    plays = [play for play in plays if play.case.event == rule.event]
    calls = [call for play in plays for call in subject.calls_in(play.report)]
    distrusted = any(map(subject.is_distrusted, plays))
    fired = None if not plays or subject.name is None else bool(calls) and not distrusted
    failed = any(map(subject.is_missed, plays))
    has_said = any(map(subject.said_in, plays))
    expects = any(play.case.expected_in(subject.client) is not None for play in plays)
    effect = _effect(
        fired,
        is_judged=expects or has_said or any(map(refusal_of, calls)),
        failed=failed,
        is_shadowed=subject.is_shadowed,
    )
    unseen = effect is True and any(map(subject.is_unseen, plays))
    return HookProof(
        client=subject.client,
        event=rule.native_event,
        matcher=rule.matcher,
        hook=shown,
        file=action.origin.file,
        line=action.origin.line,
        loaded=True if calls else not subject.is_lost,
        fired=fired,
        calls=0 if distrusted else len(calls),
        effect=None if unseen else effect,
        unseen=unseen,
        reason=next(_reasons(subject, plays), "") if failed or fired is False or unseen or subject.is_lost else "",
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
    for play in sorted(plays, key=subject.is_missed, reverse=True):
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
    if subject.is_distrusted(play):
        return f"{subject.title} does not trust it: {'; '.join(profile(subject.client).setup)}"
    for lost in (said.text for said, reached in subject.said_in(play) if reached is False):
        return f"{play.case.name}: {subject.title} did not give the model what the hook said: {_quoted(lost)}"
    seen = observe(play.case, play.report, subject.driver)
    said = next((_quoted(words) for call in calls if (words := words_of(call))), "")
    return f"{play.case.name}: {subject.title} {_done(seen)}; the hook {f'said: {said}' if said else 'said nothing'}"


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
    event = find_event(subject.rule.event)
    if event is not None:
        payload = make_payload(event, {"session_id": "session-1", "cwd": ".", **play.case.fields}, subject.client)
        tool = payload.tool_name if isinstance(payload, ToolPayload) else None
        plan = plan_event(subject.hooks, profile(subject.client), event.name, tool, payload)
        for planned in plan.hooks:
            if planned.action.origin == subject.action.origin and planned.verdict is PlanStatus.SKIPPED:
                yield planned.why
    about = next(_words_about_hooks(play.report), "")
    yield f"{subject.title} did not call it{f': {_quoted(about)}' if about else ''}"


def _words_about_hooks(report: RunReport) -> Iterator[str]:
    """What the client itself says about hooks: warnings before the rest."""
    lines = [line for line in (*report.stderr.splitlines(), *report.log) if _HOOK.search(line)]
    yield from (line for line in lines if any(word in line.lower() for word in ("warn", "error", "fail", "invalid")))


def _done(seen: Observation) -> str:
    if seen.by_client:
        return "refused it by its own rules"
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
