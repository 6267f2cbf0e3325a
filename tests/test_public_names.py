"""``import anyhook`` is cheap, and every public name is where the package says."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from msgspec import UNSET, Struct, structs

import anyhook
from anyhook import agent_sdk
from anyhook.dialects.events import native_names
from tests.checkout import SOURCE

PUBLIC = [name for name in anyhook.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", PUBLIC)
def test_name_resolves_to_the_object_of_its_module(name: str) -> None:
    assert getattr(anyhook, name) is getattr(import_module(anyhook._HOMES[name]), name)
    assert name in dir(anyhook)


def test_there_are_few() -> None:
    assert len(anyhook.__all__) <= 30


@pytest.mark.parametrize("name", PUBLIC)
def test_no_field_of_a_public_type_is_ever_unset(name: str) -> None:
    """A user has None to think of, and no third thing."""
    value = getattr(anyhook, name)
    if isinstance(value, type) and issubclass(value, Struct):
        for field in structs.fields(value):
            assert field.default is not UNSET
            assert "UnsetType" not in str(field.type)


def test_the_types_of_the_agent_sdk_are_in_a_module_of_their_own() -> None:
    assert all(hasattr(agent_sdk, name) for name in agent_sdk.__all__)
    assert {"SyncOutput", "AsyncOutput", "HookMatcher"} <= {*agent_sdk.__all__} - {*anyhook.__all__}
    assert {event.name for event in native_names("agent-sdk").values()} <= {*agent_sdk.__all__}


def test_table_all_and_type_checking_imports_agree() -> None:
    tree = ast.parse(Path(anyhook.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("anyhook.")
        for alias in node.names
    }
    assert typed == anyhook._HOMES
    assert set(PUBLIC) == set(typed)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'anyhook' has no attribute 'Hookset'"):
        getattr(anyhook, "Hookset")  # noqa: B009  (mypy knows that the attribute does not exist)


def test_import_brings_in_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import anyhook; print(*sorted(set(sys.modules) - before))"
    source = str(SOURCE)
    ran = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True)
    assert ran.stdout.split() == ["anyhook"], ran.stderr


def test_a_file_of_hooks_brings_in_next_to_nothing() -> None:
    code = (
        "import sys; from anyhook import deny, hook; print({'asyncio', 'msgspec', 'typing', 'enum'} & {*sys.modules})"
    )
    source = str(SOURCE)
    ran = subprocess.run(
        [sys.executable, "-SEc", f"sys = __import__('sys'); sys.path.append({source!r}); {code}"],
        capture_output=True,
        text=True,
    )
    assert ran.stdout.strip() == "set()", ran.stderr
