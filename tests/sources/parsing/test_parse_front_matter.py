"""parse_front_matter: plain data from the YAML of a Markdown file, with places in the whole file."""

from __future__ import annotations

import io
import json
import os
import string
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from anyhook.model.document import Document, Format, Pointer, Quirk, QuirkKind, Span
from anyhook.sources.parsing.parse_front_matter import parse_front_matter, parse_yaml

SKILL = """\
---
name: guard
hooks:
  PreToolUse:
    - matcher: Bash  # only the shell
      hooks:
        - type: command
          command: >-
            echo "#1"
            done

        # the end
    - {matcher: "Edit|Write", hooks: []}
timeout:
---
# Guard
name: no
"""

WORDS = st.text(st.sampled_from(string.ascii_letters + string.digits + " :#-'\"\\[]{},&*!|>%@`?~.é\n\t"), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)
INDICATORS = "[]{},:?&*!|>'\"\\#%@`~-\n\r\t "
STRUCTURE = (
    "b: ",
    "- ",
    "\n  ",
    "&a ",
    "*a",
    "<<: ",
    "!!int ",
    "!!bool ",
    "!<x> ",
    "|2",
    "...",
    "\n---\n",
    "%YAML 1.11",
)
PLAIN = ("a", "1_0", "0o9", "0x", "1e9", ".inf", "2020-01-01", "\\x", "\ufeff", "\0", "\ud800")
FRAGMENTS = st.sampled_from([*INDICATORS, *STRUCTURE, *PLAIN])


def in_front(yaml: str) -> str:
    return f"---\n{yaml}\n---\n"


def parts(value: Any) -> Iterator[tuple[str | int, Any]]:
    yield from value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()


def pointers(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    yield pointer, value
    for part, child in parts(value):
        yield from pointers(child, (*pointer, part))


def types(value: Any) -> set[type]:
    return {type(value)}.union(*(types(child) for _, child in parts(value)))


def cuts(document: Document) -> dict[Pointer, str]:
    return {pointer: document.text[span.start : span.end] for pointer, span in document.spans.items()}


def test_front_matter_becomes_plain_data() -> None:
    document = parse_front_matter(SKILL, "SKILL.md")
    assert (document.path, document.format, document.quirks) == ("SKILL.md", Format.FRONT_MATTER, ())
    command = {"type": "command", "command": 'echo "#1" done'}
    assert document.data == {
        "name": "guard",
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [command]}, {"matcher": "Edit|Write", "hooks": []}],
        },
        "timeout": None,
    }
    assert types(document.data) == {dict, list, str, type(None)}


def test_spans_cut_values_out_of_the_whole_file() -> None:
    document = parse_front_matter(SKILL)
    first, second = ("hooks", "PreToolUse", 0), ("hooks", "PreToolUse", 1)
    found = cuts(document)
    assert found.keys() == dict(pointers(document.data)).keys()
    assert found[()].startswith("name: guard\nhooks:\n")
    assert found[()].endswith("\ntimeout:")
    assert found[("name",)] == "guard"
    assert found[(*first, "matcher")] == "Bash"
    assert found[(*first, "hooks", 0, "command")] == '>-\n            echo "#1"\n            done'
    assert found[(*first, "hooks")].endswith("done")
    assert found[second] == '{matcher: "Edit|Write", hooks: []}'
    assert found[("timeout",)] == ""
    assert document.position(first) == (5, 7)
    assert document.position((*first, "hooks", 0, "command")) == (8, 11)
    assert document.position((*second, "hooks")) == (13, 31)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_lines_may_end_in_any_way(newline: str) -> None:
    document = parse_front_matter(SKILL.replace("\n", newline))
    assert document.data == parse_front_matter(SKILL).data
    assert document.position(("timeout",)) == (14, 1)


def test_a_byte_order_mark_is_a_quirk_and_shifts_no_offset() -> None:
    document = parse_front_matter("\ufeff---\na: 1\n---\n")
    assert document.data == {"a": 1}
    assert document.quirks == (Quirk(QuirkKind.BYTE_ORDER_MARK, 0, 1),)
    assert document.spans[("a",)] == Span(8, 9, key=5)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n",
        "---",
        "---\n",
        "---\na: 1\n",
        "----\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "---\na: 1\n----\n --- \n",
    ],
)
def test_a_file_without_front_matter_has_no_data_and_no_quirk(text: str) -> None:
    document = parse_front_matter(text)
    assert (document.data, document.quirks, document.spans) == (None, (), {})


