"""Hands out a script turn by turn, and keeps what the model was asked and what became of its tool calls.

Only a request that offers tools takes a turn. Others (titles, summaries) are asides, as is what the driver recognises;
they get "ok". After the last turn every request gets "done".
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from msgspec import Struct

from anyhook.prove.driver import Driver
from anyhook.prove.effects import Watch, watch
from anyhook.prove.model_server.messages import Message, ModelCall, ModelReply
from anyhook.prove.report import ModelReport, SeenMessage, StepResult
from anyhook.prove.script import FailStep, Script, TextStep, Turn

_AFTER_THE_LAST_TURN: Turn = (TextStep("done"),)


class _Pending(Struct, frozen=True):
    """A tool call whose result the model has not received."""

    call: ModelCall
    turn: int
    watch: Watch


class ScriptedModel:
    """One conversation; requests may come from several threads."""

    def __init__(self, script: Script, driver: Driver, project: Path) -> None:
        self._script, self._driver, self._project = script, driver, project
        self._lock = threading.Lock()
        self._count = 0
        self._previous: Sequence[Message] = ()
        self._saw: list[tuple[SeenMessage, ...]] = []
        self._calls: list[_Pending] = []
        self._results: dict[str, StepResult] = {}
        self._files: dict[str, bool] = {}
        self._asides: list[tuple[SeenMessage, ...]] = []

    def answer(self, messages: Sequence[Message], *, offers_tools: bool) -> ModelReply:
        """The reply to one request."""
        with self._lock:
            self._count += 1
            if not offers_tools or self._driver.is_aside(messages):
                self._asides.append(_shown(messages))
                return ModelReply(str(self._count), "ok")
            self._note_results(messages)
            self._saw.append(_shown(_new(self._previous, messages)))
            self._previous = messages
            turn = len(self._saw) - 1
            return self._perform(turn, self._script[turn] if turn < len(self._script) else _AFTER_THE_LAST_TURN)

    def _perform(self, number: int, turn: Turn) -> ModelReply:
        calls = []
        for step in turn:
            tool = self._driver.tool_use(step, self._project)
            if tool is not None:
                call = ModelCall(f"call_{len(self._calls) + 1}", tool)
                self._calls.append(_Pending(call, number, watch(step, self._project)))
                calls.append(call)
        text = "".join(step.text for step in turn if isinstance(step, TextStep))
        failure = next((step for step in turn if isinstance(step, FailStep)), None)
        return ModelReply(str(self._count), text, tuple(calls), failure)

    def _note_results(self, messages: Sequence[Message], *, is_last: bool = False) -> None:
        """Judge the calls that have a result now, before the next call can change the same file."""
        results = {message.call_id: message.text for message in messages if message.call_id}
        for pending in self._calls:
            call, looked = pending.call, pending.watch
            if call.id in self._results or not (is_last or call.id in results):
                continue
            saw = results.get(call.id)
            ran = looked.took_effect(saw)
            self._results[call.id] = StepResult(pending.turn, looked.step, call.tool.name, ran, saw)
            for name, changed in looked.changed().items():
                self._files[name] = changed or self._files.get(name, False)

    def report(self) -> ModelReport:
        """What happened, once the client has ended."""
        with self._lock:
            self._note_results((), is_last=True)
            return ModelReport(
                tool_results=tuple(self._results[pending.call.id] for pending in self._calls),
                files_made=dict(self._files),
                turns_left=max(0, len(self._script) - len(self._saw)),
                model_saw=tuple(self._saw),
                asides=tuple(self._asides),
            )


def _new(before: Sequence[Message], now: Sequence[Message]) -> Sequence[Message]:
    """The messages that the request before did not have."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))
    return now[same:]


def _shown(messages: Sequence[Message]) -> tuple[SeenMessage, ...]:
    return tuple(SeenMessage(message.role, message.text) for message in messages if message.text)
