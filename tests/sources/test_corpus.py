"""Every hook in a hook file is loaded, or a problem says why not."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from anyhook.dialects import real_clients
from tests.hook_corpus import Sample, corpus, read, written_here

COMMAND_KEY = re.compile(r'"(?:command|bash|prompt|script)"\s*:|^command\s*=', re.MULTILINE)


@pytest.mark.parametrize("sample", [*written_here(), *corpus()], ids=str)
def test_every_hook_is_accounted_for(sample: Sample) -> None:
    file = read(sample)
    actions = [action for rule in file.rules for action in rule.actions]
    text = (sample.folder / sample.file).read_text(encoding="utf-8")
    if len(actions) == 0 and COMMAND_KEY.search(text):
        assert file.problems, "a file with commands gives neither hooks nor a problem"
    for action in actions:
        assert action.origin.line > 0
        if not action.is_loaded:
            assert action.fate.why
    lost = [action for action in actions if not action.is_loaded]
    assert not lost or file.problems, "a hook is lost without a problem"


def test_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    hooks: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    files: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    for sample in (*written_here(), *corpus()):
        file = read(sample)
        files[sample.kind] += 1
        problems[sample.kind] += len(file.problems)
        for rule in file.rules:
            for action in rule.actions:
                (hooks if action.is_loaded else lost)[sample.kind] += 1
    with capsys.disabled():
        print(f"\n{'hook files':<24}{'files':>6}{'loaded':>8}{'lost':>6}{'problems':>10}")
        for name in sorted(files):
            print(f"{name:<24}{files[name]:>6}{hooks[name]:>8}{lost[name]:>6}{problems[name]:>10}")
        print(f"{'all':<24}{files.total():>6}{hooks.total():>8}{lost.total():>6}{problems.total():>10}")
    assert hooks.total() > 100


def test_there_is_a_hook_file_for_every_client() -> None:
    """Of clients that have files: the Agent SDK takes callbacks, and VS Code reads the files of Copilot CLI."""
    covered = {sample.client for sample in written_here() if sample.kind != "quirks"}
    assert {client.name for client in real_clients()} - covered <= {"copilot-vscode"}
