"""parse_toml: the data of tomllib, and the place of every table and key."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.model.document import Document, Format, Pointer, Quirk, QuirkKind
from anyhook.sources.parsing.parse_toml import parse_toml

CODEX = '''\
# hooks of the team
model = "o3"  # not "o4"

[hooks]
enabled = true

[[hooks.PreToolUse]]
matcher = "^Bash$"

[[hooks.PreToolUse.hooks]]
type = "command"
command = """
[hooks.fake]
key = "no"
"""

[[hooks.PreToolUse.hooks]]
command = <literal>[[hooks.fake]] # <literal>
timeout.seconds = 30

[[hooks.PreToolUse]]
hooks = [
  { type = "command", command = "]" }, # }
]
'''.replace("<literal>", "'" * 3)

KEYS = st.sampled_from(["a", "b", "-1", '"c d"', "'e.f'", r'"\u0061"', '""', '"#"', '"]"', r'"\""', "' = '"])
DOTTED = st.lists(KEYS, min_size=1, max_size=3).flatmap(
    lambda keys: st.sampled_from([".", " . ", "\t."]).map(lambda dot: dot.join(keys))
)
SIMPLE = ("1", "-0.5e3", "true", "inf", "0x1F", '"x"', "'x'", '""', "''", r'"\"#["', "'\\'", "1979-05-27 07:32:00Z")
INLINE = ("[]", "{}", "[1, [2, 3]]", "[\n  \"]\", # ]\n  '[',\n]", '{ a = "}", b.c = [1] }', "[{ a = 1 }, { a = 2 }]")
BASIC = ("x", "", "\n[a]\n", '"x', 'x"', 'x""', r"\"", "\\\n  x", "a\n# b = 1\n", "'''")
LITERAL = ("x", "", "\n[[a]]\n", "'x''", "\\", '"""')
MULTI_LINE = (*(f'"""{text}"""' for text in BASIC), *(f"'''{text}'''" for text in LITERAL))
LITERALS = st.sampled_from([*SIMPLE, *INLINE, *MULTI_LINE])
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, DOTTED, LITERALS),
    st.builds("{}={}".format, KEYS, LITERALS),
    st.builds("[{}]".format, DOTTED),
    st.builds("[[ {} ]]".format, DOTTED),
    st.sampled_from(["# [c]", ""]),
)
LINES = st.builds("{}{}{}".format, st.sampled_from(["", "  ", "\t"]), STATEMENTS, st.sampled_from(["", " ", " # = ["]))


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Valid TOML: of the lines drawn, those that keep it valid."""
    text = ""
    for line in draw(st.lists(LINES, max_size=12)):
        longer = f"{text}{line}\n"
        try:
            tomllib.loads(longer)
        except tomllib.TOMLDecodeError:
            continue
        text = longer
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def at(data: Any, pointer: Pointer) -> Any:
    for part in pointer:
        data = data[part]
    return data


def read_alone(literal: str) -> Any:
    try:
        return tomllib.loads(f"value = {literal}")["value"]
    except tomllib.TOMLDecodeError:
        return None


def key_at(document: Document, offset: int) -> str:
    """The key that a statement cut off at this offset begins with."""
    rest = document.text[offset:]
    for end in range(1, len(rest) + 1):
        try:
            (key,) = tomllib.loads(f"{rest[:end]} = 0")
        except tomllib.TOMLDecodeError:
            continue
        if rest[end : end + 1] in (".", "=", "]", " ", "\t"):
            return key
    raise AssertionError(rest)


def assert_written_here(document: Document, pointer: Pointer = ()) -> None:
    """Every value either has a span that cuts it out of the text, or all its parts are written one by one."""
    value = at(document.data, pointer)
    span = document.spans[pointer]
    if read_alone(document.text[span.start : span.end]) == value:
        return
    assert isinstance(value, dict | list), pointer
    for part in value if isinstance(value, dict) else range(len(value)):
        assert_written_here(document, (*pointer, part))


def place(document: Document, pointer: Pointer) -> str:
    """The rest of the line at which a pointer is shown to people."""
    line, column = document.position(pointer)
    return document.text.splitlines()[line - 1][column - 1 :]


def test_tables_keys_and_arrays_of_tables_have_their_places() -> None:
    document = parse_toml(CODEX, "config.toml")
    assert (document.path, document.format, document.quirks) == ("config.toml", Format.TOML, ())
    assert document.data == tomllib.loads(CODEX)
    first, second = ("hooks", "PreToolUse", 0), ("hooks", "PreToolUse", 1)
    assert {pointer: place(document, pointer) for pointer in document.spans} == {
        (): "# hooks of the team",
        ("model",): 'model = "o3"  # not "o4"',
        ("hooks",): "hooks]",
        ("hooks", "enabled"): "enabled = true",
        ("hooks", "PreToolUse"): "PreToolUse]]",
        first: "[[hooks.PreToolUse]]",
        (*first, "matcher"): 'matcher = "^Bash$"',
        (*first, "hooks"): "hooks]]",
        (*first, "hooks", 0): "[[hooks.PreToolUse.hooks]]",
        (*first, "hooks", 0, "type"): 'type = "command"',
        (*first, "hooks", 0, "command"): 'command = """',
        (*first, "hooks", 1): "[[hooks.PreToolUse.hooks]]",
        (*first, "hooks", 1, "command"): "command = '''[[hooks.fake]] # '''",
        (*first, "hooks", 1, "timeout"): "timeout.seconds = 30",
        (*first, "hooks", 1, "timeout", "seconds"): "seconds = 30",
        second: "[[hooks.PreToolUse]]",
        (*second, "hooks"): "hooks = [",
    }


