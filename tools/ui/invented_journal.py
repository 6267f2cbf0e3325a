"""A journal of sessions that never happened: for the picture in the documentation, benchmarks and tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from anyhook.model.outcome import Effect, Status
from anyhook.record.append import iso_time
from anyhook.record.recorded import SKIPPED, Happened, HookRecord, RecordedEvent
from anyhook.record.store.database import JournalDatabase

TURNS = 4
"""Of each session."""
BATCH_ROWS = 1000
_CALLS = (
    ("Read", {"file_path": "src/cart.ts"}),
    ("Bash", {"command": "npm test -- cart"}),
    ("Edit", {"file_path": "src/cart.ts", "old_string": "total", "new_string": "sum"}),
    ("Bash", {"command": "git push --force origin main"}),
    ("Bash", {"command": "git status"}),
)
_CLIENTS = (("claude-code", "2.1.0"), ("codex", "0.147.0"), ("gemini-cli", "0.20.0"))
_REASON = "the history of main would be lost; push to a branch of your own"


def invented_rows(number: int, package: Path, end: float) -> Iterator[RecordedEvent]:
    """So many events, the last of which happened at this time. The same ones in every run."""
    dice = random.Random(7)
    at = datetime.fromtimestamp(end) - timedelta(seconds=4 * number)
    rows = islice(_events(dice, package), number)
    for count, (event, hooks, outcome, payload, session) in enumerate(rows):
        at += timedelta(seconds=4)
        client, release = _CLIENTS[session % len(_CLIENTS)]
        yield RecordedEvent(
            id=f"{count:024x}",
            at=iso_time(at.timestamp()),
            client=client,
            release=release,
            event=event,
            canonical=event,
            session=f"{session:04d}a7e2-5b1c-4e02-9d3f-77c0a1e2{session:04d}",
            tool=str(payload.get("tool_name", "")),
            subject=_subject(payload),
            project=str(package),
            via="daemon",
            outcome=outcome,
            hooks=hooks,
            ms=round(sum(hook.ms for hook in hooks) + dice.uniform(0.4, 2), 3),
            bytes_in=len(str(payload)),
            bytes_out=0 if outcome.effect is Effect.PROCEED else 180,
            payload=payload,
        )


def _events(
    dice: random.Random, package: Path
) -> Iterator[tuple[str, tuple[HookRecord, ...], Happened, dict[str, object], int]]:
    proceed = Happened(Effect.PROCEED)
    session = 0
    while True:
        session += 1
        yield "SessionStart", (_hook(dice, package, "context.py", 5, 60),), proceed, {"source": "startup"}, session
        for turn in range(TURNS):
            yield "UserPromptSubmit", (), proceed, {"prompt": f"make the cart of step {turn + 1} faster"}, session
            for tool, given in _CALLS:
                call: dict[str, object] = {"tool_name": tool, "tool_input": given}
                is_blocked = "--force" in str(given) and turn == 1
                yield "PreToolUse", _guards(dice, package, is_blocked), _outcome(package, is_blocked), call, session
                if not is_blocked:
                    hooks = (_hook(dice, package, "format.sh", 21, 900),) if tool == "Edit" else ()
                    yield "PostToolUse", hooks, proceed, {**call, "tool_response": "done"}, session
            effect = Happened(Effect.CONTINUE, "two tests fail: cart, checkout") if turn == 2 else proceed
            yield "Stop", (_hook(dice, package, "tests.sh", 29, 9000),), effect, {"stop_hook_active": False}, session
        yield "SessionEnd", (), proceed, {"reason": "exit"}, session


def _subject(payload: dict[str, object]) -> str:
    given = payload.get("tool_input", payload)
    first = next(iter(given.values())) if isinstance(given, dict) else ""
    return first if isinstance(first, str) else ""


def _guards(dice: random.Random, package: Path, is_blocked: bool) -> tuple[HookRecord, ...]:
    status = Status.BLOCKED if is_blocked else Status.ALLOWED
    secrets = Status.FAILED_OPEN if dice.random() < 0.02 else Status.ALLOWED
    return (
        _hook(dice, package, "guard.sh", 9, 40, status, _REASON if is_blocked else ""),
        _hook(dice, package, "secrets.py", 13, 120, secrets, "exit status 1" if secrets is not Status.ALLOWED else ""),
        HookRecord(
            hook="review.py", file=str(package / "hooks" / "hooks.json"), line=17, pointer="/hooks/review.py",
            status=SKIPPED, reason='the matcher "Write" does not match',
        ),
    )  # fmt: skip


def _hook(
    dice: random.Random, package: Path, name: str, line: int, ms: float, status: Status = Status.ALLOWED, why: str = ""
) -> HookRecord:
    return HookRecord(
        hook=f"${{PACKAGE_ROOT}}/hooks/{name}",
        file=str(package / "hooks" / "hooks.json"),
        line=line,
        pointer=f"/hooks/{name}",
        status=status.value,
        reason=why,
        ms=round(dice.uniform(0.3, 1.4) * ms, 3),
    )


def _outcome(package: Path, is_blocked: bool) -> Happened:
    if not is_blocked:
        return Happened(Effect.PROCEED)
    return Happened(Effect.BLOCK, _REASON, decided_by=f"{package}/hooks/hooks.json:9")


def fill_journal(folder: Path, rows: Iterator[RecordedEvent]) -> int:
    """Store rows, and return how many."""
    total = 0
    with JournalDatabase(folder) as database:
        while batch := list(islice(rows, BATCH_ROWS)):
            total += database.add(batch)
    return total
