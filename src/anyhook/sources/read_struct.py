"""Reads a table of a file into a struct, each key by the type of its field; every mistake is reported at its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, inspect, structs

from anyhook.model.document import Pointer
from anyhook.model.wording import did_you_mean, join_or

Report = Callable[[str, Pointer, str, str], None]
"""Takes the code of a mistake, its place, a text and the remedy."""
Count = Annotated[int, Meta(gt=0)]
Positive = Annotated[float, Meta(gt=0, le=1_000_000)]


def read_fields(cls: type[Struct], table: object, at: Pointer, report: Report) -> dict[str, Any]:
    """The fields of a struct that a table has, by their names, without those that are wrong."""
    if not isinstance(table, Mapping):
        report("K007", at, f"{_named(at)} must hold keys with values", "write its keys below it")
        return {}
    fields = {field.encode_name: field for field in structs.fields(cls)}
    for key in table:
        if key not in fields:
            report("K003", (*at, key), f'"{key}" is not a setting here', did_you_mean(str(key), fields))
    found = {}
    for key, field in fields.items():
        if key in table:
            found[field.name] = _read(field.type, table[key], (*at, key), report)
        elif field.required:
            report("K006", at, f'there is no "{key}"', f"write {key}")
    return {name: value for name, value in found.items() if value is not UNSET}


def _read(kind: Any, value: Any, at: Pointer, report: Report) -> Any | UnsetType:
    """A value of this type; UNSET if it is not one, which is reported."""
    for each in _possible(kind):
        if isinstance(each, type) and issubclass(each, Struct) and (each is kind or isinstance(value, Mapping)):
            return each(**read_fields(each, value, at, report))
        if get_origin(each) is Mapping and isinstance(value, Mapping):
            members = {key: _read(get_args(each)[1], part, (*at, key), report) for key, part in value.items()}
            return {key: part for key, part in members.items() if part is not UNSET}
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        report("K007", at, f"{_named(at)} must be {_in_words(inspect.type_info(kind))}", _remedy(kind, value))
        return UNSET


def _possible(kind: Any) -> Iterator[Any]:
    """The types that a value may have."""
    if get_origin(kind) is Annotated:
        yield from _possible(get_args(kind)[0])
    elif get_origin(kind) in (Union, UnionType):
        yield from (each for part in get_args(kind) for each in _possible(part))
    else:
        yield kind


def _named(at: Pointer) -> str:
    return f'"{at[-1]}"' if at else "the file"


def _remedy(kind: Any, value: object) -> str:
    enums = (each for each in _possible(kind) if isinstance(each, type) and issubclass(each, Enum))
    choices = [str(member.value) for each in enums for member in each]
    return did_you_mean(value, choices) if isinstance(value, str) and choices else "correct the value"


def _in_words(known: inspect.Type) -> str:
    """What a value of a type must be. The title of the type, if it has one, says it."""
    match known:
        case inspect.Metadata(type=inner, extra_json_schema=more):
            return str((more or {}).get("title") or _in_words(inner))
        case inspect.UnionType(types=types):
            return join_or([_in_words(each) for each in types if not isinstance(each, inspect.NoneType)])
        case inspect.EnumType(cls=members):
            return join_or([each.value for each in members])
        case inspect.LiteralType(values=values):
            return join_or([str(each) for each in values])
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return _number("a whole number", known)
        case inspect.FloatType():
            return _number("a number", known)
        case inspect.StrType():
            return "text"
        case inspect.VarTupleType():
            return "a list of texts"
        case _:
            return "keys with values"


def _number(what: str, known: inspect.IntType | inspect.FloatType) -> str:
    bounds = {"above": known.gt, "of at least": known.ge, "and at most": known.le}
    return " ".join([what, *(f"{word} {bound}" for word, bound in bounds.items() if bound is not None)])
