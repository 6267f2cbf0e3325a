"""Plays the cases of a project to a client, and judges its hooks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, HookSet
from anyhook.model.outcome import Effect
from anyhook.model.problems import Problem
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.prove.clients import driver
from anyhook.prove.installation import Installed
from anyhook.prove.proof.missing_entries import MissingEntry, find_missing_entries, why_no_hook
from anyhook.prove.proof.observe import Observation, PlayReport, is_skipped_in, needs_control, observe
from anyhook.prove.proof.played_cases import OPEN, NotPlayed, PlayedCase
from anyhook.prove.proof.played_outcome import PlayedOutcome, outcome_of
from anyhook.prove.proof.recorded_hooks import RecordedHooks, record_hooks
from anyhook.prove.proof.verdict import HookProof, ProvedHook, judge_hook, what_happened, without_lost_files
from anyhook.prove.report import RunReport
from anyhook.prove.run import ClientRunner
from anyhook.prove.situation import Situation, WrittenFile
from anyhook.prove.workspace import STATE
from anyhook.sources.state import state_folder
from anyhook.trust.signers import signers_file

_SECONDS = 300.0
"""For a client on a machine that has other work to do."""
_OF_ANYHOOK = {"ANYHOOK_DAEMON": "0", "ANYHOOK_JOURNAL": "1", "ANYHOOK_STATE_DIR": None, "XDG_STATE_HOME": None}
"""The anyhook of deployed entries answers in its own process, and keeps its journal where the report looks for it."""


class ClientProof(Struct, frozen=True, kw_only=True):
    """What was proved in one client."""

    client: str
    version: str = ""
    hooks: tuple[HookProof, ...] = ()
    cases: tuple[str, ...] = ()
    """The cases that were played."""
    played: tuple[PlayedOutcome, ...] = ()
    """What came of each."""
    missed: tuple[str, ...] = ()
    """Those that did not have the effect that they expect, whichever hook should have had it; ``played`` says why."""
    missing: tuple[MissingEntry, ...] = ()
    """Hooks of a deployed package that no entry of the client asks."""
    problems: tuple[Problem, ...] = ()
    """Files that the client does not load as they are."""
    not_played: tuple[NotPlayed, ...] = ()
    obstacle: str = ""
    """Why nothing was played, and what still can be done."""


class Proof(Struct, frozen=True, kw_only=True):
    """How to prove the hooks of one project."""

    project: Path
    home: Path
    """The user's home folder: what the user trusts is read there."""
    cases: tuple[PlayedCase, ...]
    not_played: tuple[NotPlayed, ...] = ()
    built_in: tuple[PlayedCase, ...] = ()
    """For hooks on whose event there is no case."""
    user_trust: bool = False
    """Whether the client has the trust that the user gave it, or is told to trust the project."""


def started_in(project: Path, client: str) -> ProjectClient:
    """A client that is started in a project, without the hooks of the user."""
    with tempfile.TemporaryDirectory(prefix="anyhook-prove-") as empty:
        return Project.open(project, home=empty).started(client)


def prove_client(
    runner: ClientRunner, installed: Installed, proof: Proof, on_case: Callable[[], None] = lambda: None
) -> ClientProof:
    """Play every case that the client has an event for."""
    client = installed.client
    started = started_in(proof.project, client)
    hooks = started.hook_set
    recorded = record_hooks(hooks, proof.project)
    cases = cases_for(started, proof)
    known = {case.name: profile(client).events.get(case.event) for case in cases}
    player = _Player(runner, installed, proof, recorded)
    plays = []
    for case in cases:
        if known[case.name]:
            plays.append(player.play(case, _of_event(hooks, case.event)))
        on_case()
    unasked = any(play.seen.by_client and not play.report.hooks_fired for play in plays)
    if unasked and OPEN not in cases and (guards := _of_event(hooks, OPEN.event)):
        plays.append(player.play(OPEN, guards))
    no_event = tuple(
        NotPlayed(case.name, f"{profile(client).title} has no event {case.event}")
        for case in cases
        if not known[case.name]
    )
    judged = _judge(started, recorded, plays)
    causes = {play.case.name: _cause(play, started, judged) for play in plays}
    events = {play.case.event for play in plays}
    missing = find_missing_entries(started)
    return ClientProof(
        client=client,
        version=installed.version,
        hooks=judged,
        cases=tuple(play.case.name for play in plays),
        played=tuple(outcome_of(play, client, causes[play.case.name]) for play in plays),
        missed=tuple(name for name, cause in causes.items() if cause),
        missing=tuple(entry for entry in missing if proof.built_in or entry.event in events),
        problems=lost_files(hooks),
        not_played=(*proof.not_played, *no_event),
    )


def cases_for(started: ProjectClient, proof: Proof) -> tuple[PlayedCase, ...]:
    """The cases of the project, and the built-in ones for hooks that none of them is about."""
    events = {rule.event for rule in started.hook_set.rules} - {case.event for case in proof.cases}
    return (*proof.cases, *(case for case in proof.built_in if case.event in events))


def without_client(client: str, proof: Proof, why: str) -> ClientProof:
    """What is known of a client's hooks without playing anything: which of them it loads."""
    started = started_in(proof.project, client)
    judged = _judge(started, RecordedHooks({}, {}, {}), ())
    return ClientProof(client=client, hooks=judged, problems=lost_files(started.hook_set), obstacle=why)


