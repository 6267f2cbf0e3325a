"""Guards are added, changed and removed in the text of anyhook.toml; everything else in it stays."""

from __future__ import annotations

import tomllib

import pytest

from anyhook.model.problems import AnyhookError
from anyhook.sources.editing.guard_tables import guards_in, with_guard, without_guard

SETTINGS = '# mine\n[clients]\ncodex = "0.147.0"  # pinned\n'
FULL = f"""{SETTINGS}
# the guard
[guards.shell]  # why
# note
families = {{ git = "off" }}

[[guards.shell.exceptions]]
clients = ["codex"]

# models
[models]
default = "x"

[guards.shell.more]
x = 1
"""


def test_a_table_is_added_at_the_end() -> None:
    assert with_guard("", "shell", None) == "[guards.shell]\n"
    assert with_guard(SETTINGS, "shell", "ask") == f'{SETTINGS}\n[guards.shell]\nlevel = "ask"\n'
    assert with_guard("a = 1", "shell", None) == "a = 1\n\n[guards.shell]"


def test_a_guard_that_is_there_keeps_its_settings() -> None:
    assert with_guard(FULL, "shell", None) == FULL


def test_a_level_is_set_or_replaced() -> None:
    assert with_guard(FULL, "shell", "ask") == FULL.replace(
        "[guards.shell]  # why\n", '[guards.shell]  # why\nlevel = "ask"\n'
    )
    text = '[guards.shell]\nlevel = "off" # for now\n'
    assert with_guard(text, "shell", "warn") == '[guards.shell]\nlevel = "warn" # for now\n'


def test_a_level_within_another_table_is_left_to_the_user() -> None:
    with pytest.raises(AnyhookError, match=r"anyhook.toml:2: the guard is written within another table"):
        with_guard("[guards]\nshell = { families = {} }\n", "shell", "ask", "anyhook.toml")


def test_all_tables_of_a_guard_are_removed_and_nothing_else() -> None:
    left = without_guard(FULL, "shell")
    assert left == f'{SETTINGS}\n# the guard\n\n# models\n[models]\ndefault = "x"\n'
    assert tomllib.loads(left) == {"clients": {"codex": "0.147.0"}, "models": {"default": "x"}}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[guards.shell]\n", ""),
        ('a = 1\r\n\r\n[guards.shell]\r\nlevel = "ask"\r\n', "a = 1\r\n"),
        ('[guards]\nshell = { level = "ask" }\nother = {}\n', "[guards]\nother = {}\n"),
        ('[guards."shell"]\n[x]\n', "[x]\n"),
    ],
)
def test_removals(text: str, left: str) -> None:
    assert without_guard(text, "shell") == left


@pytest.mark.parametrize("text", ["", SETTINGS, "a = 1\n", '[x]\ny = """\n[guards.shell]\n"""\n'])
def test_an_added_guard_can_be_removed_again(text: str) -> None:
    assert without_guard(with_guard(text, "shell", "ask"), "shell") == text


def test_what_is_not_toml_is_not_changed() -> None:
    with pytest.raises(AnyhookError, match=r"anyhook.toml:2: .*\ncorrect the syntax there"):
        guards_in("a = 1\nb =\n", "anyhook.toml")
    with pytest.raises(AnyhookError, match="guards must be a table"):
        guards_in("guards = 1\n", "anyhook.toml")
