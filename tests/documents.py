"""Runs the commands that the README and the documents show; ``test_docs_commands.py`` compares what they print.

Blocks
    A ``console`` block has commands and their output: a line that starts with ``$ `` is a command, ``> `` continues it,
    and the other lines are what it prints, stdout and stderr as they come. An ``sh`` block has commands only, and each
    must succeed. A block with a path after its language, such as ``json .claude/settings.json`` or ``sh guard.sh
    (755)``, is a file, and is written where the commands run.

Where they run
    In bash, in a new folder ``project`` of a new home folder, shown as ``/home/you``. The blocks of a page share it, as
    they share variables and the current folder. No daemon is started.

Output
    ``...`` alone on a line is any number of lines, ``[..]`` inside a line is any text. Times, durations and numbers of
    processes may differ (``VARIES``), so a page shows real ones. A command with output may have
    any exit status but 3 (a bug in anyhook) and those of a shell (126 and above). One without output must succeed and
    print nothing, unless a comment follows it on its line: then its output is not shown.

Comments above a block, which readers do not see
    ``<!-- test: project examples/shop -->``
        begins again in a new home folder, with a copy of that folder of the checkout; ``<!-- test: project -->`` in an
        empty one.
    ``<!-- test: run COMMAND -->``
        prepares something; it must succeed.
    ``<!-- test: keys q -->``
        runs each line of the next block on a terminal, and types these keys when it shows something; ``^C`` is Ctrl-C.
    ``<!-- test: needs network -->``, ``<!-- test: needs claude-code -->``
        leaves the next block to ``realclients/test_documents.py``, which installs packages and real clients.
    ``<!-- test: not run: REASON -->``
        leaves the next block out. The test lists and counts these.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.checkout import ROOT, SOURCE
from tests.cli.scripts import Result

SECONDS_PER_COMMAND = 900
LANGUAGES = {"console", "sh", "bash", "shell"}
HOME_SHOWN = "/home/you"
PROGRAMS = {
    "anyhook": ("-P", "-m", "anyhook"),
    "anyhook-client": ("-P", str(SOURCE / "anyhook" / "serve" / "client" / "launcher.py")),
    "python": (),
    "python3": (),
    "pytest": ("-m", "pytest", "-p", "anyhook.pytest_plugin"),
}
"""The programs of an installed anyhook, and Python's, with their arguments. Others are the system's: no clients."""

_fence = re.compile(r"```(?P<language>\w*)(?: (?P<path>\S*[./]\S+))?(?: \((?P<mode>[0-7]{3,4})\))?.*")
_note = re.compile(r"<!-- test: (?P<word>project|run|keys|needs|not run:)(?: (?P<rest>.*?))? -->\s*")
_indented = re.compile(r" {4,}(\$ |(anyhook|pip|pipx|uvx|make|python3?|pytest|git|export) \S)")
_any_note = re.compile(r"<!--\s*test\b")


class DocumentError(Exception):
    """A comment for the test is wrong."""


class Step(NamedTuple):
    """A command, what it should print, and the lines of the page with that output: ``lines[start:end]``."""

    command: str
    output: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Block:
    """A fenced block with what the comments above it say."""

    page: str
    line: int
    language: str
    path: str | None
    mode: int | None
    lines: tuple[str, ...]
    notes: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def has_commands(self) -> bool:
        return self.path is None and self.language in LANGUAGES

    @property
    def not_run(self) -> str | None:
        """Why this block is left out."""
        return self._note("not run:")

    @property
    def project(self) -> str | None:
        """The folder of the checkout to begin again with; "": an empty project."""
        return self._note("project")

    @property
    def keys(self) -> str | None:
        """What is typed on the terminal of each of its commands."""
        return self._note("keys")

    @property
    def needs(self) -> frozenset[str]:
        """What must be there besides this checkout: "network", or the id of a client."""
        return frozenset(rest for word, rest in self.notes if word == "needs")

    def _note(self, wanted: str) -> str | None:
        return next((rest for word, rest in self.notes if word == wanted), None)

    @property
    def first(self) -> str:
        """The first command, for lists."""
        return next((line.removeprefix("$ ") for line in self.lines if line.strip()), "")

    def steps(self) -> list[Step]:
        """The commands of a console block with the output of each; another block is one command without.

        On a terminal, each line is a command.
        """
        if self.keys is not None:
            return [Step(line, (), 0, 0) for line in self.lines if line]
        if self.language != "console":
            return [Step("\n".join(("set -e", *self.lines)), (), 0, 0)]
        starts = [index for index, line in enumerate(self.lines) if line.startswith("$ ")]
        if not starts or starts[0]:
            raise DocumentError(f"{self.name}: a console block begins with a command, '$ '")
        ends = [*starts[1:], len(self.lines)]
        return [self._step(start, end) for start, end in zip(starts, ends, strict=True)]

    def _step(self, start: int, end: int) -> Step:
        at = start + 1
        while at < end and self.lines[at].startswith("> "):
            at += 1
        command = "\n".join(line[2:] for line in self.lines[start:at])
        while end > at and not self.lines[end - 1].strip():
            end -= 1
        return Step(command, self.lines[at:end], self.line + at, self.line + end)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str, page: str) -> list[Block]:
    """The fenced blocks of a page."""
    lines = text.split("\n")
    found: list[Block] = []
    notes: list[tuple[str, str]] = []
    at = 0
    while at < len(lines):
        if note := _note.fullmatch(lines[at]):
            notes.append((note["word"], note["rest"] or ""))
        elif _any_note.search(lines[at]):
            raise DocumentError(f"{page}:{at + 1}: unknown comment for the test: {lines[at]}")
        elif opening := _fence.fullmatch(lines[at]):
            end = next(index for index in range(at + 1, len(lines)) if lines[index].rstrip() == "```")
            mode = int(opening["mode"], 8) if opening["mode"] else None
            content = tuple(line.rstrip() for line in lines[at + 1 : end])
            found.append(Block(page, at + 1, opening["language"], opening["path"], mode, content, tuple(notes)))
            notes = []
            at = end
        elif lines[at].strip() and notes:
            raise DocumentError(f"{page}:{at + 1}: a comment for the test must be right above a block")
        at += 1
    return found


def needing_more(page: Sequence[Block]) -> list[Block]:
    """The blocks that need the network or a client."""
    return [block for block in page if block.needs]


def unseen(text: str) -> list[int]:
    """The lines with commands that no test would see: in indented code, and in fenced blocks of no language."""
    fence: str | None = None
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        if opening := _fence.fullmatch(line):
            fence = opening["language"] if fence is None else None
        elif _indented.match(line) if fence is None else fence in {"", "text"} and line.startswith("$ "):
            found.append(number)
    return found


def write_programs(folder: Path) -> None:
    """Put the programs into a new folder for the PATH."""
    folder.mkdir()
    for name, words in PROGRAMS.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, *words])} "$@"\n')
        program.chmod(0o755)


class Project:
    """A new home folder with a project in it, and a shell that keeps its folder and variables between commands."""

    def __init__(self, folder: Path, changes: Mapping[str, str]) -> None:
        self.folder = folder.resolve()
        self.home = self.folder / "home"
        self.state = self.folder / "state.sh"
        programs = self.folder / "bin"
        for path in (self.folder, self.home, self.folder / "tmp"):
            path.mkdir()
        write_programs(programs)
        self.environment = {
            "ANYHOOK_DAEMON": "0",  # none is left behind
            "BROWSER": "true",  # none is opened
            "COLUMNS": "120",
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "PATH": os.pathsep.join([str(programs), os.defpath]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # those of this checkout's tests start slowly
            "PYTHONPATH": str(SOURCE),
            "PYTHONUNBUFFERED": "1",  # keeps stdout and stderr in the order in which they were written
            "TERM": "dumb",
            "TMPDIR": str(self.folder / "tmp"),
            **changes,
        }
        self.project = self.home / "project"

    def start(self, example: str) -> None:
        if example:
            shutil.copytree(ROOT / example, self.project, symlinks=True)
        else:
            self.project.mkdir()
        self.state.write_text(f"cd {shlex.quote(str(self.project))}\n")

    def write(self, block: Block) -> None:
        assert block.path is not None
        file = self.project / block.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if block.mode is not None:
            file.chmod(block.mode)

    def run(self, command: str) -> Result:
        state = shlex.quote(str(self.state))
        keep = f"{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} >{state}"
        script = f"trap {shlex.quote(keep)} EXIT\n. {state}\n{command}\n"
        # A file, not a pipe: a process left behind that still holds it cannot make the test wait.
        with tempfile.TemporaryFile() as output:
            status = subprocess.run(
                ["bash", "-c", script],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment,
                cwd=self.project,
                timeout=SECONDS_PER_COMMAND,
                check=False,
            ).returncode
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
        return self._result(status, text)

    def run_on_terminal(self, command: str, keys: str) -> Result:
        from tests.cli.terminals import terminal  # POSIX only

        script = f". {shlex.quote(str(self.state))}\nexport TERM=xterm-256color\nexec {command}\n"
        with terminal(["bash", "-c", script], self.project, self.environment) as shown:
            shown.wait_for_anything()
            status = shown.type_until_end(keys.replace("^C", "\x03"))
            was_interrupted = "^C" in keys and status in (130, -signal.SIGINT)
            return self._result(0 if was_interrupted else status, shown.seen.decode(errors="replace"))

    def _result(self, status: int, text: str) -> Result:
        shown = text.replace(str(self.home), HOME_SHOWN).rstrip("\n")
        return Result(status, tuple(line.rstrip() for line in shown.split("\n")) if shown else ())


VARIES = re.compile(
    r"""
    ^ \d{4}-\d\d-\d\d $ | ^ \d\d:\d\d:\d\d (?=\ )          # the log: a day, a time
    | \ +[\d.]+\ m?s (?=\ \d+\ hook)                       # the log: how long an event took
    | \(\d+\ ms\)                                          # fire: how long a hook took
    | (?<=\ in\ )\d+\.\d+\ s $                             # test: how long all cases took
    | (?<=\ process\ )\d+ | (?<=\ for\ )\d+ (?=\ seconds)  # the daemon
    """,
    re.VERBOSE,
)


def steady(result: Result) -> Result:
    """The result without what differs from run to run."""
    return Result(result.status, tuple(VARIES.sub("#", line) for line in result.output))


def kept(shown: Sequence[str], printed: Sequence[str]) -> list[str]:
    """What was printed, with the lines of the page where only what varies differs."""
    known = {VARIES.sub("#", line): line for line in shown}
    return [known.get(VARIES.sub("#", line), line) for line in printed]


def has_remark(command: str) -> bool:
    """Whether a comment follows the command on its line."""
    return bool(re.search(r"\s# \S", command))


def play(
    page: Sequence[Block], given: Collection[str] = (), changes: Mapping[str, str] | None = None
) -> Iterator[tuple[Block, Step, Result]]:
    """What each command of a page prints. A command of a comment comes as a step too: it may print anything.

    Blocks that need more than is ``given`` are left out. ``changes`` are variables of the environment.
    """
    with tempfile.TemporaryDirectory(prefix="docs", dir="/tmp") as folder:  # a short path, for sockets
        yield from _play([block for block in page if block.needs <= {*given}], Path(folder), changes or {})


def _play(page: Sequence[Block], folder: Path, changes: Mapping[str, str]) -> Iterator[tuple[Block, Step, Result]]:
    project: Project | None = None
    for number, block in enumerate(page):
        if block.not_run is not None:
            continue
        if project is None or block.project is not None:
            project = Project(folder / f"p{number}", changes)
            project.start(block.project or "")
        for word, rest in block.notes:
            if word == "run":
                yield block, Step(rest, ("...",), 0, 0), project.run(rest)
        if block.path is not None:
            project.write(block)
        elif block.has_commands:
            for step in block.steps():
                run = (
                    project.run(step.command)
                    if block.keys is None
                    else project.run_on_terminal(step.command, block.keys)
                )
                yield block, step, run
