"""Compares what a hook did with what its case expects. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from anyhook.model.lazyjson import dump_json, load_json
from anyhook.model.outcome import Outcome, Run, Status
from anyhook.testing.cases.cases import Case

MAX_QUOTED_LENGTH = 300
"""Characters of a value that a message quotes at most."""


class Mismatch(Struct, frozen=True):
    """One path at which JSON differs from what was expected."""

    path: str
    """Dotted; empty: the whole value."""
    expected: Any
    actual: Any | UnsetType
    """UNSET: the path does not exist."""

    @property
    def shown(self) -> str:
        """The actual value, in one line."""
        return "nothing" if self.actual is UNSET else show_value(self.actual)

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{where}expected {show_value(self.expected)}, got {self.shown}"


class Failure(Struct, frozen=True, kw_only=True):
    """One expectation that was not met."""

    key: str
    """The key of the case that states it: ``expected.exit-code``."""
    text: str
    line: int
    """Where in the case's file."""
    expected: Any = None
    actual: Any = None
    differences: tuple[Mismatch, ...] = ()
    """For JSON: every path that differs."""


def judge(case: Case, outcome: Outcome, run: Run | None, why_not: str, prompts: Sequence[str]) -> tuple[Failure, ...]:
    """Every expectation of the case that an outcome does not meet.

    ``run`` is the action that the assertions look at; None when it did not run, and ``why_not`` says why.
    """
    return tuple(_Judgement(case, outcome, prompts).failures(run, why_not))


def describe_failure(run: Run) -> str:
    """How a hook failed, and what the last line on stderr says of it."""
    if run.status is Status.TIMED_OUT:
        return "the hook timed out"
    code = f" (exit code {run.exit_code})" if run.exit_code else ""
    why = run.stderr.strip().rpartition("\n")[2] or ("" if code else run.reason)
    return f"the hook failed{code}" + (f": {why[:MAX_QUOTED_LENGTH]}" if why else "")


def show_value(value: Any) -> str:
    """A value as JSON in one line, cut when it is long."""
    text = dump_json(value).decode()
    return text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}…"


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[Mismatch]:
    """Where ``actual`` lacks something of ``expected``. Objects may have more keys; lists have the same length."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key, value in expected.items():
            yield from differences(value, actual.get(key, UNSET), f"{path}.{key}" if path else str(key))
    elif isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
            yield from differences(one, other, f"{path}.{index}" if path else str(index))
    elif not _is_same(expected, actual):
        yield Mismatch(path, expected, actual)


def _is_same(expected: Any, actual: Any) -> bool:
    """Equality as JSON has it: true is not 1."""
    return isinstance(expected, bool) == isinstance(actual, bool) and bool(expected == actual)


class _Judgement:
    def __init__(self, case: Case, outcome: Outcome, prompts: Sequence[str]) -> None:
        self.case, self.expected = case, case.expected
        self.outcome, self.prompts = outcome, prompts

    def failures(self, run: Run | None, why_not: str) -> Iterator[Failure]:
        if self.expected.matched is False:
            if run is not None:
                text = (
                    f"{run.summary} ran, but the case says that no hook matches"
                    if self.case.is_whole_event
                    else "the hook ran, but the case says that its group does not match"
                )
                yield self._failure("matched", text, False, True)
        elif run is None:
            what = "no hook ran" if self.case.is_whole_event else "the hook did not run"
            yield self._failure("matched", f"{what}: {why_not}", True, False)
            return  # every other expectation fails for the same reason
        if run is not None:
            yield from self._of_run(run)
            yield from self._of_output(run)
        yield from self._of_other_actions(run)
        if self.prompts or run is not None:
            yield from self._missing("prompt-contains", "the prompt", self.expected.prompt_contains, self.prompts)
        yield from self._of_effect()

    def _of_run(self, run: Run) -> Iterator[Failure]:
        expected = self.expected.exit_code
        if expected is not None and run.exit_code != expected:
            ended = _how_it_ended(run)
            yield self._failure("exit-code", f"exit code: expected {expected}, got {ended}", expected, run.exit_code)
        elif self.expected.status is not None:
            if run.status is not self.expected.status:
                text = f"status: expected {self.expected.status}, got {run.status}"
                yield self._failure("status", text, self.expected.status, run.status)
        elif run.status.is_failure and not expected:  # another exit code than 0 names the failure
            yield self._failure("", f"{describe_failure(run)} (if intended: expected.status: {run.status})")

    def _of_other_actions(self, run: Run | None) -> Iterator[Failure]:
        """A failed hook of the same group, unless the case is about one action only."""
        if self.case.action_index is None:
            for number, other in enumerate(self.outcome.runs):
                if other is not run and other.status.is_failure:
                    yield self._failure("", f"action {number}, {other.summary}: {describe_failure(other)}")

    def _of_output(self, run: Run) -> Iterator[Failure]:
        runs = self.outcome.runs if self.case.is_whole_event else (run,)
        stdout, stderr = [each.stdout for each in runs], [each.stderr for each in runs]
        yield from self._missing("stdout-contains", "stdout", self.expected.stdout_contains, stdout)
        yield from self._missing("stderr-contains", "stderr", self.expected.stderr_contains, stderr)
        if self.expected.stdout_json is not UNSET:
            yield from self._of_json(run.stdout)
        for stream, printed in (("stdout", "\n".join(stdout)), ("stderr", "\n".join(stderr))):
            for text in self.expected.not_contains:
                if text in printed:
                    yield self._failure("not-contains", f"{stream} has {show_value(text)}, and must not", text, printed)

    def _missing(self, key: str, stream: str, texts: Sequence[str], printed: Sequence[str]) -> Iterator[Failure]:
        whole = "\n".join(printed)
        for text in texts:
            if text not in whole:
                has = "" if whole.strip() else f": {stream} is empty"
                yield self._failure(key, f"{stream} does not have {show_value(text)}{has}", text, whole)

    def _of_json(self, stdout: str) -> Iterator[Failure]:
        expected = self.expected.stdout_json
        text = stdout.strip()
        try:
            actual = load_json(text.encode())
        except (ValueError, RecursionError):
            what = f"is not JSON: {show_value(text)}" if text else "is empty"
            yield self._failure("stdout-json", f"stdout JSON: stdout {what}", expected, text)
            return
        if found := tuple(differences(expected, actual)):
            yield self._failure("stdout-json", "stdout JSON differs (- expected, + got)", expected, actual, found)

    def _of_effect(self) -> Iterator[Failure]:
        expected, actual = self.expected.effect, self.outcome.effect
        if expected is not None and expected is not actual:
            reason = f" ({self.outcome.reason})" if self.outcome.reason else ""
            yield self._failure("effect", f"effect: expected {expected}, got {actual}{reason}", expected, actual)

    def _failure(
        self, key: str, text: str, expected: Any = None, actual: Any = None, found: tuple[Mismatch, ...] = ()
    ) -> Failure:
        path = f"expected.{key}" if key else "expected"
        return Failure(
            key=path, text=text, line=self.case.line(path), expected=expected, actual=actual, differences=found
        )


def _how_it_ended(run: Run) -> str:
    """The exit code, or the reason why there is none."""
    if run.exit_code is not None:
        return str(run.exit_code)
    return f"none: {run.reason}" if run.reason else "none"