@pytest.mark.parametrize("text", ["---\n---\n", "---\n# only a comment\n---", "--- \n\n---\t\nbody"])
def test_empty_front_matter_is_no_data(text: str) -> None:
    document = parse_front_matter(text)
    assert (document.data, document.quirks) == (None, ())


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("~", None),
        ("010", 10),
        ("0o17", 15),
        ("1e3", 1000.0),
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00Z"),
        ("12:30", "12:30"),
        ('!!str "1"', "1"),
        ("!!int '7'", 7),
        ("!custom x", "x"),
        ("!!set {x, y}", {"x": None, "y": None}),
        ("!!binary aGk=", "aGk="),
    ],
)
def test_scalars_follow_yaml_1_2_and_are_plain(yaml: str, value: object) -> None:
    data = parse_front_matter(in_front(f"a: {yaml}")).data
    assert data == {"a": value}
    assert types(data) == types({"a": value})


def test_keys_are_strings_as_they_are_written() -> None:
    document = parse_front_matter(in_front("1: a\non: b\n~: c\n'q': d\n2.50: e\n[x, y]: f\n? {z: 1}\n: g"))
    assert document.data == {"1": "a", "on": "b", "~": "c", "q": "d", "2.50": "e", "[x, y]": "f", "{z: 1}": "g"}


def test_a_template_placeholder_is_no_crash() -> None:
    assert parse_front_matter(in_front("a: {{ name }}")).data == {"a": {"{ name }": None}}


def test_of_duplicate_keys_the_last_wins_and_each_earlier_one_is_reported() -> None:
    document = parse_front_matter(in_front("a: {x: 1}\nb: 2\na: 3\n'a': {y: 4}"))
    assert document.data == {"a": {"y": 4}, "b": 2}
    assert document.spans.keys() == dict(pointers(document.data)).keys()
    assert [document.text[quirk.offset : quirk.end] for quirk in document.quirks] == ["a: {x: 1}", "a: 3"]
    assert {(quirk.kind, quirk.text, quirk.pointer) for quirk in document.quirks} == {
        (QuirkKind.DUPLICATE_KEY, "a", ("a",))
    }


def test_an_alias_repeats_the_value_but_not_its_quirks() -> None:
    document = parse_front_matter(in_front("a: &x {k: 1, k: 2}\nb:\n  - *x\n  - *x"))
    assert document.data == {"a": {"k": 2}, "b": [{"k": 2}, {"k": 2}]}
    assert len(document.quirks) == 1
    assert document.position(("b",)) == (3, 1)
    assert cuts(document)[()].endswith("- *x")


def test_an_anchor_may_be_used_again_and_a_merge_key_is_an_ordinary_key(recwarn: pytest.WarningsRecorder) -> None:
    document = parse_front_matter(in_front("- &a 1\n- &a {x: 2}\n- {<<: *a}"))
    assert document.data == [1, {"x": 2}, {"<<": {"x": 2}}]
    assert list(recwarn) == []


# The mark § shows where the error is reported.
BROKEN = {
    "colon in a value": ("a: b§: c", "mapping values are not allowed here: a value that contains ': ' needs quotes"),
    "tab": ("a:\n§\t- x", "YAML is indented with spaces, not with tabs"),
    "at sign": ("a: §@x", "a value that starts with @ needs quotes"),
    "open string": ("a: §'x", "found unexpected end of stream"),
    "open list": ("a: §[1, 2", "expected ',' or ']', but got the end"),
    "unknown alias": ("a: §*x", "found undefined alias 'x'"),
    "control character": ("a: §\x07", "YAML does not allow the character U+0007"),
    "bad number": ("a: §!!int x", "cannot be read as int"),
    "bad boolean": ("a: §!!bool x", "cannot be read as bool"),
    "huge integer": ("a: §" + "9" * 5000, "cannot be read as int"),
    "second document": ("a: 1\n§--- {b: 2}", "expected a single document in the stream"),
    "alias in its own anchor": ("§&a [*a]", "nested deeper than 100 levels"),
    "block alias in its own anchor": ("§&a\n- *a", "nested deeper than 100 levels"),
    "101 lists": ("[" * 100 + "§[]" + "]" * 100, "nested deeper than 100 levels"),
}


