"""What passes between the engine and a function of a hook file: the event, the result, or the failure.

Everything passes as bytes, also within one process: a function sees the same wherever it runs, and may keep or change
its event without an effect on others.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from pathlib import PurePath
from types import CoroutineType, TracebackType
from typing import Any

import msgspec
from msgspec import Struct, structs

from anyhook.model.lazyjson import LazyJson, dump_json, load_json
from anyhook.model.output import AsyncOutput, Reply, SyncOutput, reply_of_word, to_json
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload, Spelling, json_fields

RunCoroutine = Callable[[Coroutine[Any, Any, object]], object]
RETURN_VALUES = "allow(), deny(), ask(), rewrite(), context(), stop(), a dictionary or None"


class FunctionResult(Struct, frozen=True, omit_defaults=True):
    """The result of a call: at most one of these is set; none when the function has no opinion."""

    reply: Reply | None = None
    output: dict[str, Any] | None = None
    """JSON as the client of the hook file understands it."""
    failure: str = ""

    @property
    def value(self) -> Reply | dict[str, Any] | None:
        return self.output if self.reply is None else self.reply


def pack_event(payload: Payload) -> bytes:
    """An event with all of its fields, for :func:`unpack_event`."""
    fields = {name: getattr(payload, name) for name in payload.__struct_fields__ if name != "spelling"}
    said = {name: value for name, value in fields.items() if value is not None or name in payload.spelling.nulls}
    return dump_json([type(payload).__name__, said])


def unpack_event(data: bytes) -> Payload:
    """The event again, which shares nothing with the one that was packed."""
    name, fields = load_json(data)
    made = PAYLOADS.get(name, Payload)
    for key in json_fields(made):
        if key in fields:
            fields[key] = LazyJson.of(fields[key])
    fields["extra"] = {key: LazyJson.of(value) for key, value in fields.get("extra", {}).items()}
    nulls = frozenset(key for key, value in fields.items() if value is None)
    return made(spelling=Spelling(nulls=nulls), **fields)


def pack_result(answer: FunctionResult) -> bytes:
    return dump_json(_set_fields(answer))


def unpack_result(data: bytes) -> FunctionResult:
    """Raises ValueError when this is not what :func:`pack_result` writes."""
    return msgspec.convert(load_json(data), FunctionResult)


def call_function(function: Callable[[Payload], object], event: Payload, run: RunCoroutine) -> bytes:
    """Call a function and pack what it returns; ``run`` runs the coroutine of an async one. Raises what it raises."""
    value = function(event)
    return pack_result(result_of(run(value) if isinstance(value, CoroutineType) else value))


def result_of(value: object) -> FunctionResult:
    """The result for what a function returned. Raises TypeError for a value that a hook cannot return."""
    match value:
        case None:
            return FunctionResult()
        case Reply():
            return FunctionResult(reply=value)
        case AsyncOutput():
            return FunctionResult(reply=value.to_reply())
        case SyncOutput():
            return FunctionResult(output=to_json(value))
        case Mapping():
            return FunctionResult(output=dict(value))
        case str():
            return FunctionResult(reply=reply_of_word(value))
        case _:
            raise TypeError(f"it returned {type(value).__name__}; a hook returns {RETURN_VALUES}")


def describe_failure(error: BaseException, file: str) -> str:
    """What a function raised, with the last line of its own file in the traceback."""
    try:
        text = str(error)
    except Exception:  # an exception whose __str__ fails
        text = ""
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        what = f"{type(error).__name__}: {error.msg}"
        return f"{PurePath(error.filename).name}, line {error.lineno}: {what}"
    line = _last_line(error.__traceback__, file)
    file_name = PurePath(file).name
    return f"{file_name}, line {line}: {what}" if line else f"{file_name}: {what}"


def trace_of(error: BaseException, file: str) -> str:
    """The traceback of what a function raised, from its own file on."""
    from traceback import format_exception  # only a failure needs it

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != file:
        trace = trace.tb_next
    return "".join(format_exception(type(error), error, trace))


def _last_line(trace: TracebackType | None, file: str) -> int:
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _set_fields(value: FunctionResult) -> dict[str, Any]:
    said: dict[str, Any] = {}
    if value.reply is not None:
        fields = structs.asdict(value.reply)
        defaults = structs.asdict(Reply())
        said["reply"] = {name: item for name, item in fields.items() if item != defaults[name]}
    if value.output is not None:
        said["output"] = value.output
    if value.failure:
        said["failure"] = value.failure
    return said