def test_elements_of_an_array_of_tables_are_told_apart() -> None:
    document = parse_toml(CODEX)
    hooks = ("hooks", "PreToolUse", 0, "hooks")
    assert [document.position((*hooks, index))[0] for index in (0, 1)] == [10, 17]
    assert document.position(("hooks", "PreToolUse", 1))[0] == 21


def test_a_part_of_an_inline_array_is_found_at_its_key() -> None:
    document = parse_toml(CODEX)
    pointer = ("hooks", "PreToolUse", 1, "hooks")
    assert at(document.data, (*pointer, 0, "command")) == "]"
    assert document.position((*pointer, 0, "command")) == document.position(pointer) == (22, 1)


def test_a_table_spans_from_its_header_to_its_last_statement() -> None:
    text = "[a]\nx = 1 # one\n\n[a.b]\ny = 2\n\n# the end\n[c]\n"
    document = parse_toml(text)
    cut = {pointer: text[span.start : span.end] for pointer, span in document.spans.items()}
    assert cut == {
        (): text,
        ("a",): "[a]\nx = 1 # one\n\n[a.b]\ny = 2",
        ("a", "x"): "1",
        ("a", "b"): "[a.b]\ny = 2",
        ("a", "b", "y"): "2",
        ("c",): "[c]",
    }


def test_a_table_named_before_its_header_begins_where_it_is_first_named() -> None:
    document = parse_toml("[a.b]\n[a]\nx = 1\n")
    assert place(document, ("a",)) == "a.b]"
    assert place(document, ("a", "x")) == "x = 1"


@given(toml_texts())
def test_every_place_exists_in_the_data_and_every_written_value_has_one(text: str) -> None:
    document = parse_toml(text)
    assert document.quirks == ()
    assert repr(document.data) == repr(tomllib.loads(text))
    for pointer, span in document.spans.items():
        at(document.data, pointer)
        assert 0 <= span.start <= span.end <= len(text)
        if pointer and isinstance(pointer[-1], str):
            assert key_at(document, span.key) == pointer[-1]
    assert_written_here(document)


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("marked", "message"),
    [
        ("a = 1\nb = §\n", "Invalid value"),
        ("a = 1\na = 2§\n", "Cannot overwrite a value"),
        ("[a]\n[b§\n", "Expected ']' at the end of a table declaration"),
        ("a = 'x§\n'", "Found invalid character '\\n'"),
        ('a = """x§', "Unterminated string"),
        ("§{}", "Invalid statement"),
    ],
    ids=["no value", "key twice", "open header", "line break in a string", "open string", "no statement"],
)
def test_a_syntax_error_says_what_and_where(marked: str, message: str, newline: str) -> None:
    marked = marked.replace("\n", newline)
    document = parse_toml(marked.replace("§", ""))
    (quirk,) = document.quirks
    assert (quirk.kind, quirk.offset) == (QuirkKind.BROKEN, marked.index("§"))
    assert message in quirk.text
    assert "(at" not in quirk.text
    assert document.data is None
    assert document.spans == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 10_000, "nested deeper than 100 levels"),
        ("a = " + "{a = " * 10_000, "nested deeper than 100 levels"),
        ("a = " + "[" * 100 + "]" * 100, "nested deeper than 100 levels"),
        (".".join("a" * 101) + " = 1", "nested deeper than 100 levels"),
        # tomllib would need gigabytes for these
        (".".join("a" * 200_000) + " = 1", "nested deeper than 100 levels"),
        ("[" + " . ".join(['"a"'] * 200_000) + "]", "nested deeper than 100 levels"),
        ("x = {b = 1, " + ".".join("a" * 200_000) + " = 1}", "nested deeper than 100 levels"),
        ("a = " + "9" * 5000, "number out of range"),
    ],
    ids=["arrays", "inline tables", "a level too many", "dotted keys", "long", "header", "inline", "huge integer"],
)
def test_what_is_beyond_the_limits_is_one_quirk(text: str, message: str) -> None:
    document = parse_toml(text)
    assert document.data is None
    assert [(quirk.kind, quirk.text) for quirk in document.quirks] == [(QuirkKind.BROKEN, message)]


@pytest.mark.parametrize("text", [".".join("a" * 100) + " = 1", "a = " + "[" * 99 + "]" * 99], ids=["keys", "arrays"])
def test_a_hundred_levels_are_read(text: str) -> None:
    assert parse_toml(text).data == tomllib.loads(text)


def test_a_byte_order_mark_is_a_quirk_and_shifts_no_offset() -> None:
    document = parse_toml("\ufeffa = 1")
    assert document.data == {"a": 1}
    assert document.quirks == (Quirk(QuirkKind.BYTE_ORDER_MARK, 0, 1),)
    assert (document.spans[("a",)].key, document.spans[("a",)].start) == (1, 5)


def test_an_empty_text_is_an_empty_table() -> None:
    document = parse_toml("")
    assert (document.data, document.quirks) == ({}, ())


@given(
    st.text() | st.lists(LINES | LITERALS | st.sampled_from([*"[]{}='\"\\\n\r.,# \ufeff"]), max_size=20).map("".join)
)
def test_no_text_raises(text: str) -> None:
    document = parse_toml(text)
    assert (document.data is None) == any(quirk.kind is QuirkKind.BROKEN for quirk in document.quirks)
    for pointer in document.spans:
        at(document.data, pointer)
