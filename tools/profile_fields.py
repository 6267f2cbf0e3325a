"""Counts the fields of the profiles, and the clients that set each: ``python -m tools.profile_fields [--few]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module

from msgspec import NODEFAULT, Struct, structs

from anyhook.dialects import all_profiles
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.profile import Profile

MODULES = ("profile", "contract", "places", "vocabulary", "recognition")
"""Where the structs are that a profile is made of."""
FEW = 3
"""A field that fewer clients set needs a reason."""

Field = tuple[str, str]


def sheets() -> Iterator[type[Struct]]:
    """Every struct that a profile is made of."""
    for name in MODULES:
        module = import_module(f"anyhook.dialects.{name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Struct) and value.__module__ == module.__name__:
                yield value


def setters() -> Mapping[Field, frozenset[str]]:
    """Every field, with the clients in whose profile or variants it has another value than the default."""
    fields = [(sheet.__name__, name) for sheet in sheets() for name in sheet.__struct_fields__]
    found: dict[Field, set[str]] = {field: set() for field in fields}
    for known in all_profiles():
        for field in found.keys() & set(_set_in(known)):
            found[field].add(known.name)
    return {field: frozenset(names) for field, names in found.items()}


def _set_in(value: object) -> Iterator[Field]:
    """The fields that have a value of their own in a value, however deep."""
    if isinstance(value, Struct) and not isinstance(value, Overrides):
        for field in structs.fields(type(value)):
            own = getattr(value, field.name)
            default = field.default if field.default_factory is NODEFAULT else field.default_factory()
            if default is NODEFAULT or own != default:
                yield type(value).__name__, field.name
            yield from _set_in(own)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _set_in(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _set_in(item)


def _overrides(known: Profile) -> Iterator[object]:
    for each in (known, *known.variants.values()):
        for stage in each.overrides.__struct_fields__:
            yield from getattr(each.overrides, stage)


def main() -> int:
    found = setters()
    few = [(f"{sheet}.{name}", names) for (sheet, name), names in found.items() if len(names) < FEW]
    functions = {override for known in all_profiles() for override in _overrides(known)}
    lines = [
        f"{len(found)} fields in {len({sheet for sheet, _ in found})} structs; {len(few)} set by fewer than {FEW}",
        f"{len(functions)} overrides in {len(Overrides.__struct_fields__)} stages",
    ]
    if "--few" in sys.argv:
        lines += [f"{len(names)}  {field}  {' '.join(sorted(names))}" for field, names in few]
    sys.stdout.write("\n".join([*lines, ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
