"""Which commands a command line starts, and when that cannot be told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.engine.shell_commands import MAX_COMMAND_LENGTH, UNREADABLE, read_command_line


def texts(line: str) -> list[str]:
    return [command.text for command in read_command_line(line).commands]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git push", ["git push"]),
        ("FOO=bar A= git push", ["git push"]),
        ("npm test && git push || echo no; ls & wait", ["npm test", "git push", "echo no", "ls", "wait"]),
        ("ls | grep x |& wc -l", ["ls", "grep x", "wc -l"]),
        ("echo a\n\n# comment\necho b # another", ["echo a", "echo b"]),
        ("! git push", ["git push"]),
        ("(cd x && git push)", ["cd x", "git push"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("for i in $(ls); do git push; done", ["ls", "git push"]),
        ("while ! a; do b; done", ["a", "b"]),
        ("X=$(git push)", ["git push"]),
        ("X=`git push` ls", ["git push", "ls"]),
        ("export X=$(git push)", ["git push", "export X=$(git push)"]),
        ('echo "$(echo "$(git push)")"', ["git push", "echo $(git push)", 'echo $(echo "$(git push)")']),
        ("cat <<'END'\n$(git push)\nEND\n", ["cat"]),
        ("[ -f x ] && [[ -d y ]]", ["[[ -f x", "[[ -d y"]),
        ("ls | xargs rm -rf", ["ls", "xargs rm -rf", "rm -rf"]),
        ("xargs -0 rm", ["xargs -0 rm"]),
        ("# nothing", []),
        ("X=1", []),
        ("", []),
    ],
)
def test_every_command_is_found_wherever_it_stands(line: str, commands: list[str]) -> None:
    assert texts(line) == commands


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("git  'push'\t\"origin\"", ("git", "push", "origin")),
        ("'git' pu\"s\"h", ("git", "push")),
        (r"\git a\$b", ("git", "a$b")),
        (r'echo "a\"b \$c \d"', ("echo", r'a"b $c \d')),
        ("echo 'a  b'", ("echo", "a  b")),
        ("git \\\n push", ("git", "push")),
        (">out git push 2>&1 </dev/null", ("git", "push")),
        ("git push <<< text", ("git", "push")),
        ('echo "in $HOME now"', ("echo", "in $HOME now")),
        ("x=push; git $x", ("git", "push")),
        ("x='a b'; git \"$x\"", ("git", "a b")),
        ("git commit -m \"$(cat <<'END'\nSay $hello\nEND\n)\"", ("git", "commit", "-m", "Say $hello\n")),
        ("echo é", ("echo", "é")),
    ],
)
def test_words_are_what_the_command_gets(line: str, words: tuple[str, ...]) -> None:
    found = read_command_line(line)
    assert found.is_complete
    assert [
        tuple(word.text for word in command.words)
        for command in found.commands
        if all(word.is_known for word in command.words)
    ][-1] == words


@pytest.mark.parametrize(
    "line",
    [
        "echo 'x", 'echo "x', "if true; then", "git |", "(git", "echo $(", "a &&", "done", "))",
        "{ git push; }", "case x in y) git push;; esac", "f() { git push; }; f", "function f { git push; }",
        "cat <(git push) >(rm x)", "echo ${X:-$(git push)}", "cat <<END\n$(git push)\nEND\n",
        "cat <<'END' | git push\nx\nEND\n",
    ],
)  # fmt: skip
def test_what_is_no_shell_or_not_read_by_the_client_is_not_clear(line: str) -> None:
    assert read_command_line(line) is UNREADABLE


def test_long_lines_and_odd_characters_are_not_read() -> None:
    assert read_command_line("echo " + "a" * (MAX_COMMAND_LENGTH - 5)).is_complete
    assert read_command_line("echo " + "a" * (MAX_COMMAND_LENGTH - 4)) is UNREADABLE
    for odd in ("\xa0", "\u2003", "\r", "\0", "\x1b"):
        assert read_command_line(f"echo a{odd}b") is UNREADABLE


@pytest.mark.parametrize("opening", ["(", "$(", "{ ", '"$(', "[[ (", "$((", "${a:-", "if ", "a=$("])
def test_deep_nesting_is_no_danger(opening: str) -> None:
    assert not read_command_line(opening * (MAX_COMMAND_LENGTH // len(opening))).is_complete


def test_characters_that_crash_the_grammar_are_kept_from_it() -> None:
    """tree-sitter-bash 0.25.1 dies of a segmentation fault on some of these."""
    for character in map(chr, range(0xA1, 0x110000, 997)):
        if not character.isspace():
            assert texts(f"echo {{{character} a") == [f"echo {{{character} a"]


PIECES = st.sampled_from(
    [
        "git", " ", "\n", ";", "&&", "|", "(", ")", "{", "}", "$(", "`", "$x", "${x}", '"', "'", "<<E\n", "E", ">",
        "<(", "=", "if ", "then", "fi", "for x in", "do", "done", "case", "esac", "[[", "]]", "((", "))", "\\", "#",
        "$", "\ud800", "é",
    ]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)))
def test_no_text_raises(line: str) -> None:
    for command in read_command_line(line).commands:
        assert command.words
