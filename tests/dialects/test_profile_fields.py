"""No field of a profile is dead: some dialect sets it, some code reads it, and each of its values is used."""

from __future__ import annotations

import ast
import enum
import typing
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import pytest
from msgspec import NODEFAULT, Struct, structs

from anyhook.dialects import all_profiles, dialect
from anyhook.dialects.releases import as_of
from tests.checkout import ROOT
from tools.profile_fields import FEW, MODULES, setters, sheets

SOURCE = ROOT / "src" / "anyhook"


def parts(value: object) -> Iterator[Struct]:
    """Every struct in a value, however deep."""
    if isinstance(value, Struct):
        yield value
        for name in value.__struct_fields__:
            yield from parts(getattr(value, name))
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from parts(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from parts(item)


def loaded() -> list[Struct]:
    """The profiles, those of the oldest releases, and those that a client's module keeps for an older format."""
    profiles = [*all_profiles(), *(as_of(known, known.oldest) for known in all_profiles() if known.changes)]
    for known in all_profiles():
        module = import_module(type(dialect(known.name)).__module__)
        profiles += [value for value in vars(module).values() if isinstance(value, type(known))]
    return [part for known in profiles for part in parts(known)]


@pytest.fixture(scope="module")
def made() -> list[Struct]:
    return loaded()


def default_of(field: structs.FieldInfo) -> Any:
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def read_names() -> frozenset[str]:
    """Names that code outside the clients' modules reads as an attribute, or by getattr with a text."""
    names: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        if "clients" in path.relative_to(SOURCE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                names.add(node.attr)
    return frozenset(names)


def test_some_dialect_sets_every_field(made: list[Struct]) -> None:
    unset = [
        f"{sheet.__name__}.{field.name}"
        for sheet in sheets()
        for field in structs.fields(sheet)
        if all(getattr(part, field.name) == default_of(field) for part in made if isinstance(part, sheet))
    ]
    assert unset == []


def test_some_code_reads_every_field() -> None:
    read = read_names()
    fields = [(sheet, field.name) for sheet in sheets() for field in structs.fields(sheet)]
    assert len(fields) > 100
    assert [f"{sheet.__name__}.{name}" for sheet, name in fields if name not in read] == []


def test_some_dialect_uses_every_value(made: list[Struct]) -> None:
    for sheet in sheets():
        for name, hint in typing.get_type_hints(sheet).items():
            if typing.get_origin(hint) is typing.Literal:
                used = {getattr(part, name) for part in made if isinstance(part, sheet)}
                assert used == set(typing.get_args(hint)), f"{sheet.__name__}.{name}"


def test_every_value_of_an_enumeration_is_used_somewhere() -> None:
    enums = {
        value
        for module in MODULES
        for value in vars(import_module(f"anyhook.dialects.{module}")).values()
        if isinstance(value, type) and issubclass(value, enum.Enum) and value.__module__.endswith(module)
    }
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    assert enums
    assert [str(value) for kind in enums for value in kind if f"{kind.__name__}.{value.name}" not in text] == []


def test_the_schema_does_not_grow() -> None:
    """What fewer than three clients do is an override; the numbers may only become smaller."""
    found = setters()
    assert len(found) <= 252
    assert sum(len(clients) < FEW for clients in found.values()) <= 97
