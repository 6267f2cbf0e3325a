"""The matrix: every case of a suite under every client's rules, and why a client comes to another effect.

A case is played in two ways. Natively: its group is converted to the client's terms, its payload is written in the
client's own spelling with its names for tools and their inputs, and the hooks really run, once for each client.
Deployed: the client asks anyhook, which runs the hooks by the rules that they are written for (``anyhook deploy``).
"""

from __future__ import annotations

import asyncio
import enum
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import NAMES
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.clients import OWN
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.lint.disk import Disk
from anyhook.model.hooks import Action, Command
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.problems import Problem
from anyhook.shell.written import read_text
from anyhook.testing.cases.cases import BrokenCase, Case, Suite
from anyhook.testing.matrix.bridged import play_deployed
from anyhook.testing.matrix.carrying import Carried, Missing, carry_over
from anyhook.testing.matrix.comparison import ClientRun
from anyhook.testing.matrix.payloads import ScriptFacts
from anyhook.testing.matrix.reasons import consequence, explain_difference
from anyhook.testing.matrix.unheard import unheard, unheard_when_deployed
from anyhook.testing.runner import Runner, Trial


class CellStatus(enum.StrEnum):
    """How a cell compares with the effect that the case is about."""

    SAME = "same"
    KNOWN = "known difference"
    UNKNOWN = "unknown difference"
    STALE = "no longer differs"
    UNPLAYED = "could not run"

    @property
    def fails(self) -> bool:
        return self in (CellStatus.UNKNOWN, CellStatus.STALE, CellStatus.UNPLAYED)


class Cell(Struct, frozen=True, kw_only=True):
    """One case under one client's rules."""

    client: str
    effect: Effect | None = None
    """What happens, in the way that is compared; None: not known, because the case could not run."""
    native: Effect | None = None
    """What happens with the converted hook."""
    deployed: Effect | None = None
    """What happens when the client asks anyhook; None: not known, or this is the client that the hooks are for."""
    native_reason: str = ""
    """Why the converted hook has another effect than the deployed one, which is compared."""
    missing: Missing | None = None
    status: CellStatus = CellStatus.SAME
    reason: str = ""
    """Why the effect differs, in words."""
    tool_runs: bool | None = None
    """Whether the tool runs that waits for the event, in the way that is compared; None: a person decides, or no tool
    waits for it."""
    unheard: tuple[str, ...] = ()
    """What is lost though the effect is the same: context, a new input, a tool that runs before the turn ends."""
    losses: tuple[str, ...] = ()
    """What the hook lost when it was converted to the client's terms."""
    outcome: Outcome | None = None


class Row(Struct, frozen=True, kw_only=True):
    """One case under all clients' rules."""

    case: Case
    client: str
    """The client that the hooks are written for."""
    effect: Effect | None
    """The effect that the others are compared with: the one that the case expects, or its own client's."""
    cells: tuple[Cell, ...]

    def cell(self, client: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.client == client), None)


class BrokenRow(Struct, frozen=True):
    """A case that cannot be played at all, and why."""

    case: Case | BrokenCase
    problems: tuple[Problem, ...]


class Matrix(Struct, frozen=True, kw_only=True):
    """All cases under all clients' rules."""

    root: Path
    clients: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    broken: tuple[BrokenRow, ...] = ()

    def count(self, *statuses: CellStatus) -> int:
        return sum(cell.status in statuses for row in self.rows for cell in row.cells)

    @property
    def could_not_run(self) -> bool:
        return bool(self.broken) or self.count(CellStatus.UNPLAYED) > 0

    @property
    def differs(self) -> bool:
        """Whether anything is not as the cases say."""
        return self.count(CellStatus.UNKNOWN, CellStatus.STALE) > 0


def default_clients() -> tuple[str, ...]:
    """The real clients: those that were recorded or are documented."""
    profiles = [profile_of(name) for name in NAMES]
    return tuple(facts.name for facts in profiles if facts.basis != "specified" and facts.runs_hooks)


