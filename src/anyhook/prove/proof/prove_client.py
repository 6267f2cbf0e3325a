"""Plays the cases of a project to a client, and judges its hooks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from anyhook.bridge.entries.hooks_behind import asked_text, hooks_behind
from anyhook.bridge.entries.one_entry import leave_to_one_entry
from anyhook.dialects import profile
from anyhook.engine.reach import mark_unreachable
from anyhook.model.hooks import Action, HookSet
from anyhook.model.outcome import Effect
from anyhook.model.problems import Problem
from anyhook.prove.clients import driver
from anyhook.prove.installation import Installed
from anyhook.prove.proof.observe import observe
from anyhook.prove.proof.played_cases import NotPlayed, PlayedCase
from anyhook.prove.proof.played_outcome import PlayedOutcome, outcome_of
from anyhook.prove.proof.recorded_hooks import RecordedHooks, record_hooks
from anyhook.prove.proof.verdict import HookProof, PlayReport, ProvedHook, judge_hook
from anyhook.prove.report import RunReport
from anyhook.prove.run import ClientRunner
from anyhook.prove.situation import Situation, WrittenFile
from anyhook.prove.workspace import STATE
from anyhook.sources.discover import roots_for
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.state import state_folder

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
    """Those that did not have the effect that they expect, whichever hook should have had it."""
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


def hooks_of_project(client: str, project: Path) -> HookSet:
    """The hooks that a client has in a project, without those of the user, each with its fate."""
    with tempfile.TemporaryDirectory(prefix="anyhook-prove-") as empty:
        hooks = hooks_for_project(client, roots_for(project, Path(empty)))
    return mark_unreachable(leave_to_one_entry(hooks), known_tools_only=True)


def prove_client(
    runner: ClientRunner, installed: Installed, proof: Proof, on_case: Callable[[], None] = lambda: None
) -> ClientProof:
    """Play every case that the client has an event for."""
    client = installed.client
    hooks = hooks_of_project(client, proof.project)
    recorded = record_hooks(hooks, proof.project)
    cases = cases_for(hooks, proof)
    known = {case.name: profile(client).events.get(case.event) for case in cases}
    player = _Player(runner, installed, proof, recorded)
    plays = []
    for case in cases:
        if known[case.name]:
            plays.append(player.play(case, _of_event(hooks, case.event)))
        on_case()
    no_event = tuple(
        NotPlayed(case.name, f"{profile(client).title} has no event {case.event}")
        for case in cases
        if not known[case.name]
    )
    return ClientProof(
        client=client,
        version=installed.version,
        hooks=_judge(client, hooks, recorded, plays, proof.project),
        cases=tuple(play.case.name for play in plays),
        played=tuple(outcome_of(play.case, play.report, driver(client), client) for play in plays),
        missed=tuple(play.case.name for play in plays if _is_missed(play, client)),
        problems=_lost_files(hooks),
        not_played=(*proof.not_played, *no_event),
    )


def cases_for(hooks: HookSet, proof: Proof) -> tuple[PlayedCase, ...]:
    """The cases of the project, and the built-in ones for hooks that none of them is about."""
    events = {rule.event for rule in hooks.rules} - {case.event for case in proof.cases}
    return (*proof.cases, *(case for case in proof.built_in if case.event in events))


def without_client(client: str, proof: Proof, why: str) -> ClientProof:
    """What is known of a client's hooks without playing anything: which of them it loads."""
    hooks = hooks_of_project(client, proof.project)
    judged = _judge(client, hooks, RecordedHooks({}, {}, {}), (), proof.project)
    return ClientProof(client=client, hooks=judged, problems=_lost_files(hooks), obstacle=why)


def _is_missed(play: PlayReport, client: str) -> bool:
    expected = play.case.expected_in(client)
    return expected is not None and not observe(play.case, play.report, driver(client)).meets(expected)


def _lost_files(hooks: HookSet) -> tuple[Problem, ...]:
    """What is wrong with files of which no hook is known."""
    known = {action.origin.file for rule in hooks.rules for action in rule.actions}
    return tuple(problem for problem in hooks.problems if problem.origin.file not in known)


def _judge(
    client: str, hooks: HookSet, recorded: RecordedHooks, plays: Sequence[PlayReport], project: Path
) -> tuple[HookProof, ...]:
    proofs = []
    for rule in hooks.rules:
        for action in rule.actions:
            behind = [hook.summary() for _, hook in hooks_behind(action, client, rule.event, project)]
            subject = ProvedHook(client, hooks, rule, action, recorded.name_of(action), driver(client))
            proofs.append(judge_hook(subject, plays, asked_text(behind) if behind else action.summary()))
    return tuple(proofs)


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
        seen = observe(case, report, self._drives)
        if not self._proof.user_trust or seen.effect not in (Effect.BLOCK, Effect.CONTINUE):
            return PlayReport(case, report)
        trust = self._drives.trust_in(_texts(self._proof.home, self._drives.trust_files))
        given = {name: WrittenFile(text) for name, text in trust.items()}
        # Without the recorder: a client may trust a hook by its command.
        untrusted = self._runner.play(self._installed, _situation(self._proof, case, trust=given))
        return PlayReport(case, report, untrusted)

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
    """The packages that the user trusts, for the anyhook that deployed entries call."""
    folder = state_folder()
    return {
        f"{STATE}/{path.relative_to(folder).as_posix()}": WrittenFile(path.read_text(encoding="utf-8"), 0o600)
        for path in sorted(folder.glob("trust/*/trust.json"))
    }
