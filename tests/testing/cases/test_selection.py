"""Selection: which cases are meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.problems import UsageError
from anyhook.testing.cases.cases import BrokenCase, Case, CaseFolder
from anyhook.testing.cases.selection import parse_expression, select


def case(name: str, stem: str, event: str) -> Case:
    return Case(name=name, event=event, folder=CaseFolder(Path()), file=Path(f"{stem}.yaml"))


CASES = [
    case("blocks-etc", "01-pre-tool-block", "pre-tool-use"),
    case("allows-src", "02-pre-tool-allow", "PreToolUse"),
    case("formats", "03-format", "post-tool-use"),
    BrokenCase("broken", Path("04-broken.yaml"), (), "stop"),
]


def names(**wanted: object) -> list[str]:
    return [found.name for found in select(CASES, **wanted)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("01-pre-tool-block", ["blocks-etc"]),
        ("01-pre-tool-block.yaml", ["blocks-etc"]),
        ("blocks-etc", ["blocks-etc"]),
        ("0[12]-*", ["blocks-etc", "allows-src"]),
        ("*broken", ["broken"]),
        ("blocks", []),
    ],
)
def test_a_pattern_is_a_name_or_the_stem_of_a_file(pattern: str, found: list[str]) -> None:
    assert names(patterns=[pattern]) == found


def test_an_event_has_any_client_s_name() -> None:
    for event in ("pre-tool-use", "PreToolUse", "preToolUse", "BeforeTool"):
        assert names(event=event) == ["blocks-etc", "allows-src"]
    assert names(event="nothing") == []


def test_an_event_has_the_names_that_the_universal_hooks_spec_lists_for_it() -> None:
    assert names(event="beforeShellCommand") == ["blocks-etc", "allows-src"]
    assert names(event="afterFileEdit") == ["formats"]
    of_cursor = Case(
        name="edits", event="afterFileEdit", client="cursor", folder=CaseFolder(Path()), file=Path("5.yaml")
    )
    assert select([of_cursor], event="AfterFileEdit") == [of_cursor]
    assert select([of_cursor], event="post-tool-use") == []


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("pre", ["blocks-etc", "allows-src"]),
        ("PRE and not etc", ["allows-src"]),
        ("etc or stop", ["blocks-etc", "broken"]),
        ("not (pre-tool or broken)", ["formats"]),
        ("pre-tool and (etc or src)", ["blocks-etc", "allows-src"]),
        ("not not etc", ["blocks-etc"]),
        ("etc and src or stop", ["broken"]),
    ],
)
def test_words_can_be_joined(expression: str, found: list[str]) -> None:
    assert names(expression=expression) == found


@pytest.mark.parametrize("expression", ["", "and", "a and", "(a", "a b", "a)", "not", "()"])
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(UsageError, match="-k"):
        parse_expression(expression)


@given(st.text("ab ()not", max_size=20))
def test_an_expression_is_understood_or_refused(expression: str) -> None:
    try:
        chooser = parse_expression(expression)
    except UsageError:
        return
    assert chooser("a b") in (True, False)
