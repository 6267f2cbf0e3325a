"""What commands do: how they end, what they print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.lint.shell_meaning import (
    PrintedText,
    assigned_names,
    changes_folder,
    ending,
    exits,
    json_members,
    looks_for_files,
    printed,
)
from anyhook.sources.shell_text import scan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./a || true", "|| true"),
        ("./a; exit 0", "; exit 0"),
        ("./a\ntrue", "; true"),
        ("bash -c './a || :'", "|| :"),
        ("./a && b || exit 0", "|| exit 0"),
    ],
)
def test_commands_that_always_succeed(text: str, expected: str) -> None:
    assert ending(scan(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "./a",
        "true",
        "./a && true",
        "./a || exit 2",
        "if x; then exit 2; fi; exit 0",
        "./a || { echo no >&2; exit 2; }; exit 0",
        "if [ -f x ]; then exec ./x; fi; exit 0",
        "set -euo pipefail; ./a; exit 0",
        "./a || true; ./b",
        "exit $status; exit 0",
        "./a || true'",
    ],
)
def test_commands_that_can_fail(text: str) -> None:
    assert ending(scan(text)) == ""


def test_exit_statuses() -> None:
    assert exits(scan("a || exit 2; bash -c 'exit 1'; if b; then exit; fi; echo exit 3")) == {"2", "1", ""}


def test_names_that_the_text_sets_itself() -> None:
    text = "A=1; export B=\"x\"; for C in 1 2; do read -r D E; done; sh -c 'F=2'; local G"
    assert assigned_names(scan(text)) == set("ABCDEFG")


def test_small_questions() -> None:
    assert changes_folder(scan("cd /x && a"))
    assert not changes_folder(scan("echo cd /x"))
    assert looks_for_files(scan("[ -f a ] && ./a"))
    assert looks_for_files(scan("test -x a; ./a"))
    assert not looks_for_files(scan("grep -f a b"))


def test_what_is_printed_and_where() -> None:
    text = """echo -n a; echo b >&2; echo c > f; echo d | cat; printf '%s!' e; x=$(echo g); cat <<E\nh\nE\n"""
    assert list(printed(scan(text))) == [
        PrintedText("a", "stdout"),
        PrintedText("b", "stderr"),
        PrintedText("c", "elsewhere"),
        PrintedText("d", "elsewhere"),
        PrintedText("e!", "stdout"),
        PrintedText("g", "elsewhere"),
        PrintedText("h", "stdout"),
    ]


def test_members_of_an_object() -> None:
    text = '{"decision": "block", "x": {"y": {"z": true}}, "list": [{"no": 1}], "n": $COUNT, "r": "$WHY"}'
    assert json_members(text) == {
        ("decision",): "block",
        ("x",): "",
        ("x", "y"): "",
        ("x", "y", "z"): "true",
        ("list",): "",
        ("n",): "$COUNT",
        ("r",): "$WHY",
    }


@pytest.mark.parametrize("text", ["", "plain", "[1]", '"a": 1', "{", "}{", "{{{{"])
def test_what_is_no_object(text: str) -> None:
    assert json_members(text) == {}


@given(st.text(alphabet=st.sampled_from(list('{}[]":,ab $\\\n')), max_size=80))
def test_no_text_breaks_the_reading_of_members(text: str) -> None:
    for path in json_members(text):
        assert path


@given(st.text(alphabet=st.sampled_from(list("abexit02 $\"'`\\(){}<>|&;#=\n./-")), max_size=60))
def test_no_text_breaks_the_questions(text: str) -> None:
    scanned = scan(text)
    list(printed(scanned))
    exits(scanned)
    ending(scanned)