@pytest.mark.parametrize(("marked", "message"), BROKEN.values(), ids=BROKEN)
def test_bad_yaml_says_what_and_where(marked: str, message: str) -> None:
    offset = in_front(marked).index("§")
    document = parse_front_matter(in_front(marked.replace("§", "")))
    (quirk,) = document.quirks
    assert quirk.kind is QuirkKind.BROKEN
    assert message in quirk.text
    assert quirk.offset == offset
    assert document.data is None
    assert document.spans == {}


@pytest.mark.parametrize("yaml", ["%YAML 1.11", "[" * 5000, "- " * 5000, "? " * 5000, "{a: " * 5000])
def test_what_ruamel_cannot_bear_is_one_quirk(yaml: str) -> None:
    document = parse_front_matter(in_front(yaml))
    assert document.data is None
    assert [quirk.kind for quirk in document.quirks] == [QuirkKind.BROKEN]


def test_a_hundred_levels_are_read() -> None:
    document = parse_front_matter(in_front("[" * 100 + "]" * 100))
    assert document.quirks == ()
    assert len(document.spans) == 100


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_a_billion_laughs_are_refused(brackets: str) -> None:
    lines = ["l0: &l0 ha"]
    for level in range(1, 12):
        laughs = ", ".join(f"{f'k{index}: ' if brackets == '{}' else ''}*l{level - 1}" for index in range(10))
        lines.append(f"l{level}: &l{level} {brackets[0]}{laughs}{brackets[1]}")
    document = parse_front_matter(in_front("\n".join(lines)))
    assert document.data is None
    assert [quirk.text for quirk in document.quirks] == ["more than 100000 values after resolving aliases"]


def test_many_aliases_of_one_large_key_and_value_share_their_text() -> None:
    large = "x" * 50_000
    document = parse_front_matter(in_front(f"- &k [{large}]\n- &v |\n  {large}\n" + "- {? *k : *v}\n" * 500))
    assert document.data[2] == document.data[-1] == {f"&k [{large}]": large + "\n"}


@given(st.dictionaries(WORDS, VALUES, min_size=1, max_size=4))
def test_what_ruamel_writes_is_read_back_with_spans(value: dict[str, Any]) -> None:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    stream = io.StringIO()
    yaml.dump(value, stream)
    document = parse_front_matter(f"---\n{stream.getvalue()}---\nbody\n")
    assert document.data == value
    assert document.quirks == ()
    assert document.spans.keys() == dict(pointers(value)).keys()
    for pointer, part in pointers(value):
        span = document.spans[pointer]
        _, column = document.line_column(span.start)
        alone = " " * (column - 1) + document.text[span.start : span.end]
        assert YAML(typ="safe", pure=True).load(alone + "\n") == part


@given(VALUES)
def test_json_is_yaml(value: Any) -> None:
    document = parse_front_matter(in_front(json.dumps({"a": value}, ensure_ascii=False)))
    assert document.data == {"a": value}
    assert document.quirks == ()


@given(st.text() | st.text().map(in_front) | st.lists(FRAGMENTS, max_size=20).map("".join).map(in_front))
def test_no_text_raises(text: str) -> None:
    document = parse_front_matter(text)
    if any(quirk.kind is QuirkKind.BROKEN for quirk in document.quirks):
        assert document.data is None
        assert document.spans == {}
    elif document.spans:
        assert document.spans.keys() == dict(pointers(document.data)).keys()
    assert all(0 <= span.start <= span.end <= len(text) for span in document.spans.values())


def test_a_yaml_file_has_its_places() -> None:
    document = parse_yaml("name: a\n\nexpected:\n  exit-code: 2\n")
    assert document.data == {"name": "a", "expected": {"exit-code": 2}}
    assert document.position(("expected", "exit-code")) == (4, 3)


def test_a_broken_yaml_file_has_a_quirk_with_its_place() -> None:
    document = parse_yaml("a: b\n  c: d\n")
    assert document.data is None
    assert document.line_column(document.quirks[0].offset)[0] == 2


def test_a_byte_order_mark_of_a_yaml_file_is_a_quirk() -> None:
    document = parse_yaml("\ufeffa: b\n")
    assert document.data == {"a": "b"}
    assert [quirk.kind for quirk in document.quirks] == ["byte order mark"]


def test_ruamel_is_imported_only_when_there_is_front_matter() -> None:
    program = (
        "import sys; from anyhook.sources.parsing.parse_front_matter import parse_front_matter;"
        "parse_front_matter('# Title'); print('ruamel.yaml' in sys.modules);"
        "parse_front_matter('---\\na: 1\\n---'); print('ruamel.yaml' in sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
