"""The scan of shell commands: words, variables and their quoting, and that no text can break or slow it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.sources.shell_text import MAX_LENGTH, UNKNOWN, Quoting, scan


def quoting(text: str) -> dict[str, Quoting]:
    return {variable.name: variable.quoting for variable in scan(text).variables}


def words(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in scan(text).commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node $X/a.js", Quoting.NONE),
        ("node ${X}/a.js", Quoting.NONE),
        ('node "$X/a.js"', Quoting.DOUBLE),
        ('node "$X"/a.js', Quoting.DOUBLE),
        ("node --root=$X", Quoting.NONE),
        ('echo "$(cat $X/a)"', Quoting.NONE),
        ('echo "$(cat "$X/a")"', Quoting.DOUBLE),
        ("echo `cat $X`", Quoting.NONE),
        ("A=$X; run", Quoting.KEPT),
        ("export A=$X/b", Quoting.KEPT),
        ("[[ -f $X/a ]] && run", Quoting.KEPT),
        ("case $X in a) run;; esac", Quoting.KEPT),
        ("run > $X/log", Quoting.KEPT),
        ('run "${Y:-$X}"', Quoting.DOUBLE),
        ("[ -f $X/a ]", Quoting.NONE),
    ],
)
def test_how_a_variable_is_quoted(text: str, expected: Quoting) -> None:
    assert quoting(text)["X"] is expected


@pytest.mark.parametrize(
    "text", ["echo '$X'", "echo \\$X", "awk '{print $1}'", "run # $X", "cat <<'E'\n$X\nE\n", "$$ $? $1 $@"]
)
def test_what_is_no_variable_of_this_shell(text: str) -> None:
    assert not scan(text).variables


def test_what_follows_the_name_in_braces() -> None:
    first, second, third = scan("a ${A:-b c} ${B.c} ${C%/*}").variables
    assert (first.operator, first.has_default) == (":-b c", True)
    assert (second.operator, second.has_default) == (".c", False)
    assert (third.operator, third.has_default) == ("%/*", False)


def test_words_are_without_quotes_and_keep_their_variables() -> None:
    assert words("""a 'b c' "d $E" f\\ g "$H"/i""") == [["a", "b c", "d $E", "f g", "$H/i"]]
    assert words("echo $(date) x") == [["date"], ["echo", UNKNOWN, "x"]]


def test_offsets_of_words_are_those_of_the_text() -> None:
    text = 'if x; then node "$A/b c.js" -v; fi'
    for command in scan(text).commands:
        for word in command.words:
            assert word.text.strip("\"'") == text[word.start : word.end].strip("\"'").replace('"', "")


def test_commands_know_what_joins_them() -> None:
    joined = [(command.before, command.program) for command in scan("a && b || c; d | e\nf & g").commands]
    assert joined == [("", "a"), ("&&", "b"), ("||", "c"), (";", "d"), ("|", "e"), ("\n", "f"), ("&", "g")]


def test_the_program_stands_behind_assignments_and_keywords() -> None:
    assert [c.program for c in scan('A=1 B="2 3" run x; if test y; then ! go; fi').commands] == [
        "run",
        "test",
        "go",
        "fi",
    ]


@pytest.mark.parametrize("text", ["echo x >&2", "echo x 1>&2", ">&2 echo x", "echo x > /dev/stderr"])
def test_output_to_stderr(text: str) -> None:
    assert scan(text).commands[0].writes_to_stderr


@pytest.mark.parametrize("text", ["echo x", "echo x 2>&1", "echo x > out", "echo x &> all", "echo 2"])
def test_output_elsewhere(text: str) -> None:
    assert not scan(text).commands[0].writes_to_stderr


def test_texts_for_another_shell_are_followed() -> None:
    assert [inner.text for inner in scan("bash -c 'a $X' b").nested()] == ["a $X"]
    assert [inner.text for inner in scan('/bin/sh -lc "a \\"$X\\""').nested()] == ['a "$X"']
    assert [inner.text for inner in scan("bash -s <<'E'\na\nE\n").nested()] == ["a"]
    assert [inner.text for inner in scan("bash script.sh -c x").nested()] == []
    assert [inner.text for inner in scan("ash -c 'a'; yash -c 'b'; fish -c 'c'").nested()] == ["a", "b"]
    assert len(list(scan("sh -c 'sh -c \"sh -c a\"'").everything())) == 3


@pytest.mark.parametrize("text", ["echo 'a", 'echo "a', "echo $(a", "echo `a", "echo ${A", "( a"])
def test_an_open_end_is_noticed(text: str) -> None:
    assert not scan(text).is_complete


@pytest.mark.parametrize(
    "text", ["a | b", "f() { x; }", "case $A in a|b) c;; esac", "[[ $A =~ \\.(js|ts)$ ]]", "a <<E\n'\nE\n"]
)
def test_a_whole_text_is_complete(text: str) -> None:
    assert scan(text).is_complete


@given(st.text(alphabet=st.sampled_from(list("ab $\"'`\\(){}<>|&;#=\n[]-")), max_size=60))
def test_no_text_breaks_the_scan(text: str) -> None:
    scanned = scan(text)
    for variable in scanned.variables:
        assert text[variable.start] == "$"
        assert variable.name in text[variable.start : variable.end]
    for command in scanned.commands:
        for word in command.words:
            assert 0 <= word.start <= word.end <= len(text)
    list(scanned.everything())


@given(st.text(max_size=200))
def test_no_unicode_breaks_the_scan(text: str) -> None:
    assert scan(text).text == text


@pytest.mark.long
@pytest.mark.parametrize(
    "piece",
    [
        "${a",
        '"$(',
        "`",
        "(((",
        "'",
        "<<",
        '${a:-"',
        "$X\n",
        "<<a\n",
        "a=$(b=$(",
        "\\",
        "[[ ",
        "sh -c '",
        "bash <<a;",
        "{",
        "# ",
    ],
)
def test_a_long_text_takes_one_pass(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        start = time.thread_time()
        scanned = scan(text)
        list(scanned.everything())
        return time.thread_time() - start

    seconds(1000)
    assert seconds(MAX_LENGTH) < 60 * max(seconds(MAX_LENGTH // 10), 0.05)
