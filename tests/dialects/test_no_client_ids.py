"""Only a client's own module names the client: whatever else must be known about it is a field of its profile."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from anyhook.dialects import NAMES, nicknames
from anyhook.dialects.clients import OWN
from tests.checkout import ROOT

SOURCE = ROOT / "src" / "anyhook"
CLIENTS = SOURCE / "dialects" / "clients"
DRIVERS = SOURCE / "prove" / "clients"
"""How each client is driven: its program, its settings."""
ELSEWHERE = [path for path in sorted(SOURCE.rglob("*.py")) if not {CLIENTS, DRIVERS} & set(path.parents)]
IDS = frozenset({*NAMES, *nicknames(), *(name.replace("-", "_") for name in NAMES)})
ALLOWED = {
    ("lint/rules/commands.py", "vscode"): "the account of development containers",
    ("frameworks/claude_agent_sdk.py", "claude-code"): "the client that this SDK is made of",
}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def constants(tree: ast.AST) -> Iterator[ast.Constant]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_client_id(text: str) -> bool:
    """A client's name or nickname, or the start of one."""
    return text in IDS or (text.endswith("-") and any(name.startswith(text) for name in NAMES))


def test_the_list_of_clients_is_the_folder() -> None:
    modules = {path.stem for path in CLIENTS.iterdir() if not path.name.startswith("_")}
    assert {name.replace("-", "_") for name in NAMES} == modules


def test_no_client_is_named_outside_its_module() -> None:
    found = [
        (path.relative_to(SOURCE).as_posix(), str(node.value))
        for path in ELSEWHERE
        for node in constants(parse(path))
        if is_client_id(str(node.value))
    ]
    assert [named for named in found if named not in ALLOWED] == []


def test_no_clients_module_is_imported_by_name() -> None:
    found = [
        (path, node.module) for path in ELSEWHERE for node in ast.walk(parse(path)) if isinstance(node, ast.ImportFrom)
    ]
    assert [named for named in found if (named[1] or "").startswith("anyhook.dialects.clients.")] == []


@pytest.mark.parametrize("path", sorted(CLIENTS.rglob("*.py")), ids=lambda p: p.stem)
def test_a_client_does_not_build_on_another_ones_module(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = path.parent.name if path.parent != CLIENTS else path.stem
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    others = [name for name in imported if name.startswith("anyhook.dialects.clients.")]
    assert [name for name in others if name.split(".")[3] != own] == []


def test_a_driver_belongs_to_a_client() -> None:
    assert {path.stem.replace("_", "-") for path in DRIVERS.glob("[!_]*.py")} <= set(NAMES)


def test_the_own_format_has_a_constant() -> None:
    assert OWN in NAMES