def play_matrix(
    suite: Suite,
    cases: Sequence[Case | BrokenCase],
    clients: Sequence[str] = (),
    *,
    client: str | None = None,
    jobs: int | None = None,
    native: bool = False,
    on_end: Callable[[], None] = lambda: None,
) -> Matrix:
    """Play these cases under the rules of these clients, and of those that the hooks are written for.

    ``client`` is whose hooks are tested by cases that do not say so, where the package has several clients'. Universal
    hooks reach a client only by ``anyhook deploy``: they are compared as deployed, unless ``native``. The hooks of a
    client's own file are compared natively. ``on_end`` is called after each cell.
    """
    with Runner(suite, client=client) as runner:
        playing = _Playing(runner, clients or default_clients(), jobs, native, on_end)
        return asyncio.run(playing.matrix(cases))


class _Attempt(Struct, frozen=True, kw_only=True):
    """A cell before it is compared with the others of its row."""

    client: str
    side: ClientRun | None = None
    missing: Missing | None = None
    why: str = ""
    losses: tuple[str, ...] = ()
    bridged: Outcome | None = None
    """What the client does when it asks anyhook."""
    hooks: Outcome | None = None
    """What the hooks then did, by their own rules; None: none of them ran."""
    heard: str = ""
    """The tool that the call was about, as the hooks then knew it."""
    compares_bridged: bool = False

    @property
    def is_bridged(self) -> bool:
        """Whether the deployed effect is the one that is compared with the others of the row."""
        return self.bridged is not None and self.compares_bridged

    @property
    def compared(self) -> Effect | None:
        """The effect that is compared with the others of the row."""
        return self.bridged.effect if self.bridged and self.is_bridged else self.effect

    @property
    def tool_runs(self) -> bool | None:
        """Whether the tool runs, in the way that is compared."""
        outcome = self.bridged if self.is_bridged else self.side.outcome if self.side else None
        return None if outcome is None else outcome.tool_runs

    @property
    def effect(self) -> Effect | None:
        """A hook that a client does not run holds nothing back."""
        if self.side is not None:
            return self.side.effect
        return None if self.missing is Missing.RESULT else Effect.PROCEED


class _Playing:
    """The work on one matrix: all of its cells are played with the same few processes at a time."""

    def __init__(
        self, runner: Runner, clients: Sequence[str], jobs: int | None, native: bool, on_end: Callable[[], None]
    ) -> None:
        self.runner, self.clients = runner, tuple(dict.fromkeys(clients))
        self.native, self.on_end = native, on_end
        self.disk = Disk()
        self.gate = asyncio.Semaphore(jobs or os.cpu_count() or 1)

    async def matrix(self, cases: Sequence[Case | BrokenCase]) -> Matrix:
        played = await asyncio.gather(*(self._row(case) for case in cases))
        rows = tuple(row for row in played if isinstance(row, Row))
        own = tuple(dict.fromkeys(row.client for row in rows))
        clients = (*own, *(name for name in self.clients if name not in own))
        broken = tuple(row for row in played if isinstance(row, BrokenRow))
        return Matrix(root=self.runner.suite.root, clients=clients, rows=rows, broken=broken)

    async def _row(self, case: Case | BrokenCase) -> Row | BrokenRow:
        if isinstance(case, BrokenCase):
            return BrokenRow(case, case.problems)
        async with self.gate:
            trial = self.runner.prepare(case)
            if isinstance(trial, Problem):
                return BrokenRow(case, (trial,))
            own = await self._play(trial)
            self.on_end()
        others = [name for name in self.clients if name != trial.client]
        replies = _Replies(self, trial, own)
        attempts = await asyncio.gather(*(self._elsewhere(trial, name, replies) for name in others))
        return _row(trial, (own, *attempts), code_of(trial, self.disk))

    async def _elsewhere(self, trial: Trial, client: str, replies: _Replies) -> _Attempt:
        attempt = await self._native(trial, client)
        if not self.native:
            deployed = await play_deployed(trial, client, replies.run)
            if deployed.outcome is not None:
                attempt = structs.replace(
                    attempt,
                    bridged=deployed.outcome,
                    hooks=deployed.asked,
                    heard=deployed.heard,
                    compares_bridged=trial.client == OWN,
                )
        self.on_end()
        return attempt

    async def _native(self, trial: Trial, client: str) -> _Attempt:
        async with self.gate:
            # A case in a sandbox gets a copy of the package for each client.
            again = self.runner.prepare(trial.case) if trial.case.sandbox else trial
            carried = carry_over(again if isinstance(again, Trial) else trial, client)
            if isinstance(carried, Carried):
                return await self._play(carried.trial, carried.losses)
        return _Attempt(client=client, missing=carried.missing, why=carried.why, losses=carried.losses)

    async def _play(self, trial: Trial, losses: tuple[str, ...] = ()) -> _Attempt:
        played = await self.runner.play(trial)
        if played.outcome is None:
            why = f"not finished after {trial.case.seconds:g} s"
            return _Attempt(client=trial.client, missing=Missing.RESULT, why=why, losses=losses)
        return _Attempt(client=trial.client, side=_side(trial, played.outcome), losses=losses)


