from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import anyhook.guards
import anyhook.record
import anyhook.sources
from anyhook.lazy_pattern import LazyPattern

PACKAGES = (anyhook.guards, anyhook.sources, anyhook.record)


def lazy_patterns() -> Iterator[tuple[str, LazyPattern]]:
    """The patterns of the modules that have many of them, also those in tables."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                for found in _patterns_in(value):
                    yield f"{module.name}.{name}", found


def _patterns_in(value: object) -> Iterator[LazyPattern]:
    if isinstance(value, LazyPattern):
        yield value
    elif isinstance(value, dict | tuple | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _patterns_in(item)


def test_every_pattern_can_be_compiled() -> None:
    found = dict(lazy_patterns())
    assert found
    for where, pattern in found.items():
        try:
            pattern.search("")
        except re.error as error:
            pytest.fail(f"{where}: {error}")


def test_a_pattern_finds_what_the_compiled_one_finds() -> None:
    lazy, compiled = LazyPattern(r"(b)[ac]", re.IGNORECASE), re.compile(r"(b)[ac]", re.IGNORECASE)
    for text in ("", "abac", "BC", "xBa bc"):
        for method in ("search", "match", "fullmatch"):
            assert str(getattr(lazy, method)(text)) == str(getattr(compiled, method)(text))
        assert lazy.findall(text) == compiled.findall(text)
        assert lazy.split(text) == compiled.split(text)
        assert lazy.sub("-", text) == compiled.sub("-", text)
        assert list(map(str, lazy.finditer(text))) == list(map(str, compiled.finditer(text)))


def test_a_pattern_is_compiled_on_its_first_use() -> None:
    broken = LazyPattern("(")
    with pytest.raises(re.error):
        broken.search("")
