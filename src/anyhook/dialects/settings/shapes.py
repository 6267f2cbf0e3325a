"""What a value of a settings file may be, as data, and the first place at which a value is something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from anyhook.model.document import Pointer
from anyhook.model.wording import join_and, join_or


class Anything(Struct, frozen=True):
    """The client does not look, or uses its default for a wrong value."""


class Text(Struct, frozen=True):
    pattern: str = ""
    """What the text must have somewhere in it; empty: any text will do."""
    words: str = "text"
    """How the pattern is described to people."""


class Number(Struct, frozen=True, kw_only=True):
    whole: bool = False
    above: float | None = None
    least: float | None = None
    most: float | None = None


class Flag(Struct, frozen=True):
    """true or false."""


class FixedText(Struct, frozen=True):
    texts: tuple[str, ...]


class ListOf(Struct, frozen=True):
    item: Value
    least: int = 0
    """How many items there must be."""


class Object(Struct, frozen=True):
    members: Mapping[str, Value] = {}
    required: frozenset[str] = frozenset()
    others: Value | None = Anything()
    """What a member of another name may be; None: there may be none."""
    names: Text = Text()
    """What the names of members must be like."""


class AnyOf(Struct, frozen=True):
    choices: tuple[Value, ...]


class Tolerant(Struct, frozen=True):
    """A value of the shape, or one of other kinds that does no harm."""

    shape: Value
    kinds: frozenset[str]
    """Of "null", "flag", "number", "text", "list" and "object"; "falsy": null, false and 0."""


Value = Anything | Text | Number | Flag | FixedText | ListOf | Object | AnyOf | Tolerant

ANYTHING, TEXT, NUMBER, FLAG = Anything(), Text(), Number(), Flag()
TEXTS, LIST = ListOf(TEXT), ListOf(ANYTHING)


def one_of(words: str) -> FixedText:
    """One of these texts, which are written with blanks between them."""
    return FixedText(tuple(words.split()))


def list_of(item: Value, least: int = 0) -> ListOf:
    return ListOf(item, least)


def any_of(*choices: Value) -> AnyOf:
    return AnyOf(choices)


def tolerant(shape: Value, kinds: str) -> Tolerant:
    """A value of the shape, or harmlessly one of the other kinds, which have blanks between them."""
    return Tolerant(shape, frozenset(kinds.split()))


def map_of(value: Value, names: Text = TEXT) -> Object:
    """An object with members of any name and of one shape."""
    return Object(others=value, names=names)


def object_of(
    members: Mapping[str, Value], required: str = "", *, others: Value | None = ANYTHING, names: Text = TEXT
) -> Object:
    """An object; ``required`` has names of members with blanks between them."""
    return Object(members, frozenset(required.split()), others, names)


def each(names: str, value: Value) -> dict[str, Value]:
    """Members of one shape; their names have blanks between them."""
    return dict.fromkeys(names.split(), value)


class Misfit(Struct, frozen=True):
    """A value that is not of its shape."""

    pointer: Pointer
    expected: str
    """In words: "text", "true or false"."""
    is_missing: bool = False
    """The member of this name is required and absent."""


def misfit(value: Any, shape: Value) -> Misfit | None:
    """The first place at which a value is not of the shape; None: it is."""
    return next(_misfits(value, shape, ()), None)


def _misfits(value: Any, shape: Value, at: Pointer) -> Iterator[Misfit]:
    match shape:
        case AnyOf(choices):
            yield from _in_every_choice(value, choices, at)
        case Tolerant(inner, kinds):
            is_falsy = "falsy" in kinds and (value is None or value is False or value == 0)
            yield from () if is_falsy or _kind(value) in kinds else _misfits(value, inner, at)
        case ListOf(item) if isinstance(value, list) and len(value) >= shape.least:
            for index, element in enumerate(value):
                yield from _misfits(element, item, (*at, index))
        case Object() if isinstance(value, dict):
            yield from _in_members(value, shape, at)
        case _ if not _is_plain(value, shape):
            yield Misfit(at, describe_shape(shape))


def _in_members(value: Mapping[str, Any], shape: Object, at: Pointer) -> Iterator[Misfit]:
    for key, member in value.items():
        expected = shape.members.get(key, shape.others)
        if expected is None:
            known = sorted(shape.members)
            yield Misfit((*at, key), f"no such setting, only {join_and(known)}" if known else "no setting at all")
        elif key not in shape.members and not _is_plain(key, shape.names):
            yield Misfit((*at, key), f"{describe_shape(shape.names)} as its name")
        else:
            yield from _misfits(member, expected, (*at, key))
    for key in sorted(shape.required - value.keys()):
        yield Misfit((*at, key), describe_shape(shape.members.get(key, ANYTHING)), is_missing=True)


def _in_every_choice(value: Any, choices: tuple[Value, ...], at: Pointer) -> Iterator[Misfit]:
    """Where no choice takes the value, the one that takes most of it says what is wrong."""
    found = [(choice, next(_misfits(value, choice, at), None)) for choice in choices]
    misfits = [(choice, wrong) for choice, wrong in found if wrong is not None]
    if len(misfits) < len(found):
        return
    inside = [(choice, wrong) for choice, wrong in misfits if len(wrong.pointer) > len(at)]
    # The member that tells kinds of objects apart is right in the kind that was intended.
    intended = [wrong for choice, wrong in inside if _is_of_kind(value, choice)]
    if intended:
        yield max(intended, key=lambda wrong: len(wrong.pointer))
    elif inside and (texts := _kinds(value, tuple(choice for choice, _ in inside))):
        name, words = texts
        yield Misfit((*at, name), join_or(words), is_missing=name not in value)
    else:
        yield Misfit(at, describe_shape(AnyOf(choices)))


def _is_of_kind(value: Any, choice: Value) -> bool:
    if not isinstance(choice, Object):
        return True
    fixed = {key: one for key, one in choice.members.items() if key in choice.required and isinstance(one, FixedText)}
    return all(value.get(key) in one.texts for key, one in fixed.items())


def _kinds(value: Any, choices: tuple[Value, ...]) -> tuple[str, list[str]] | None:
    """The member whose text tells the choices apart, and its texts."""
    objects = [choice for choice in choices if isinstance(choice, Object)]
    for choice in objects:
        for key, member in choice.members.items():
            if isinstance(member, FixedText) and key in choice.required and value.get(key) not in member.texts:
                members = [other.members.get(key) for other in objects]
                return key, [f'"{text}"' for one in members if isinstance(one, FixedText) for text in one.texts]
    return None


def _is_plain(value: Any, shape: Value) -> bool:
    """Whether a value without members is of its shape."""
    match shape:
        case Anything():
            return True
        case Text(pattern):
            return isinstance(value, str) and (not pattern or re.search(pattern, value) is not None)
        case Number():
            return isinstance(value, int | float) and not isinstance(value, bool) and _is_in_range(value, shape)
        case Flag():
            return isinstance(value, bool)
        case FixedText(texts):
            return isinstance(value, str) and value in texts
        case _:
            return False


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "flag"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case _:
            return "object"


def _is_in_range(value: float, shape: Number) -> bool:
    return (
        (not shape.whole or float(value).is_integer())
        and (shape.above is None or value > shape.above)
        and (shape.least is None or value >= shape.least)
        and (shape.most is None or value <= shape.most)
    )


def describe_shape(shape: Value) -> str:
    """A shape in words: "a list of text"."""
    match shape:
        case Anything():
            return "a value"
        case Text():
            return shape.words
        case Number():
            limits = ((" above", shape.above), (" from", shape.least), (" up to", shape.most))
            name = "a whole number" if shape.whole else "a number"
            return name + "".join(f"{word} {limit:g}" for word, limit in limits if limit is not None)
        case Flag():
            return "true or false"
        case FixedText(texts):
            return join_or([f'"{text}"' for text in texts])
        case ListOf(item):
            least = f" of at least {shape.least}" if shape.least else ""
            return f"a list{least}" if item == ANYTHING or shape.least else f"a list of {_plural(item)}"
        case Object():
            required = [f'"{key}"' for key in sorted(shape.required)]
            return f"an object with {join_and(required)}" if required else "an object"
        case AnyOf(choices):
            if len(choices) > 2 and all(isinstance(choice, Object) for choice in choices):
                return "an object"
            return " or ".join(dict.fromkeys(describe_shape(choice) for choice in choices))
        case Tolerant(inner):
            return describe_shape(inner)


def _plural(item: Value) -> str:
    match item:
        case Text():
            return item.words
        case Number():
            return "numbers"
        case Object():
            return "objects"
        case Tolerant(inner):
            return _plural(inner)
        case _:
            return "values"