class _Replies:
    """The outcomes of one case's hooks by their own rules, each payload played once: most clients lead to the same."""

    def __init__(self, playing: _Playing, trial: Trial, own: _Attempt) -> None:
        self.playing = playing
        self.known: dict[bytes, asyncio.Future[Outcome | None]] = {}
        first: asyncio.Future[Outcome | None] = asyncio.get_running_loop().create_future()
        first.set_result(own.side.outcome if own.side else None)
        self.known[_key(trial)] = first

    async def run(self, trial: Trial) -> Outcome | None:
        key = _key(trial)
        if key not in self.known:
            self.known[key] = asyncio.ensure_future(self._play(trial))
        return await self.known[key]

    async def _play(self, trial: Trial) -> Outcome | None:
        async with self.playing.gate:
            return (await self.playing.runner.play(trial)).outcome


def _key(trial: Trial) -> bytes:
    return dump_json(encode_payload(bind_rule(profile_of(trial.client), trial.rule), trial.payload))


def _side(trial: Trial, outcome: Outcome) -> ClientRun:
    bound = bind_rule(profile_of(trial.client), trial.rule)
    return ClientRun(
        bound=bound,
        rules=trial.rules,
        payload=trial.payload,
        given=encode_payload(bound, trial.payload),
        outcome=outcome,
    )


# ------------------------------------------------------------------------------------------------------- comparing


def _row(trial: Trial, attempts: Sequence[_Attempt], code: ScriptFacts) -> Row:
    own = attempts[0]
    effect = trial.case.expected.effect or own.effect
    cells = tuple(_cell(trial.case, effect, own, attempt, code) for attempt in attempts)
    return Row(case=trial.case, client=trial.client, effect=effect, cells=cells)


def _cell(case: Case, effect: Effect | None, own: _Attempt, attempt: _Attempt, code: ScriptFacts) -> Cell:
    client, in_release, _ = attempt.client.partition("@")  # a case states what a client does, not its releases
    both = case.expected.stated(client)
    stated = both.deployed if attempt.is_bridged else both.native
    compared, native_reason = attempt.compared, ""
    status = compare_effects(effect, compared, stated)
    if status is CellStatus.STALE and (in_release or stated is both.native is attempt.effect):
        status = CellStatus.SAME  # it is stated of the newest release, or of the converted hook
    reason = ""
    less: tuple[str, ...] = ()
    if compared is not effect or compared is None:
        reason = _reason(case, own, attempt, code)
    elif attempt.effect is not effect:
        # A hook that cannot be converted is not deployed natively: there is nothing to compare.
        native_reason = "" if attempt.missing is Missing.HOOK else _native_reason(case, own, attempt, code)
    elif own.side is not None and attempt.bridged is not None and attempt.compares_bridged:
        less = unheard_when_deployed(own.side.outcome, attempt.bridged)
    elif own.side is not None and attempt.side is not None and attempt is not own:
        less = unheard(own.side, attempt.side, code)
    if status is CellStatus.STALE:
        reason = f"the case says {stated}, and it is {compared} now"
    return Cell(
        client=attempt.client,
        effect=compared,
        native=attempt.effect,
        deployed=attempt.bridged.effect if attempt.bridged else None,
        native_reason=native_reason,
        missing=None if attempt.is_bridged else attempt.missing,
        status=status,
        reason=reason,
        tool_runs=attempt.tool_runs,
        unheard=less,
        losses=attempt.losses,
        outcome=attempt.side.outcome if attempt.side else None,
    )


