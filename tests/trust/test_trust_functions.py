"""Trust of functions: a package of Python hooks alone needs it, and loses it with any code that they import."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.trust.decide import TrustState
from tests.trust.trust_projects import Project

GUARD = """\
from _rules import is_bad

from anyhook import deny, hook


@hook("PreToolUse", matcher="Bash")
def guard(event):
    return deny("no") if is_bad(event.command) else None
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    project = Project(tmp_path / "shop")
    (project.folder / "hooks/hooks.json").unlink()
    project.write("hooks/guard.py", GUARD)
    project.write("hooks/_rules.py", "from lib.words import BAD\n\ndef is_bad(command): return command in BAD\n")
    project.write("hooks/lib/__init__.py", "")
    project.write("hooks/lib/words.py", "BAD = ()\n")
    return project


def test_a_package_of_functions_alone_needs_trust(package: Project) -> None:
    assert package.check().state is TrustState.UNKNOWN
    package.trust()
    assert package.check().state is TrustState.TRUSTED


@pytest.mark.parametrize("file", ["hooks/guard.py", "hooks/_rules.py", "hooks/lib/__init__.py", "hooks/lib/words.py"])
def test_code_that_has_changed_is_not_trusted_any_more(package: Project, file: str) -> None:
    package.trust()
    package.write(file, (package.folder / file).read_text() + "import os\n")
    trust = package.check()
    assert trust.state is TrustState.CHANGED
    assert file in [change.path for change in trust.changes]


def test_a_function_that_has_come_is_not_trusted_either(package: Project) -> None:
    package.trust()
    package.write("hooks/other.py", GUARD.replace("guard", "other"))
    assert package.check().state is TrustState.CHANGED


def test_another_matcher_is_another_hook(package: Project) -> None:
    package.trust()
    package.write("hooks/guard.py", GUARD.replace('"Bash"', '"Write"'))
    assert any(change.is_definition for change in package.check().changes)
