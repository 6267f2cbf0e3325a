"""parse_json: the data of any JSON, the place of every value, and a clear word on everything else."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyhook.model.document import Document, Format, Pointer, Quirk, QuirkKind, Span
from anyhook.sources.parsing.parse_json import parse_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5)
)
PUNCTUATION = "{}[],:\"'\\/ \n\t0-.e#"
TOKENS = ("//", "/*", "*/", '"a"', '"a":', "true", "null", "NaN", "12", "-0", "1.5e3", "1e999")
CHARACTERS = ('\\"', "\\u00e9", "\\ud800", "\ufeff", "\x00", "\ud800", "é", "“")
FRAGMENTS = st.sampled_from([*PUNCTUATION, *TOKENS, *CHARACTERS])
NEARLY_JSON = st.lists(FRAGMENTS, max_size=30).map("".join)


def pointers(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    yield pointer, value
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, child in parts:
        yield from pointers(child, (*pointer, part))


def of_kind(document: Document, kind: QuirkKind) -> list[Quirk]:
    return [quirk for quirk in document.quirks if quirk.kind is kind]


def quirk_texts(document: Document, kind: QuirkKind) -> list[str]:
    return [document.text[quirk.offset : quirk.end] for quirk in of_kind(document, kind)]


def strict_loads(text: str) -> Any:
    def reject(constant: str) -> Any:
        raise ValueError(constant)

    return json.loads(text, parse_constant=reject)


def assert_spans_fit(document: Document) -> None:
    """Every value has a span, nothing else has one, and each span cuts exactly that value out of the text."""
    found = dict(pointers(document.data))
    assert document.spans.keys() == found.keys()
    for pointer, value in found.items():
        span = document.spans[pointer]
        assert parse_json(document.text[span.start : span.end]).data == value
        if pointer and isinstance(pointer[-1], str):
            assert json.JSONDecoder().raw_decode(document.text, span.key)[0] == pointer[-1]
        else:
            assert span.key == -1


@pytest.mark.parametrize(
    "text",
    ["null", "true", "false", "0", "-0", "-12.5e-3", '""', '"a\\"b\\\\\\u00e9"', "[]", "{}", " [ 1 , [ ] , { } ]\n"],
)
def test_strict_json_is_read_as_the_standard_library_reads_it(text: str) -> None:
    document = parse_json(text)
    assert document.data == json.loads(text)
    assert type(document.data) is type(json.loads(text))
    assert document.quirks == ()


def test_a_document_carries_path_text_format_and_lines() -> None:
    document = parse_json('{\r\n"a": 1}', "hooks.json")
    assert (document.path, document.text, document.format) == ("hooks.json", '{\r\n"a": 1}', Format.JSON)
    assert document.line_starts == (0, 3)
    assert document.position(("a",)) == (2, 1)


def test_spans_tell_keys_from_values() -> None:
    document = parse_json('{"a": [10, {"b": "x"}]}')
    assert document.spans == {
        (): Span(0, 23),
        ("a",): Span(6, 22, key=1),
        ("a", 0): Span(7, 9),
        ("a", 1): Span(11, 21),
        ("a", 1, "b"): Span(17, 20, key=12),
    }


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("ensure_ascii", [True, False])
@given(value=VALUES)
def test_any_value_survives_with_exact_spans(value: Any, indent: int | str | None, ensure_ascii: bool) -> None:
    document = parse_json(json.dumps(value, indent=indent, ensure_ascii=ensure_ascii))
    assert document.data == value
    assert document.quirks == ()
    assert_spans_fit(document)


@st.composite
def decorated(draw: st.DrawFn) -> tuple[Any, str, list[str], int]:
    """A value, a text of it with comments and trailing commas, those comments, and the number of those commas."""
    comments: list[str] = []
    commas = 0

    def gap() -> str:
        kind = draw(st.sampled_from(["", "", "", " ", "\r\n\t", "line", "block"]))
        if kind not in ("line", "block"):
            return kind
        words = draw(st.text(st.sampled_from('ab"{}[],:/ é'), max_size=6))
        comments.append(f"//{words}" if kind == "line" else f"/*{words}*/")
        return comments[-1] + ("\n" if kind == "line" else "")

    def written(value: Any) -> str:
        nonlocal commas
        if not isinstance(value, dict | list):
            return json.dumps(value)
        brackets = "{}" if isinstance(value, dict) else "[]"
        text = brackets[0]
        for index, part in enumerate(value):
            text += ("," if index else "") + gap()
            if isinstance(value, dict):
                text += json.dumps(part) + gap() + ":" + gap() + written(value[part]) + gap()
            else:
                text += written(part) + gap()
        if value and draw(st.booleans()):
            text += "," + gap()
            commas += 1
        return text + ("" if value else gap()) + brackets[1]

    value = draw(VALUES)
    text = gap() + written(value) + gap()
    return value, text, comments, commas


@given(decorated())
def test_comments_and_trailing_commas_change_nothing_but_the_quirks(case: tuple[Any, str, list[str], int]) -> None:
    value, text, comments, commas = case
    document = parse_json(text)
    assert document.data == value
    assert quirk_texts(document, QuirkKind.COMMENT) == comments
    assert quirk_texts(document, QuirkKind.TRAILING_COMMA) == [","] * commas
    assert len(document.quirks) == len(comments) + commas
    assert document.spans.keys() == dict(pointers(value)).keys()


def test_a_trailing_comma_names_the_object_or_array_it_stands_in() -> None:
    document = parse_json('{"a": [1,],}')
    assert [quirk.pointer for quirk in document.quirks] == [("a",), ()]


def test_a_byte_order_mark_is_a_quirk_and_shifts_no_offset() -> None:
    document = parse_json('\ufeff{"a": 1}')
    assert document.data == {"a": 1}
    assert document.quirks == (Quirk(QuirkKind.BYTE_ORDER_MARK, 0, 1),)
    assert document.spans[("a",)] == Span(7, 8, key=2)


def test_of_duplicate_keys_the_last_wins_and_each_earlier_one_is_reported() -> None:
    document = parse_json('{"a": 1, "b": 2, "a": 3, "a": 4}')
    assert document.data == {"a": 4, "b": 2}
    assert quirk_texts(document, QuirkKind.DUPLICATE_KEY) == ['"a": 1', '"a": 3']
    assert {(quirk.text, quirk.pointer) for quirk in document.quirks} == {("a", ("a",))}
    assert document.spans[("a",)] == Span(30, 31, key=25)


def test_keys_that_differ_only_in_escapes_are_duplicates() -> None:
    document = parse_json(r'{"a": 1, "\u0061": 2}')
    assert document.data == {"a": 2}
    assert quirk_texts(document, QuirkKind.DUPLICATE_KEY) == ['"a": 1']


def test_nothing_inside_a_lost_duplicate_keeps_a_span() -> None:
    document = parse_json('{"a": {"x": [1, {"y": 2}]}, "a": {"z": 3}}')
    assert document.data == {"a": {"z": 3}}
    assert_spans_fit(document)


def test_quirks_are_in_the_order_of_the_text() -> None:
    document = parse_json('{"a": 1, /* c */ "b": [2,], "a": 3,}')
    offsets = [quirk.offset for quirk in document.quirks]
    assert offsets == sorted(offsets)
    assert len(offsets) == 4


def test_lone_surrogates_are_kept_and_pairs_are_joined() -> None:
    assert parse_json(r'["\ud800", "\ud83d\ude00"]').data == ["\ud800", "😀"]


def test_an_unescaped_lone_surrogate_beside_an_escape_is_kept() -> None:
    assert parse_json('["got \\n\udc99"]').data == ["got \n\udc99"]


# The mark § shows where the error is reported.
BROKEN = {
    "empty": ("§", "the file is empty"),
    "blank": ("§ \n\t", "the file is empty"),
    "only a byte order mark": ("§\ufeff", "the file is empty"),
    "only comments": ("§// {}\n", "the file has only comments"),
    "text after the value": ("{} §{}", "text after the end of the JSON value"),
    "missing comma": (
        '{"command": "x"\n§"timeout": 5}',
        "expected ',' or '}' after the value of \"command\", found \"timeout\": a comma is missing",
    ),
    "missing comma in an array": ("[1 §[2]]", "expected ',' or ']' after item 1 of the array, found '[': a comma"),
    "unescaped quotes": ('{"command": "echo "§hi""}', r"a double quote inside a string is written \""),
    "unclosed object": ('{"a": 1§', "expected ',' or '}' after the value of \"a\", but the file ends"),
    "unclosed array": ("[1, 2§", "expected ',' or ']' after item 2 of the array, but the file ends"),
    "wrong closer of an array": ("[1§}", "expected ',' or ']' after item 1 of the array, found '}'"),
    "wrong closer of an object": ('{"a": 1§]', "expected ',' or '}' after the value of \"a\", found ']'"),
    "missing colon": ('{"a" §1}', "expected ':' after the key \"a\", found '1'"),
    "missing key": ("{§: 1}", "expected a key or '}', found ':'"),
    "missing value": ('{"a":§}', "expected a value, found '}'"),
    "missing value at the end": ('{"a": §', "expected a value, but the file ends"),
    "two commas": ("[1,§,2]", "expected a value, found ','"),
    "comma alone in an array": ("[§,]", "expected a value, found ','"),
    "comma alone in an object": ("{§,}", "expected a key or '}', found ','"),
    "single-quoted value": ("[§'a']", "strings need double quotes"),
    "single-quoted key": ("{§'a': 1}", "strings need double quotes"),
    "curly quotes": ("{§“a”: 1}", "strings need double quotes"),
    "bare value": ('{"event": §PreToolUse}', "found PreToolUse: strings need double quotes"),
    "bare key": ('{§command: "x"}', "the key command needs double quotes"),
    "Python constant": ("[§True]", "True is not JSON: write true"),
    "NaN": ("[§NaN]", "NaN is not JSON: write null"),
    "Infinity": ("§-Infinity", "-Infinity is not JSON: write null"),
    "leading zero": ("[§01]", "01 is not a JSON number"),
    "plus sign": ("[§+1]", "+1 is not a JSON number"),
    "no digit after the point": ("[§1.]", "1. is not a JSON number"),
    "no digit before the point": ("[§.5]", ".5 is not a JSON number"),
    "hexadecimal": ("[§0x1F]", "0x1F is not a JSON number"),
    "minus alone": ("[§-]", "- is not a JSON number"),
    "huge exponent": ("[§1e999]", "number out of range"),
    "huge integer": ("[§" + "9" * 5000 + "]", "number out of range"),
    "unterminated string": ('{"a": §"x}', "unterminated string"),
    "unterminated at a backslash": ('[§"x\\', "unterminated string"),
    "line break in a string": ('["a§\nb"]', "line break inside a string"),
    "tab in a string": ('["a§\tb"]', "control character inside a string: write \\u0009"),
    "unknown escape": (r'["C:§\dir"]', r"\d is not an escape in JSON: a backslash in a string is written twice"),
    "short Unicode escape": (r'["§\u12"]', r"\u needs four hexadecimal digits"),
    "unterminated comment": ("{} §/* x", "unterminated comment: '*/' is missing"),
    "lone slash": ("[1, §/ 2]", "expected a value, found '/'"),
    "hash comment": ("{§# x\n}", "a comment starts with //"),
    "no-break space": ("[1,§\u00a02]", r"found '\xa0'"),
    "101 levels": ("[" * 100 + "§[", "nested deeper than 100 levels"),
}


@pytest.mark.parametrize(("marked", "message"), BROKEN.values(), ids=BROKEN)
def test_a_syntax_error_says_what_and_where(marked: str, message: str) -> None:
    offset = marked.index("§")
    document = parse_json(marked.replace("§", ""))
    (quirk,) = of_kind(document, QuirkKind.BROKEN)
    assert message in quirk.text
    assert quirk.offset == offset
    assert offset <= quirk.end <= len(document.text)
    assert document.data is None
    assert document.spans == {}


def test_quirks_before_a_syntax_error_are_still_reported() -> None:
    document = parse_json('{"a": [1,], // why\n "a": 2, }}')
    assert [quirk.kind for quirk in document.quirks] == [
        QuirkKind.DUPLICATE_KEY,
        QuirkKind.TRAILING_COMMA,
        QuirkKind.COMMENT,
        QuirkKind.TRAILING_COMMA,
        QuirkKind.BROKEN,
    ]


def test_messages_stay_short_and_printable() -> None:
    key = "\x1b[31m" + "k" * 10_000
    (quirk,) = parse_json(json.dumps({key: 1})[:-1] + ";").quirks
    assert len(quirk.text) < 150
    assert quirk.text.isprintable()


def test_a_hundred_levels_are_read() -> None:
    document = parse_json("[" * 100 + "]" * 100)
    assert document.quirks == ()
    assert len(document.spans) == 100


@pytest.mark.parametrize(
    "unit", ["[", '{"a":', "[{}", '"', '"\\', "/*", "//", "1", "-", " ", '{"a":1,', "\ufeff", "\\u"]
)
def test_a_million_characters_of_nonsense_are_one_quirk_not_a_crash(unit: str) -> None:
    document = parse_json(unit * (1_000_000 // len(unit)))
    assert document.data is None
    assert len(of_kind(document, QuirkKind.BROKEN)) == 1


def test_integers_follow_the_digit_limit_of_the_process() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        (quirk,) = parse_json("9" * 641).quirks
    finally:
        sys.set_int_max_str_digits(limit)
    assert quirk.text == "number out of range"
    assert parse_json("9" * 4300).data == 10**4300 - 1


@given(st.text() | NEARLY_JSON)
@example("1e400")
def test_what_has_no_quirk_is_strict_json_and_the_reverse(text: str) -> None:
    document = parse_json(text)
    try:
        expected = strict_loads(text)
    except ValueError:
        assert document.quirks
        return
    if any(isinstance(value, float) and math.isinf(value) for _, value in pointers(expected)):
        assert of_kind(document, QuirkKind.BROKEN)
    else:
        assert document.data == expected
        assert {quirk.kind for quirk in document.quirks} <= {QuirkKind.DUPLICATE_KEY}


@given(VALUES.map(json.dumps), st.data())
def test_mutated_json_never_raises_and_never_misleads(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 3, len(text))))
    document = parse_json(text[:start] + data.draw(FRAGMENTS | st.just("")) + text[end:])
    if of_kind(document, QuirkKind.BROKEN):
        assert document.data is None
        assert document.spans == {}
    else:
        assert_spans_fit(document)