def compare_effects(wanted: Effect | None, effect: Effect | None, stated: Effect | None) -> CellStatus:
    """How an effect compares with the one that the case is about; ``stated`` is what the case says of this client."""
    if effect is None or wanted is None:
        return CellStatus.UNPLAYED
    if effect is wanted:
        return CellStatus.SAME if stated in (None, effect) else CellStatus.STALE
    return CellStatus.KNOWN if stated is effect else CellStatus.UNKNOWN


def _reason(case: Case, own: _Attempt, attempt: _Attempt, code: ScriptFacts) -> str:
    """Why the effect that is compared is not the expected one."""
    if attempt.bridged is None or not attempt.compares_bridged or own.side is None:
        return _native_reason(case, own, attempt, code)
    if own.effect is attempt.bridged.effect:
        return f"as in {own.side.bound.title}: the case expects {case.expected.effect}"
    after = consequence(own.side.bound.event, attempt.bridged.effect, attempt.bridged.tool_runs)
    return f"{_deployed_cause(own.side, attempt)}, {after}"


def _deployed_cause(own: ClientRun, attempt: _Attempt) -> str:
    """Why the client that asks comes to another effect: what the hooks did, or what can be answered."""
    assert attempt.bridged is not None
    title = profile_of(attempt.client).title
    if attempt.hooks is None and own.outcome.runs:
        what = f"as one of {attempt.heard}" if attempt.heard else "in another form"
        return f"the call of {title} reaches the hooks {what}, and none of them matches"
    if attempt.hooks is not None and not own.outcome.runs:
        return f"the call of {title} reaches the hooks as one of {attempt.heard}, and a hook matches"
    if attempt.hooks is not None and attempt.hooks.effect is not own.effect:
        return f"the hook does something else with what {title} sends ({attempt.hooks.effect})"
    if own.effect is Effect.PROCEED:
        return f"hooks can block {attempt.bridged.native_event}"
    return f"no reply to {attempt.bridged.native_event} can say {own.effect}"


def _native_reason(case: Case, own: _Attempt, attempt: _Attempt, code: ScriptFacts) -> str:
    if attempt.side is None:
        if attempt.effect is None or own.side is None:
            return attempt.why
        return f"{attempt.why}, {consequence(own.side.bound.event, attempt.effect)}"
    if attempt is own or own.side is None:
        return f"the case expects {case.expected.effect}"
    if own.effect is attempt.effect:
        return f"as in {own.side.bound.title}: the case expects {case.expected.effect}"
    return explain_difference(own.side, attempt.side, code)


# --------------------------------------------------------------------------------------------------- what scripts say


def code_of(trial: Trial, disk: Disk) -> ScriptFacts:
    """The scripts of the package that a trial's commands start, and the variables that its case sets for them."""
    texts = (disk.text(path) for action in trial.actions for path in _scripts_of(action, trial.root))
    return ScriptFacts("\n".join(filter(None, texts)), frozenset(trial.case.folder.config.env))


def _scripts_of(action: Action, root: Path) -> Iterator[Path]:
    for command in action.commands() if isinstance(action, Command) else ():
        for script in read_text(command).scripts():
            # Whatever a path starts from (PACKAGE_ROOT, CLAUDE_PROJECT_DIR ...), it is the package here.
            yield root / re.sub(r"^\$\{?\w+\}?/", "", script.path)
