"""What one run of a client showed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from anyhook.prove.script import Step

_COMPARED = 200


class HookCall(Struct, frozen=True, kw_only=True):
    """One call of a recorded hook."""

    name: str
    """The name after ``@RECORD@``."""
    event: str | None
    """As the payload names it; None: it does not."""
    payload: Any
    """What the hook got on stdin: JSON, else text."""
    cwd: str
    environment: Mapping[str, str]
    """What the client added to the environment that it was started with."""
    started: float
    """Seconds since the client's start."""
    seconds: float | None
    """How long the call took; None: it was killed."""
    exit_status: int | None = None
    stdout: str = ""
    stderr: str = ""
    """What a real hook did whose command was recorded; the status is None for a hook that only records."""
    unasked: bool | None = None
    """Of an entry of anyhook, by its journal: whether hooks behind it could not be asked; None: it did not answer."""


class StepResult(Struct, frozen=True):
    """What became of a scripted tool call."""

    turn: int
    step: Step
    tool: str
    """The client's name of the tool."""
    ran: bool | None
    """Whether the step took effect; None: nothing can tell."""
    model_saw: str | None
    """The result that the model received; None: none came."""


class SeenMessage(Struct, frozen=True):
    """A message that the model received."""

    role: str
    text: str


class ModelReport(Struct, frozen=True, kw_only=True):
    """What the scripted model was asked."""

    tool_results: tuple[StepResult, ...] = ()
    """One for each scripted tool call that the client received."""
    files_made: Mapping[str, bool] = {}
    """Each file that a step makes: whether it was made or changed."""
    turns_left: int = 0
    """Turns of the script for which the client did not ask."""
    model_saw: tuple[tuple[SeenMessage, ...], ...] = ()
    """For each request that took a turn, the messages that the request before did not have."""
    asides: tuple[tuple[SeenMessage, ...], ...] = ()
    """The messages of requests that took no turn: titles, summaries, memory."""


class RunReport(ModelReport, frozen=True, kw_only=True):
    """One run of a client."""

    client: str
    version: str
    exit_status: int | None
    """Of the client; negative: a signal; None: it did not end in time."""
    seconds: float
    hooks_fired: tuple[HookCall, ...] = ()
    """Calls of recorded hooks in the order in which they began."""
    log: tuple[str, ...] = ()
    """What the client's own log says about hooks."""
    stdout: str = ""
    stderr: str = ""
    """The end of what the client printed."""

    def saw(self, text: str) -> bool:
        """Whether the model received a text."""
        return any(contains(message.text, text) for request in self.model_saw for message in request)

    def showed(self, text: str) -> bool:
        """Whether the client printed a text."""
        return contains(self.stdout, text) or contains(self.stderr, text)


def contains(whole: str, text: str) -> bool:
    """Whether a text has the longest line of another as whole words; clients indent, quote and shorten."""
    line = max((line.strip() for line in text.splitlines()), key=len, default="")[:_COMPARED]
    if not line:
        return False
    forms = dict.fromkeys((line, json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1]))
    return any(re.search(rf"(?<!\w){re.escape(form)}", whole) for form in forms)
