"""Texts as they are written: words, variables and their quoting, how they end, what they print, their scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.shell.scripts import Script
from anyhook.shell.written import UNKNOWN, PrintedText, Quoting, read_text


def quoting(text: str) -> dict[str, Quoting]:
    return {variable.name: variable.quoting for variable in read_text(text).variables}


def words(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in read_text(text).commands]


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
    assert not read_text(text).variables


def test_what_follows_the_name_in_braces() -> None:
    first, second, third = read_text("a ${A:-b c} ${B.c} ${C%/*}").variables
    assert (first.operator, first.has_default) == (":-b c", True)
    assert (second.operator, second.has_default) == (".c", False)
    assert (third.operator, third.has_default) == ("%/*", False)


def test_words_are_without_quotes_and_keep_their_variables() -> None:
    assert words("""a 'b c' "d $E" f\\ g "$H"/i""") == [["a", "b c", "d $E", "f g", "$H/i"]]
    assert words("echo $(date) x") == [["date"], ["echo", UNKNOWN, "x"]]


def test_offsets_of_words_are_those_of_the_text() -> None:
    text = 'if x; then node "$A/b c.js" -v; fi'
    for command in read_text(text).commands:
        for word in command.words:
            assert word.text.strip("\"'") == text[word.start : word.end].strip("\"'").replace('"', "")


def test_commands_know_what_joins_them() -> None:
    joined = [(command.before, command.program) for command in read_text("a && b || c; d | e\nf & g").commands]
    assert joined == [("", "a"), ("&&", "b"), ("||", "c"), (";", "d"), ("|", "e"), ("\n", "f"), ("&", "g")]


def test_the_program_stands_behind_assignments_and_keywords() -> None:
    text = read_text('A=1 B="2 3" run x; if test y; then ! go; fi')
    assert [command.program for command in text.commands] == ["run", "test", "go"]
    assert text.commands[0].assignments == (("A", "1"), ("B", "2 3"))


@pytest.mark.parametrize("text", ["echo x >&2", "echo x 1>&2", ">&2 echo x", "echo x > /dev/stderr"])
def test_output_to_stderr(text: str) -> None:
    assert [output.to for output in read_text(text).printed()] == ["stderr"]


@pytest.mark.parametrize("text", ["echo x", "echo x 2>&1", "echo x > out", "echo x &> all", "echo 2"])
def test_output_elsewhere(text: str) -> None:
    assert "stderr" not in [output.to for output in read_text(text).printed()]


def test_texts_for_another_shell_are_followed() -> None:
    assert [inner.text for inner in read_text("bash -c 'a $X' b").nested()] == ["a $X"]
    assert [inner.text for inner in read_text('/bin/sh -lc "a \\"$X\\""').nested()] == ['a "$X"']
    assert [inner.text for inner in read_text("bash -s <<'E'\na\nE\n").nested()] == ["a"]
    assert [inner.text for inner in read_text("bash script.sh -c x").nested()] == []
    assert [inner.text for inner in read_text("ash -c 'a'; yash -c 'b'; fish -c 'c'").nested()] == ["a", "b"]
    assert len(list(read_text("sh -c 'sh -c \"sh -c a\"'").everything())) == 3


@pytest.mark.parametrize("text", ["echo 'a", 'echo "a', "echo $(a", "echo `a", "echo ${A", "( a"])
def test_an_open_end_is_noticed(text: str) -> None:
    assert not read_text(text).is_complete


@pytest.mark.parametrize(
    "text", ["a | b", "f() { x; }", "case $A in a|b) c;; esac", "[[ $A =~ \\.(js|ts)$ ]]", "a <<E\n'\nE\n"]
)
def test_a_whole_text_is_complete(text: str) -> None:
    assert read_text(text).is_complete


@given(st.text(alphabet=st.sampled_from(list("ab $\"'`\\(){}<>|&;#=\n[]-")), max_size=60))
def test_no_text_breaks_the_scan(text: str) -> None:
    scanned = read_text(text)
    for variable in scanned.variables:
        assert text[variable.start] == "$"
        assert variable.name in text[variable.start : variable.end]
    for command in scanned.commands:
        for word in command.words:
            assert 0 <= word.start <= word.end <= len(text)
    list(scanned.everything())


@given(st.text(max_size=200))
def test_no_unicode_breaks_the_scan(text: str) -> None:
    assert read_text(text).text == text


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
    assert read_text(text).ending() == expected


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
    assert read_text(text).ending() == ""


def test_exit_statuses() -> None:
    assert read_text("a || exit 2; bash -c 'exit 1'; if b; then exit; fi; echo exit 3").exits() == {"2", "1", ""}


def test_names_that_the_text_sets_itself() -> None:
    text = "A=1; export B=\"x\"; for C in 1 2; do read -r D E; done; sh -c 'F=2'; local G"
    assert read_text(text).assigned_names() == set("ABCDEFG")


def test_small_questions() -> None:
    assert read_text("cd /x && a").changes_folder()
    assert not read_text("echo cd /x").changes_folder()
    assert read_text("[ -f a ] && ./a").looks_for_files()
    assert read_text("test -x a; ./a").looks_for_files()
    assert not read_text("grep -f a b").looks_for_files()


def test_what_is_printed_and_where() -> None:
    text = """echo -n a; echo b >&2; echo c > f; echo d | cat; printf '%s!' e; x=$(echo g); cat <<E\nh\nE\n"""
    assert list(read_text(text).printed()) == [
        PrintedText("a", "stdout"),
        PrintedText("b", "stderr"),
        PrintedText("c", "elsewhere"),
        PrintedText("d", "elsewhere"),
        PrintedText("e!", "stdout"),
        PrintedText("g", "elsewhere"),
        PrintedText("h", "stdout"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("./guard.sh", Script("./guard.sh")),
        ('"$CLAUDE_PROJECT_DIR"/a/guard.sh --x', Script("$CLAUDE_PROJECT_DIR/a/guard.sh")),
        ("node ${CLAUDE_PLUGIN_ROOT}/a.js", Script("${CLAUDE_PLUGIN_ROOT}/a.js", "node")),
        ("python3 -u a.py", Script("a.py", "python3")),
        ("/usr/bin/env python3 a.py", Script("a.py", "python3")),
        ("A=1 exec ./a.sh", Script("./a.sh")),
        ("timeout 5 bash a.sh", Script("a.sh", "bash")),
        ("uv run --script a/b.py", Script("a/b.py", "uv")),
        ("npx -y tsx a/b.ts", Script("a/b.ts", "tsx")),
        ("bun run a/b.ts", Script("a/b.ts", "bun")),
        ("bash -c 'node a.js'", Script("a.js", "node")),
        ("if [ -f x ]; then ./x; fi", Script("./x")),
    ],
)
def test_the_script_of_a_command(text: str, expected: Script) -> None:
    assert expected in list(read_text(text).scripts())


@pytest.mark.parametrize(
    "text",
    [
        "npm test",
        "node -e 'x.js'",
        "python3 -m tool",
        "echo a/b.sh",
        "jq . a.json",
        "bash",
        "prettier --write a.ts",
        "x=a/b.sh",
    ],
)
def test_commands_without_a_script(text: str) -> None:
    assert not list(read_text(text).scripts())


@given(st.text(alphabet=st.sampled_from(list("abenvsh02 $\"'`\\(){}<>|&;#=\n./-")), max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    for script in read_text(text).scripts():
        assert script.path


@given(st.text(alphabet=st.sampled_from(list("abexit02 $\"'`\\(){}<>|&;#=\n./-")), max_size=60))
def test_no_text_breaks_the_questions(text: str) -> None:
    scanned = read_text(text)
    list(scanned.printed())
    scanned.exits()
    scanned.ending()
