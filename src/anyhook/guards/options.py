"""The settings of a guard: which there are, what is wrong with those that a file has, and their JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from anyhook.dialects import find_client, unknown_client_text
from anyhook.dialects.vocabulary import TOOL_KINDS
from anyhook.guards.never_matching import PatternKind, why_never
from anyhook.model.document import Pointer
from anyhook.model.wording import did_you_mean, join_or

LEVELS = ("off", "shadow", "warn", "ask", "block")
"""What a guard does about a finding, from the weakest to the strictest; ``shadow`` only records what block would do."""
Takes = Literal[
    "level", "levels", "text", "texts", "words", "globs", "pattern", "choice", "flag", "count", "number", "exceptions",
    "table", "tables",
]  # fmt: skip


class Option(Struct, frozen=True):
    """One setting."""

    name: str
    takes: Takes
    help: str
    usual: Any = None
    """What holds when it is not given; None: nothing."""
    names: tuple[str, ...] = ()
    """For ``levels``: what can have a level of its own. For ``choice`` and ``words``: what may be written."""
    table: tuple[Option, ...] = ()
    """For ``table`` and ``tables``: its settings."""
    may_be_empty: bool = False
    """For ``words``: whether there may be none."""
    of: PatternKind | None = None
    """For ``words`` and ``texts``: what they are patterns of."""


class Mistake(Struct, frozen=True):
    """A setting that cannot be used, and where it is in the table of the guard."""

    pointer: Pointer
    text: str
    fix: str


_EXCEPTION = (
    Option("paths", "texts", "globs of files that the call is about", of="path"),
    Option(
        "commands",
        "texts",
        "commands, wherever they are in the line; * stays in a word, and as a word of its own is any number of them",
        of="command",
    ),
    Option("clients", "texts", "the clients in which the exception holds"),
    Option("level", "level", "what the guard does instead", "off"),
)
LEVEL = Option("level", "level", "what the guard does about a finding", "block")
SWITCH = Option("level", "choice", "whether the guard does anything", "on", names=("on", "off"))
"""In place of a level, for a guard that refuses nothing."""
MESSAGE = Option("message", "text", "what to tell the agent besides: what to do instead, whom to ask")
EXCEPTIONS = Option("exceptions", "exceptions", "calls to which another level applies; the first that matches counts")
REFUSING = (LEVEL, MESSAGE, EXCEPTIONS)
"""The settings of every guard that can refuse."""
SWITCHED = (SWITCH, EXCEPTIONS)
"""The settings of every other guard."""


_OF_ONE_EVENT = (
    Option("kind", "words", "what the tool does, whatever it is called", names=TOOL_KINDS),
    Option(
        "tool",
        "words",
        "the names of tools, of an MCP server's with or without the server; * matches any text",
        of="name",
    ),
    Option("server", "words", "the names of MCP servers", of="name"),
    Option("command", "words", "a command that the line starts, through wrappers; * matches any text", of="command"),
    Option("path", "words", "globs of files that the call reads, writes or deletes", of="path"),
    Option("reads", "words", "globs of files whose contents the call gets", of="path"),
    Option("writes", "words", "globs of files that the call writes or overwrites", of="path"),
    Option(
        "deletes",
        "words",
        "globs of files that the call deletes or moves away, also with a folder around them",
        of="path",
    ),
    Option("url", "words", "hosts or addresses that the call asks; * matches any text", of="url"),
    Option("query", "pattern", "a regular expression for what a database is asked, by a tool or a command"),
    Option("content", "pattern", "a regular expression for what is written, run, prompted or printed"),
)
OF_A_CALL = (
    "kind", "tool", "server", "command", "path", "reads", "writes", "deletes", "url", "query", "on_disk",
)  # fmt: skip
"""The conditions that only a call of a tool can meet."""
EARLIER_EVENT = "PostToolUse"
"""What ``previous`` is about when it names no event."""
_EARLIER = (Option("on", "words", "the earlier event, or several", EARLIER_EVENT), *_OF_ONE_EVENT)
_PREVIOUS = (
    *_EARLIER,
    Option("since", "table", "count only after the last event of this form, if there is one", table=_EARLIER),
    Option("at_least", "count", "how many there must be; 1 if no number is given"),
    Option("at_most", "number", "how many there may be"),
)
MAX_PREVIOUS = 8
_UNLESS = (
    *_OF_ONE_EVENT,
    Option("on_disk", "pattern", "a regular expression for what a file that the call changes has on the disk"),
    Option("branch", "words", "globs of the branch that is checked out", of="name"),
    Option("exists", "globs", "globs of files of the project, one of which exists", of="existing"),
    Option("missing", "globs", "globs of files of the project, none of which exists", of="existing"),
)
_WHEN = (*_UNLESS, Option("previous", "tables", "earlier events of the session", table=_PREVIOUS))
EFFECTS = ("block", "ask", "allow", "warn", "context", "rewrite", "run")
RUN_SECONDS = 30
_ONLY_FOR = {"replace": "rewrite", "by": "rewrite", "run": "run", "timeout": "run", "fail_closed": "run"}
RULE = (
    Option("name", "text", "what the rule is called in messages"),
    Option("on", "words", "the event, or several", "PreToolUse"),
    Option("when", "table", "conditions, all of which must hold", table=_WHEN),
    Option(
        "unless", "table", "conditions; a call, or a command of it, of which all hold is let through", table=_UNLESS
    ),
    Option("then", "choice", "what happens then", names=EFFECTS),
    Option("level", "choice", "whether it happens, or is only recorded", "on", names=("on", "shadow")),
    Option("message", "text", "what the agent or the user is told"),
    Option("replace", "pattern", "for rewrite: a regular expression for what is replaced in the tool's input"),
    Option("by", "text", "for rewrite: what it is replaced by"),
    Option("run", "words", "for run: a command line for the shell, or a program and its arguments"),
    Option("timeout", "count", "for run: how many seconds the command may take, at most 300", RUN_SECONDS),
    Option("fail_closed", "flag", "for run: a command that fails blocks", False),
)
"""The settings of a rule without a script (:mod:`anyhook.guards.rules`)."""


def rule_mistakes(table: Mapping[str, Any]) -> Iterator[Mistake]:
    """What is wrong with a rule, which cannot be used then."""
    yield from usable_settings(RULE, table)[1]
    yield from _kind_mistakes(table)
    then = table.get("then")
    if "then" not in table:
        yield Mistake((), "the rule has no effect", f"add then, with {join_or(EFFECTS)}")
    elif then == "rewrite":
        yield from _rewrite_mistakes(table)
    elif then in ("warn", "context") and not table.get("message"):
        yield Mistake(("then",), f"{then} needs a message", "add message, with what the agent reads")
    elif then == "run" and "run" not in table:
        yield Mistake(("then",), "run needs a command", "add run, with the command")
    for name, effect in _ONLY_FOR.items():
        if name in table and then in EFFECTS and then != effect:
            fix = f"leave {name} out, or set then to {effect}"
            yield Mistake((name,), f'"{name}" has no effect unless then is {effect}', fix)


_CHANGING = frozenset({"shell", "edit", "mcp", "any"})
"""Kinds of tools that can change files."""


def _kind_mistakes(table: Mapping[str, Any]) -> Iterator[Mistake]:
    """Conditions that never hold together."""
    for name in ("when", "unless"):
        conditions = table.get(name)
        if not isinstance(conditions, dict):
            continue
        given = conditions.get("kind")
        kinds = [given] if isinstance(given, str) else given
        if not isinstance(kinds, list) or not kinds or not all(kind in TOOL_KINDS for kind in kinds):
            continue
        for key in ("writes", "deletes"):
            if key in conditions and _CHANGING.isdisjoint(kinds):
                text = f'"{key}" never holds for tools of the kind {join_or(kinds)}'
                yield Mistake((name, key), text, "leave kind out, or write edit or shell")


def _rewrite_mistakes(table: Mapping[str, Any]) -> Iterator[Mistake]:
    pattern, by = table.get("replace"), table.get("by")
    if pattern is None or by is None:
        yield Mistake(("then",), "a rewrite needs what is replaced, and by what", "add replace and by")
    elif isinstance(by, str) and not [*_check_pattern(Option("replace", "pattern", ""), pattern)]:
        try:
            re.sub(pattern, by, "")
        except (re.error, IndexError) as error:
            yield Mistake(
                ("by",), f'"by" is not valid: {error}', r"name a group of replace, or write \\ for a backslash"
            )


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
        return
    yield from _check_patterns(option, value)


def _check_patterns(option: Option, patterns: Sequence[str]) -> Iterator[Mistake]:
    """Patterns that can never match: without a word about it, a rule would look as if it guarded something."""
    for pattern in patterns:
        if option.of is not None and (never := why_never(option.of, pattern)):
            yield Mistake((), f'"{option.name}" has {pattern!r}, which never matches: {never[0]}', never[1])


def _check_words(option: Option, value: object) -> Iterator[Mistake]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        yield from _wrong(option, "text, or a list of texts")
        return
    if not any(word.strip() for word in words) and not option.may_be_empty:
        yield Mistake((), f'"{option.name}" is empty', f"give it a value, or leave {option.name} out")
    yield from _check_patterns(option, [word for word in words if word.strip()])
    for word in words if option.names else ():
        if word not in option.names:
            yield Mistake((), f'"{option.name}" cannot be {word!r}', did_you_mean(word, option.names))


def _check_globs(option: Option, value: object) -> Iterator[Mistake]:
    """Globs for files on the disk."""
    yield from _check_words(option, value)
    words = value if isinstance(value, list) else [value]
    for glob in words:
        if isinstance(glob, str) and any("**" in part and part != "**" for part in glob.split("/")):
            text = f'"{option.name}" has {glob}, but ** matches whole folders only'
            yield Mistake((), text, "write **/* in its place")


def _check_pattern(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, str):
        yield from _wrong(option, "a regular expression, as text")
        return
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        yield Mistake((), f'"{option.name}" is not a valid regular expression: {error}', "correct it")


def _check_choice(option: Option, value: object) -> Iterator[Mistake]:
    if value not in option.names:
        yield Mistake((), f'"{option.name}" cannot be {value!r}', f"write {join_or(option.names)}")


def _check_table(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, dict):
        yield from _wrong(option, "a table")
        return
    yield from usable_settings(option.table, value)[1]


def _check_tables(option: Option, value: object) -> Iterator[Mistake]:
    tables = [value] if isinstance(value, dict) else value
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        yield from _wrong(option, "a table, or a list of tables")
        return
    if len(tables) > MAX_PREVIOUS:
        yield Mistake((), f'"{option.name}" has more than {MAX_PREVIOUS} tables', "make two rules of it")
    for place, table in enumerate(tables):
        at: Pointer = (place,) if isinstance(value, list) else ()
        for each in usable_settings(option.table, table)[1]:
            yield Mistake((*at, *each.pointer), each.text, each.fix)
        fewest, most = table.get("at_least"), table.get("at_most")
        if isinstance(fewest, int) and isinstance(most, int) and fewest > most:
            yield Mistake((*at, "at_least"), f"at_least {fewest} is more than at_most {most}", "correct one of them")


def _check_flag(option: Option, value: object) -> Iterator[Mistake]:
    if not isinstance(value, bool):
        yield from _wrong(option, "true or false")


def _check_count(option: Option, value: object) -> Iterator[Mistake]:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        yield from _wrong(option, "a whole number above 0")


def _check_number(option: Option, value: object) -> Iterator[Mistake]:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        yield from _wrong(option, "a whole number")


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
    "words": _check_words,
    "globs": _check_globs,
    "pattern": _check_pattern,
    "choice": _check_choice,
    "table": _check_table,
    "tables": _check_tables,
    "flag": _check_flag,
    "count": _check_count,
    "number": _check_number,
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


def _word(option: Option) -> dict[str, Any]:
    return {"enum": list(option.names)} if option.names else {"type": "string"}


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
    "words": lambda option: {"anyOf": [_word(option), {"type": "array", "items": _word(option)}]},
    "globs": lambda option: _SCHEMAS["words"](option),
    "pattern": lambda _: {"type": "string", "format": "regex"},
    "choice": lambda option: {"enum": list(option.names)},
    "table": lambda option: schema_of(option.table),
    "tables": lambda option: {
        "anyOf": [
            schema_of(option.table),
            {"type": "array", "items": schema_of(option.table), "minItems": 1, "maxItems": MAX_PREVIOUS},
        ]
    },
    "flag": lambda _: {"type": "boolean"},
    "count": lambda _: {"type": "integer", "minimum": 1},
    "number": lambda _: {"type": "integer", "minimum": 0},
    "exceptions": lambda _: {
        "type": "array",
        "items": {
            **schema_of(_EXCEPTION),
            "anyOf": [{"required": [name]} for name in ("paths", "commands", "clients")],
        },
    },
}


def levels_of(options: tuple[Option, ...]) -> tuple[str, ...]:
    """The levels that a guard with these settings can have."""
    return next((option.names or LEVELS for option in options if option.name == LEVEL.name), ())
