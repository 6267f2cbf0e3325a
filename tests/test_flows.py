"""The two flows in docs/architecture.md are the functions that the code calls, each within those that it is below."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from click.testing import CliRunner

from anyhook.bridge.answer_event import answer
from anyhook.bridge.journal_exec import ExecJournal
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.cli.fire_command import command as fire
from anyhook.cli.list_command import command as list_hooks
from tests.approving import approve
from tests.bridge.bridging import make_package, shell_call
from tests.checkout import ROOT, SOURCE

PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
Chain = tuple[str, ...]
"""A function, after all those that it is called within."""


def flow(title: str) -> Iterator[Chain]:
    """The chains of the picture below a sentence."""
    picture = PAGE.partition(title)[2].split("\n\n")[1]
    above: dict[int, str] = {}
    for line in picture.splitlines():
        written, _, _ = line.strip().partition("  ")
        written = written.replace("Project(roots)", "Project.__init__").replace("list_command.", "")
        depth = len(line) - len(line.lstrip())
        above = {indent: name for indent, name in above.items() if indent < depth}
        for name in written.split(", ") if "►" not in line else ():
            yield (*above.values(), name)
        if "►" not in line:
            above[depth] = written.split(", ", maxsplit=1)[0]


def calls_of(run: Callable[[], object]) -> Counter[Chain]:
    """How often each function of anyhook is called, with the functions that it is called within."""
    called: Counter[Chain] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(SOURCE)):
            names: list[str] = []
            at: FrameType | None = frame
            while at is not None:
                names.append(at.f_code.co_qualname)
                at = at.f_back
            called[tuple(reversed(names))] += 1

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return called


def is_in(chain: Chain, called: Iterable[Chain]) -> bool:
    """Whether the last function was called within all others. ``.name`` is a property, whoever has it."""
    patterns = [re.compile(rf"(?:.*\.)?{re.escape(name.lstrip('.'))}(?:\.__init__)?") for name in chain]
    return any(
        patterns[-1].fullmatch(call[-1]) and all(any(p.fullmatch(name) for name in call) for p in patterns[:-1])
        for call in called
    )


def test_from_a_file_to_a_line_of_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    called: Counter[Chain] = Counter()
    for name, below in (("shop", ""), ("hooks-package", "hooks/scripts")):
        shutil.copytree(ROOT / "examples" / name, tmp_path / name)
        folder = str(tmp_path / name / below)
        called += calls_of(partial(CliRunner().invoke, list_hooks, [folder], catch_exceptions=False))
    wanted = list(flow("From a file to a line of `anyhook list`"))
    assert len(wanted) > 15
    assert [chain for chain in wanted if not is_in(chain, called)] == []


def test_from_the_bytes_of_an_event_to_its_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    package = approve(make_package(tmp_path / "project"), home=tmp_path)
    caller = Caller(cwd=package, home=tmp_path, environment={"PATH": os.environ["PATH"]})
    event = json.dumps(shell_call("echo DANGER")).encode()

    def answer_event() -> None:
        prepared = prepare({"--client": "codex"}, caller, event)
        journal = ExecJournal(event)
        journal.record(prepared, asyncio.run(answer(prepared, None, lambda task: None, journal.seen)))

    called = calls_of(answer_event)
    wanted = list(flow("From the bytes of an event to the answer"))
    assert len(wanted) > 15
    assert [chain for chain in wanted if not is_in(chain, called)] == []
    assert sum(times for chain, times in called.items() if chain[-1] == "plan_rules") == 1


def test_fire_plans_an_event_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "event.json").write_text(json.dumps(shell_call("echo DANGER")))
    package = str(make_package(tmp_path / "project"))
    words = [package, "-c", "universal", "-e", "PreToolUse", "--input", str(tmp_path / "event.json"), "--verbose"]
    called = calls_of(partial(CliRunner().invoke, fire, words, catch_exceptions=False))
    assert sum(times for chain, times in called.items() if chain[-1] == "plan_rules") == 1
