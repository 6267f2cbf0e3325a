"""The model's script in no client's words: turns of steps.

A turn is one step or several made in one reply; text alone in a turn ends the model's work. As JSON, a step is an
object with one of these keys; ``marker`` beside ``shell`` and ``raw`` names files that prove that the step took effect:

    {"shell": "touch RAN"}                                 run a command
    {"write": {"path": "a.txt", "content": "x"}}           create a file
    {"edit": {"path": "a.txt", "old": "x", "new": "y"}}    change a file
    {"read": "a.txt"}                                      read a file
    {"raw": {"name": "Glob", "input": {...}}}              the client's own tool as it is
    {"text": "done"}                                       plain text
    {"fail": {"status": 500, "message": "overloaded"}}     the model API answers with an error
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct


class ScriptError(ValueError):
    """A script or a situation that has the wrong form."""


class ShellStep(Struct, frozen=True, tag_field="kind", tag="shell"):
    command: str
    marker: tuple[str, ...] | None = None
    """Files that prove that it ran; None: those that ``touch X`` and ``> X`` in the command name."""


class WriteStep(Struct, frozen=True, tag_field="kind", tag="write"):
    path: str
    content: str


class EditStep(Struct, frozen=True, tag_field="kind", tag="edit"):
    path: str
    old: str
    new: str


class ReadStep(Struct, frozen=True, tag_field="kind", tag="read"):
    path: str


class ToolStep(Struct, frozen=True, tag_field="kind", tag="raw"):
    """A tool of the client, by its own name."""

    name: str
    input: dict[str, Any] | str
    """Text: a freeform tool."""
    namespace: str = ""
    """For APIs whose tools have one."""
    marker: tuple[str, ...] = ()


class TextStep(Struct, frozen=True, tag_field="kind", tag="text"):
    text: str


class FailStep(Struct, frozen=True, tag_field="kind", tag="fail"):
    """The model API answers with an error."""

    status: int = 500
    message: str = "the scripted model fails"


Step = ShellStep | WriteStep | EditStep | ReadStep | ToolStep | TextStep | FailStep
Turn = tuple[Step, ...]
Script = tuple[Turn, ...]

_KINDS: Mapping[str, type[Step]] = {
    "shell": ShellStep,
    "write": WriteStep,
    "edit": EditStep,
    "read": ReadStep,
    "raw": ToolStep,
    "text": TextStep,
    "fail": FailStep,
}
_MADE = re.compile(r"(?:\btouch\s+|(?<![0-9&=-])>>?\s*)([\w./-]+)")


def read_script(turns: Any) -> Script:
    """A script from its JSON. Raises ScriptError."""
    if not isinstance(turns, Sequence) or isinstance(turns, str):
        raise ScriptError("a script is a list of turns")
    return tuple(tuple(_read_step(step) for step in (turn if isinstance(turn, Sequence) else [turn])) for turn in turns)


def _read_step(step: Any) -> Step:
    kinds = [kind for kind in _KINDS if kind in step] if isinstance(step, Mapping) else []
    if len(kinds) != 1:
        raise ScriptError(f"a step has exactly one of {', '.join(_KINDS)}: {step!r}")
    [kind] = kinds
    value = step[kind]
    if not isinstance(value, Mapping):
        value = {_KINDS[kind].__struct_fields__[0]: value}
    marker = step.get("marker")
    if marker is not None:
        value = {**value, "marker": [marker] if isinstance(marker, str) else marker}
    try:
        return msgspec.convert({"kind": kind, **value}, _KINDS[kind])
    except msgspec.ValidationError as error:
        raise ScriptError(f"{step!r}: {error}") from None


def files_made_by(command: str) -> tuple[str, ...]:
    """The files that a shell command makes, as far as ``touch X`` and ``> X`` tell."""
    return tuple(name for name in _MADE.findall(command) if not name.startswith("/dev/"))
