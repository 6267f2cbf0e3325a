"""The settings of a guard: which there are, what is wrong with those that a file has, and their JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from anyhook.dialects import find_client, unknown_client_text
from anyhook.model.document import Pointer
from anyhook.model.wording import did_you_mean, join_or

LEVELS = ("off", "warn", "ask", "block")
"""What a guard does about a finding, from the weakest to the strictest."""
Takes = Literal["level", "levels", "text", "texts", "flag", "count", "exceptions"]


class Option(Struct, frozen=True):
    """One setting."""

    name: str
    takes: Takes
    help: str
    usual: Any = None
    """What holds when it is not given; None: nothing."""
    names: tuple[str, ...] = ()
    """For ``levels``: what can have a level of its own."""


class Mistake(Struct, frozen=True):
    """A setting that cannot be used, and where it is in the table of the guard."""

    pointer: Pointer
    text: str
    fix: str


_EXCEPTION = (
    Option("paths", "texts", "globs of files that the call is about, from the project's folder"),
    Option("commands", "texts", "whole commands; * matches any text that starts no second command"),
    Option("clients", "texts", "the clients in which the exception holds"),
    Option("level", "level", "what the guard does instead", "off"),
)
LEVEL = Option("level", "level", "what the guard does about a finding", "block")
MESSAGE = Option("message", "text", "what to tell the agent besides: what to do instead, whom to ask")
EXCEPTIONS = Option("exceptions", "exceptions", "calls to which another level applies; the first that matches counts")
REFUSING = (LEVEL, MESSAGE, EXCEPTIONS)
"""The settings of every guard that can refuse."""


def usable_settings(
    options: tuple[Option, ...], table: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[Mistake, ...]]:
    """The settings of a table without those that are wrong, for which the default holds; and what is wrong."""
    known = {option.name: option for option in options}
    kept: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for key, value in table.items():
        option = known.get(key)
        if option is None:
            fix = did_you_mean(key, known)
            mistakes.append(Mistake((key,), f'"{key}" is not a setting here', fix))
            continue
        wrong = [Mistake((key, *each.pointer), each.text, each.fix) for each in _CHECKS[option.takes](option, value)]
        mistakes += wrong
        if not wrong:
            kept[key] = value
        elif option.takes == "levels" and isinstance(value, dict):  # the good ones count
            kept[key] = {name: level for name, level in value.items() if name in option.names and level in LEVELS}
    return kept, tuple(mistakes)


def _wrong(option: Option, expected: str) -> Iterator[Mistake]:
    yield Mistake((), f'"{option.name}" must be {expected}', "correct the value")


def _check_level(option: Option, value: object) -> Iterator[Mistake]:
    if value not in LEVELS:
        yield Mistake((), f'"{option.name}" cannot be {value!r}', f"write {join_or(LEVELS)}")


def _check_levels(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, dict):
        yield from _wrong(option, "a table of levels")
        return
    for name, level in value.items():
        if name not in option.names:
            yield Mistake((name,), f'"{option.name}" has no "{name}"', did_you_mean(name, option.names))
        elif level not in LEVELS:
            yield Mistake((name,), f'"{name}" cannot be {level!r}', f"write {join_or(LEVELS)}")


def _check_text(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, str):
        yield from _wrong(option, "text")


def _check_texts(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        yield from _wrong(option, "a list of texts")


def _check_flag(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, bool):
        yield from _wrong(option, "true or false")


def _check_count(option: Option, value: object) -> Iterator[Mistake]:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        yield from _wrong(option, "a whole number above 0")


def _check_exceptions(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        yield from _wrong(option, "a list of tables")
        return
    for place, table in enumerate(value):
        _, mistakes = usable_settings(_EXCEPTION, table)
        yield from (Mistake((place, *each.pointer), each.text, each.fix) for each in mistakes)
        clients = table.get("clients", ())
        for client in clients if isinstance(clients, list) else ():
            if isinstance(client, str) and find_client(client) is None:
                yield Mistake((place, "clients"), unknown_client_text(client), "correct the name")
        if not table.keys() & {"paths", "commands", "clients"}:
            text = "an exception without a condition would apply to every call"
            yield Mistake((place,), text, "give it paths, commands or clients")


_CHECKS: Mapping[Takes, Callable[[Option, Any], Iterator[Mistake]]] = {
    "level": _check_level,
    "levels": _check_levels,
    "text": _check_text,
    "texts": _check_texts,
    "flag": _check_flag,
    "count": _check_count,
    "exceptions": _check_exceptions,
}


# ---------------------------------------------------------------------------------------------------------- JSON Schema


def schema_of(options: tuple[Option, ...]) -> dict[str, Any]:
    """The JSON Schema of a table with these settings."""
    return {
        "type": "object",
        "properties": {option.name: _schema_of_option(option) for option in options},
        "additionalProperties": False,
    }


def _schema_of_option(option: Option) -> dict[str, Any]:
    usual = {} if option.usual is None else {"default": option.usual}
    return {"description": option.help, **_SCHEMAS[option.takes](option), **usual}


_LEVEL_SCHEMA: dict[str, Any] = {"enum": list(LEVELS)}
_SCHEMAS: Mapping[Takes, Callable[[Option], dict[str, Any]]] = {
    "level": lambda _: _LEVEL_SCHEMA,
    "levels": lambda option: {
        "type": "object",
        "properties": dict.fromkeys(option.names, _LEVEL_SCHEMA),
        "additionalProperties": False,
    },
    "text": lambda _: {"type": "string"},
    "texts": lambda _: {"type": "array", "items": {"type": "string"}},
    "flag": lambda _: {"type": "boolean"},
    "count": lambda _: {"type": "integer", "minimum": 1},
    "exceptions": lambda _: {
        "type": "array",
        "items": {
            **schema_of(_EXCEPTION),
            "anyOf": [{"required": [name]} for name in ("paths", "commands", "clients")],
        },
    },
}
