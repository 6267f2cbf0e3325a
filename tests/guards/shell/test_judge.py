"""The shell guard on commands that it must refuse and on commands that it must let through."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.guards.families import Family
from anyhook.shell.grammar import MAX_LENGTH
from tests.guards.effects.places import judged

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


REFUSED, ALLOWED = rows("refused.jsonl"), [row["command"] for row in rows("allowed.jsonl")]
LINE_BREAKS = "\n" * 60_000
SIMPLE = [row["command"] for row in REFUSED if row["family"] == "deletes" and row["command"].startswith("rm -")]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row["command"])
def test_a_dangerous_command_is_refused(row: dict[str, str]) -> None:
    assert row["family"] in [finding.family for finding in judged(row["command"])]


@pytest.mark.parametrize("command", ALLOWED)
def test_a_harmless_command_is_allowed(command: str) -> None:
    assert judged(command) == ()


def test_every_alternative_is_tried() -> None:
    """Commands that one alternative of a table or a pattern decides: python -m tools.mutate_guards shell."""
    wrong = [
        row["command"]
        for row in rows("alternatives.jsonl")
        if row["family"] not in [finding.family for finding in judged(row["command"])]
    ]
    assert wrong == []
    assert [row["command"] for row in rows("near_misses.jsonl") if judged(row["command"])] == []


def test_every_family_is_tried() -> None:
    assert {row["family"] for row in REFUSED} == set(Family)


PREFIXES = ("sudo {}", "env A=b {}", "nohup {}", "timeout 5 {}", "nice -n 5 {}", "time {}", "xargs {}", "command {}")
"""What goes before a simple command."""
LINES = (
    "bash -c {quoted}",
    "sh -lc {quoted}",
    "eval {quoted}",
    "true &&\n{}",
    "false ||\n{}",
    "(\n{}\n)",
    "{{\n{}\n}}",
    "if true; then\n{}\nfi",
    "for i in 1 2; do\n{}\ndone",
    "echo $(\n{}\n)",
    "f() {{\n{}\n}}; f",
    "echo {quoted} | bash",
    "bash <<< {quoted}",
    "bash <<'{end}'\n{}\n{end}",
    "cat <<'{end}' | sh\n{}\n{end}",
    "cat > x.sh <<'{end}'\n{}\n{end}\nsh x.sh",
    'X={quoted}; eval "$X"',
    "ssh host {quoted}",
    "trap {quoted} EXIT",
)
"""What goes around any line."""


@given(
    st.sampled_from(SIMPLE),
    st.lists(st.sampled_from(PREFIXES), max_size=2),
    st.lists(st.sampled_from(LINES), max_size=2),
)
def test_a_refused_command_stays_refused_in_wrappers(command: str, prefixes: list[str], lines: list[str]) -> None:
    for number, wrapper in enumerate([*prefixes, *lines]):
        command = wrapper.format(command, quoted=shlex.quote(command), end=f"END{number}")
    assert judged(command)


@given(st.sampled_from(REFUSED), st.sampled_from(("echo {}", "grep -rn {} docs", "git commit -m {}", "printf '%s' {}")))
def test_a_quoted_command_is_only_text(row: dict[str, str], wrapper: str) -> None:
    line = wrapper.format(shlex.quote(row["command"]))
    families = {finding.family for finding in judged(line)}
    assert not families


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    judged(text)


@pytest.mark.parametrize(
    "line",
    [
        "true #" + "x" * MAX_LENGTH,
        "tar --to-command='rm -rf ~' " + "x" * 1_000_000,
        ":;" * 2000 + "rm -rf ~",
        "sudo " * 5000 + "rm -rf ~",
    ],
    ids=["comment", "one megabyte", "many commands", "many wrappers"],
)
def test_a_line_that_is_too_long_to_read_is_refused(line: str) -> None:
    (finding,) = judged(line)
    assert finding.what == "is too long to be read"


LONG = {
    "one word": ("echo ", "x", ""),
    "commands": ("", "true; ", ""),
    "pipeline": ("", "cat | ", "sh"),
    "substitutions": ("", "$(", ""),
    "quoted substitutions": ("", 'echo "$(', ""),
    "parameters": ("echo ", "${a:-", ""),
    "quotes": ("echo ", "\"'", ""),
    "backslashes": ("echo ", "\\", ""),
    "here-document": ("bash <<END\n", "rm -rf ~\n", "END\n"),
    "text of a here-document": ("cat > x <<END\n", "some text\n", "END\n"),
    "folders": ("rm -rf ", "a/../", ""),
    "one-liner": ("python3 -c '", '"a" + ', "'"),
    "not ASCII": ("", "é", ""),
    "nothing": ("rm -rf ~", "\0", ""),
}


@pytest.mark.parametrize(("before", "repeated", "after"), LONG.values(), ids=LONG)
def test_long_lines_of_every_kind_end_and_a_megabyte_is_refused(before: str, repeated: str, after: str) -> None:
    (finding,) = judged(before + repeated * (1_000_000 // len(repeated)) + after)
    assert finding.what == "is too long to be read"
    began = time.process_time()
    judged((before + repeated * (MAX_LENGTH // len(repeated)))[: MAX_LENGTH - len(after)] + after)
    assert time.process_time() - began < 60


def test_the_reasons_have_the_same_order_in_every_process() -> None:
    code = (
        "from anyhook.guards.effects import command_line; from anyhook.guards.effects.where import Where; "
        "from anyhook.guards.families import judge; "
        "print(judge(command_line('/bin/* -rf ~'), Where(folder='/p', project='/p')))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000,
        "$(" * 2000,
        pytest.param("a|" * 20_000, marks=pytest.mark.long),
        "{" * 5000,
        "`" * 999,
        "<<E " * 500,
        # Each of these took more than five seconds once.
        "echo a | tee " + "a " * 30_000,
        "fd " + "-x rm " * 9000,
        f"gdb -ex '{LINE_BREAKS}'",
        f"sqlite3 x '{LINE_BREAKS}'",
        "emacs --eval '(call-process " + ")" * 60_000 + "x'",
    ],
    ids=lambda text: text[:12],
)
def test_deep_and_broken_lines_end(text: str) -> None:
    judged(text)