def _cause(play: PlayReport, started: ProjectClient, judged: Sequence[HookProof]) -> str:
    """Why a case did not have the effect that it expects; empty: it had, or it expects nothing."""
    expected = play.case.expected_in(started.name)
    if expected is None or play.seen.meets(expected):
        return ""
    event = play.case.event
    happened = f"{started.title} {what_happened(play.seen)}"
    if not _of_event(started.hook_set, event):
        return f"{happened}; {why_no_hook(started, event)}"
    spellings = profile(started.name).events[event]
    reasons = [hook.reason for hook in judged if hook.reason and hook.event in spellings]
    others = [reason for reason in reasons if not reason.startswith(f"{play.case.name}: ")]
    return f"{happened}; {others[0]}" if others else happened


def lost_files(hooks: HookSet) -> tuple[Problem, ...]:
    """What loses files of which no hook is known."""
    known = {action.origin.file for rule in hooks.rules for action in rule.actions}
    errors = (problem for problem in hooks.problems if problem.severity is Severity.ERROR)
    return tuple(problem for problem in errors if problem.origin.file not in known)


def _judge(started: ProjectClient, recorded: RecordedHooks, plays: Sequence[PlayReport]) -> tuple[HookProof, ...]:
    proofs = []
    for hook in started.hooks:
        subject = ProvedHook(started.name, started.hook_set, hook.rule, hook.action, recorded.name_of(hook.action))
        proofs.append(judge_hook(subject, plays, hook.text() if hook.behind else hook.summary))
    return without_lost_files(proofs)


def _of_event(hooks: HookSet, event: str) -> list[Action]:
    return [action for rule in hooks.rules if rule.event == event for action in rule.actions]


class _Player:
    """Plays cases to one client; what is the same for several is played once."""

    def __init__(self, runner: ClientRunner, installed: Installed, proof: Proof, recorded: RecordedHooks) -> None:
        self._runner, self._installed, self._proof, self._recorded = runner, installed, proof, recorded
        self._drives = driver(installed.client)
        self._reports: list[tuple[PlayedCase, RunReport]] = []

    def play(self, case: PlayedCase, hooks: Sequence[Action]) -> PlayReport:
        report = with_calls_after(self._recorded_play(case), self._installed.client)
        names = {self._recorded.name_of(hook) for hook in hooks}
        spellings = (None, *profile(self._installed.client).events[case.event])
        calls = (call for call in report.hooks_fired if call.name in names and call.event in spellings)
        report = structs.replace(report, hooks_fired=tuple(calls))
        play = PlayReport(case=case, report=report, seen=self._observe(case, report, unrecorded=None in names))
        if not self._proof.user_trust or play.seen.effect not in (Effect.BLOCK, Effect.CONTINUE):
            return play
        trust = self._drives.trust_in(_texts(self._proof.home, self._drives.trust_files))
        given = {name: WrittenFile(text) for name, text in trust.items()}
        # Without the recorder: a client may trust a hook by its command.
        untrusted = self._runner.play(self._installed, _situation(self._proof, case, trust=given))
        return structs.replace(play, distrusted=is_skipped_in(untrusted, play, self._drives))

    def _observe(self, case: PlayedCase, report: RunReport, *, unrecorded: bool) -> Observation:
        control = None
        if needs_control(case, report, self._drives):
            silent = structs.replace(self._recorded, behaviours={name: {} for name in self._recorded.behaviours})
            control = self._runner.play(self._installed, _situation(self._proof, case, recorded=silent))
        return observe(case, report, self._drives, control, unrecorded=unrecorded)

    def _recorded_play(self, case: PlayedCase) -> RunReport:
        for played, report in self._reports:
            if played == case.situation():
                return report
        report = self._runner.play(self._installed, _situation(self._proof, case, recorded=self._recorded))
        self._reports.append((case.situation(), report))
        return report


def with_calls_after(report: RunReport, client: str) -> RunReport:
    """A report that takes a call for one that ran if hooks were called after it: they may have replaced its result."""
    spellings = profile(client).events.get("PostToolUse", ())
    if len(report.tool_results) != 1 or not any(call.event in spellings for call in report.hooks_fired):
        return report
    [result] = report.tool_results
    return structs.replace(report, tool_results=(structs.replace(result, ran=result.ran is not False),))


def _situation(
    proof: Proof,
    case: PlayedCase,
    *,
    recorded: RecordedHooks | None = None,
    trust: Mapping[str, WrittenFile] | None = None,
) -> Situation:
    return Situation(
        script=case.script,
        prompts=(case.prompt,),
        project=proof.project,
        keeps_path=True,  # the user's trust names it
        files={**case.files, **(recorded.files if recorded else {})},
        home_files={**_anyhook_trust(), **(trust or {})},
        hooks=recorded.behaviours if recorded else {},
        without=case.without,
        environment=_OF_ANYHOOK,
        case_environment=case.environment,
        seconds=_SECONDS,
        trust=trust is None,
    )


def _texts(home: Path, names: Sequence[str]) -> dict[str, str]:
    return {name: (home / name).read_text(encoding="utf-8") for name in names if (home / name).is_file()}


def _anyhook_trust() -> dict[str, WrittenFile]:
    """What the user has approved and whose signatures count, for the anyhook that deployed entries call."""
    folder, signers = state_folder(), signers_file()
    places = {path: f"{STATE}/{path.relative_to(folder).as_posix()}" for path in sorted(folder.glob("trust/*/*"))}
    places |= {signers: ".config/anyhook/allowed_signers"} if signers.is_file() else {}
    return {place: WrittenFile(path.read_text(encoding="utf-8"), 0o600) for path, place in places.items()}
