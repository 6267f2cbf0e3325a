"""Runs the command-line tests: one text file each, with the commands, what they print, and the files they need.

    # Comments come first: what this is about.

    $ anyhook check .
    ? 1
    .claude/settings.json:3: error: [..]
    ...
    2 problems

    # A comment may also be right above a command.
    $ cat out.txt
    hello

    -- .claude/settings.json --
    {"hooks": {}}
    -- ~/.codex/hooks.json --
    {}
    -- guard.sh (755) --
    #!/bin/sh
    exit 2

Commands
    A line that starts with ``$ `` is a command. It is split like a shell would do it, but no shell runs it. It runs in
    ``$WORK``, a new folder that holds the files of the sections; ``$HOME`` is another one and gets the sections whose
    name starts with ``~/``. Arguments may contain ``$WORK`` and ``$HOME``. ``NAME=value`` before the command sets a
    variable, ``cd folder &&`` runs it in a folder of ``$WORK``, ``< file`` after it is its input; else its input is
    empty. ``anyhook`` and ``python`` are those under test, each in a process of its own (anyhook in a fork:
    ``tests/warm``); the environment is small, without colour, 100 columns wide and in UTF-8.

Expected output
    All lines below the command, up to the next command or the first section: stdout and stderr as they come. Blank
    lines at the end and blanks at the end of a line do not count. ``? 2`` right below the command is its exit status;
    without it 0 is expected. ``...`` alone on a line is any number of lines, ``[..]`` inside a line for any
    text. The real folders appear as ``$WORK`` and ``$HOME``; padding that depends on their length needs a ``[..]``.
    An output line that would read as syntax is written with ``[..]`` in place of its first character.

Sections
    ``-- path --`` starts a file, which goes on to the next section or the end; ``-- path (755) --`` sets its mode.

A test that fails shows a unified diff. ``ANYHOOK_UPDATE_SCRIPTS=1`` writes what really happened into the file instead,
and keeps every ``[..]`` line that still matches. All commands run, also after one that failed.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from tests.checkout import SOURCE
from tests.warm.commands import COLD, can_fork, run_warm

SECONDS_PER_COMMAND = 180

_SECTION = re.compile(r"-- (?P<path>\S.*?)(?: \((?P<mode>[0-7]{3,4})\))? --\s*")
_STATUS = re.compile(r"\? (?P<status>\d+)\s*")
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_ANY_LINES = "..."
_ANY_TEXT = "[..]"


class ScriptError(Exception):
    """The test file itself is wrong."""


class Result(NamedTuple):
    """What a command did, or should do."""

    status: int
    output: tuple[str, ...]


class Step(NamedTuple):
    """A command, what it should do, and where in the script that is written: ``lines[start:end]``."""

    command: str
    expected: Result
    start: int
    end: int


class Section(NamedTuple):
    path: str
    text: str
    mode: int | None


@dataclass(frozen=True)
class Script:
    """A test file, parsed."""

    name: str
    lines: tuple[str, ...]
    steps: tuple[Step, ...]
    sections: tuple[Section, ...]


# Reading


def parse(text: str, name: str = "script") -> Script:
    lines = tuple(text.split("\n"))
    headers = [index for index, line in enumerate(lines) if _SECTION.fullmatch(line)]
    body_end = headers[0] if headers else len(lines)
    starts = [index for index in range(body_end) if lines[index].startswith("$ ")]
    if not starts:
        raise ScriptError(f"{name}: no line starts with '$ '")
    for number, line in enumerate(lines[: starts[0]], 1):
        if line.strip() and not line.startswith("#"):
            raise ScriptError(f"{name}:{number}: only comments may be above the first command")
    steps = tuple(_step(lines, start, end) for start, end in zip(starts, [*starts[1:], body_end], strict=True))
    ends = [*headers[1:], len(lines)]
    sections = tuple(_section(lines, start, end, name) for start, end in zip(headers, ends, strict=False))
    paths = [section.path for section in sections]
    if len(set(paths)) < len(paths):
        raise ScriptError(f"{name}: two sections have the same path")
    return Script(name, lines, steps, sections)


def _step(lines: Sequence[str], command: int, end: int) -> Step:
    start = command + 1
    if end < len(lines) and lines[end].startswith("$ "):
        comment = end
        while lines[comment - 1].startswith("#"):
            comment -= 1
        if comment > start and not lines[comment - 1].strip():
            end = comment
    while end > start and not lines[end - 1].strip():
        end -= 1
    status = _STATUS.fullmatch(lines[start]) if start < end else None
    output = _tidy(lines[start + 1 if status else start : end])
    return Step(lines[command][2:].strip(), Result(int(status["status"]) if status else 0, output), start, end)


def _section(lines: Sequence[str], header: int, end: int, name: str) -> Section:
    match = _SECTION.fullmatch(lines[header])
    assert match is not None
    path = PurePosixPath(match["path"])
    if path.is_absolute() or ".." in path.parts:
        raise ScriptError(f"{name}:{header + 1}: {path} is outside the folders of the test")
    text = "\n".join(lines[header + 1 : end])
    if text and not text.endswith("\n"):
        text += "\n"
    return Section(str(path), text, int(match["mode"], 8) if match["mode"] else None)


def _tidy(lines: Sequence[str]) -> tuple[str, ...]:
    """Without blanks at the end of lines and blank lines at the end."""
    return tuple("\n".join(line.rstrip() for line in lines).rstrip("\n").split("\n")) if any(lines) else ()


# Running


def run(script: Script, folder: Path) -> list[Result]:
    """Write the sections below ``folder`` and run every command."""
    base = folder.resolve()
    places = {"$WORK": base / "work", "$HOME": base / "home"}
    for place in (*places.values(), base / "tmp"):
        place.mkdir()
    for section in script.sections:
        inside, _, rest = section.path.partition("/")
        target = places["$HOME"] / rest if inside == "~" else places["$WORK"] / section.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(section.text, encoding="utf-8", newline="\n")
        if section.mode is not None:
            target.chmod(section.mode)
    return [_run_command(step.command, places) for step in script.steps]


def _run_command(command: str, places: dict[str, Path]) -> Result:
    words = shlex.split(command)
    for variable, place in places.items():
        words = [word.replace(variable, str(place)) for word in words]
    environment, cwd = _environment(places), places["$WORK"]
    if words[0] == "cd" and words[2:3] == ["&&"]:
        cwd /= words[1]
        del words[:3]
    while words and (match := _ASSIGNMENT.fullmatch(words[0])):
        environment[match["name"]] = match["value"]
        del words[0]
    input_file = os.devnull
    if len(words) > 2 and words[-2] == "<":
        input_file = str(places["$WORK"] / words[-1])
        del words[-2:]
    if not words:
        raise ScriptError(f"nothing to run in: $ {command}")
    # A file, not a pipe: a process left behind that still holds it cannot make the test wait.
    with tempfile.TemporaryFile() as output, Path(input_file).open("rb") as stdin:
        status = _status(words, cwd, environment, stdin, output)
        output.seek(0)
        text = output.read().decode("utf-8", "replace").replace("\r\n", "\n")
    for variable, place in places.items():
        text = text.replace(str(place), variable)
    return Result(status if status >= 0 else 128 - status, _tidy(text.split("\n")))


def _status(words: list[str], cwd: Path, environment: dict[str, str], stdin: IO[bytes], output: IO[bytes]) -> int:
    if words[0] == "anyhook" and can_fork(environment):
        streams = (stdin.fileno(), output.fileno(), output.fileno())
        return run_warm(words[1:], cwd=cwd, env=environment, streams=streams, timeout=SECONDS_PER_COMMAND)
    programs = {"anyhook": COLD, "python": (sys.executable,)}
    return subprocess.run(
        [*programs.get(words[0], words[:1]), *words[1:]],
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env=environment,
        timeout=SECONDS_PER_COMMAND,
        check=False,
    ).returncode


def _environment(places: dict[str, Path]) -> dict[str, str]:
    home = str(places["$HOME"])
    return {
        "ANYHOOK_DAEMON": "0",  # none is left behind
        "COLUMNS": "100",
        "HOME": home,
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": str(SOURCE),
        "PYTHONSAFEPATH": "1",  # a module in the test's folder must not hide one of Python's
        "PYTHONUNBUFFERED": "1",  # keeps stdout and stderr in the order in which they were written
        "PYTHONUTF8": "1",
        "TERM": "dumb",
        "TMPDIR": str(places["$HOME"].parent / "tmp"),
        "USERPROFILE": home,
        **{name: os.environ[name] for name in ("SYSTEMROOT", "COMSPEC", "PATHEXT") if name in os.environ},
    }


# Comparing


def matches(expected: Result, actual: Result) -> bool:
    return expected.status == actual.status and _lines_match(expected.output, actual.output)


def _lines_match(expected: Sequence[str], actual: Sequence[str]) -> bool:
    """Match lines as a glob matches characters: ``...`` is the star, and only the last one is ever reconsidered."""
    at = position = 0
    retry: tuple[int, int] | None = None
    while position < len(actual):
        if at < len(expected) and expected[at] == _ANY_LINES:
            at += 1
            retry = (at, position)
        elif at < len(expected) and _line_matches(expected[at], actual[position]):
            at += 1
            position += 1
        elif retry is not None:
            at, position = retry[0], retry[1] + 1
            retry = (at, position)
        else:
            return False
    return all(line == _ANY_LINES for line in expected[at:])


def _line_matches(expected: str, actual: str) -> bool:
    if _ANY_TEXT not in expected:
        return expected == actual
    return re.fullmatch(".*".join(map(re.escape, expected.split(_ANY_TEXT))), actual, re.DOTALL) is not None


def diff(script: Script, results: Sequence[Result]) -> str:
    """What differs from what the script says, as a unified diff; empty if nothing does."""
    wanted: list[str] = []
    seen: list[str] = []
    for step, result in zip(script.steps, results, strict=True):
        command = f"$ {step.command}"
        wanted += [command, *_written(step.expected), ""]
        seen += [command, *_written(_settled(step.expected, result)), ""]
    names = (f"{script.name} (expected)", f"{script.name} (actual)")
    return "\n".join(difflib.unified_diff(wanted, seen, *names, lineterm=""))


def updated(script: Script, results: Sequence[Result]) -> str:
    """The text of the script with the results as expected output; what matched already stays as it is."""
    lines = list(script.lines)
    for step, result in reversed(list(zip(script.steps, results, strict=True))):
        if matches(step.expected, result):
            continue
        block = _written(_settled(step.expected, result))
        if step.end < len(lines) and lines[step.end].strip():
            block.append("")
        lines[step.start : step.end] = block
    return "\n".join(lines)


def _settled(expected: Result, actual: Result) -> Result:
    """The actual result in the script's notation: whole if it matches, else with those ``[..]`` lines that match."""
    if matches(expected, actual):
        return expected
    patterns = [line for line in expected.output if _ANY_TEXT in line and line != _ANY_TEXT]
    output = []
    for line in actual.output:
        pattern = next((pattern for pattern in patterns if _line_matches(pattern, line)), None)
        output.append(pattern or _escaped(line))
    return Result(actual.status, tuple(output))


def _written(result: Result) -> list[str]:
    return ([f"? {result.status}"] if result.status else []) + list(result.output)


def _escaped(line: str) -> str:
    syntax = line.startswith("$ ") or line == _ANY_LINES or _SECTION.fullmatch(line) or _STATUS.fullmatch(line)
    return _ANY_TEXT + line[1:] if syntax else line
