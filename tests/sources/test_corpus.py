"""Every real hook file of the corpus is read: each hook in it is loaded, or a problem says why not."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import HookFile
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem
from anyhook.sources.load import Loader, parse, read_text
from anyhook.sources.recognise import recognise_path
from tests.checkout import SHARED

CORPUS = SHARED / "corpus"
READERS: dict[str, tuple[str, FileKind]] = {
    "antigravity": ("antigravity", FileKind.HOOKS),
    "claude-plugin": ("claude-code", FileKind.HOOKS),
    "claude-plugin-manifest": ("claude-code", FileKind.MANIFEST),
    "claude-settings": ("claude-code", FileKind.SETTINGS),
    "codex": ("codex", FileKind.HOOKS),
    "codex-toml": ("codex", FileKind.TOML),
    "copilot": ("copilot-cli", FileKind.HOOKS),
    "copilot-plugin": ("copilot-cli", FileKind.HOOKS),
    "cursor": ("cursor", FileKind.HOOKS),
    "cursor-plugin": ("cursor", FileKind.HOOKS),
    "factory": ("factory-droid", FileKind.HOOKS),
    "gemini": ("gemini-cli", FileKind.SETTINGS),
    "gemini-extension": ("gemini-cli", FileKind.HOOKS),
    "kiro": ("kiro", FileKind.EMBEDDED),
    "qwen": ("qwen-code", FileKind.SETTINGS),
    "rulesync": ("rulesync", FileKind.HOOKS),
    "windsurf": ("windsurf", FileKind.HOOKS),
}
COMMAND_KEY = re.compile(r'"(?:command|bash|prompt|script)"\s*:|^command\s*=', re.MULTILINE)

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="shared/corpus is not beside this checkout")


def index() -> list[dict[str, str]]:
    if not CORPUS.exists():
        return []
    with (CORPUS / "index.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def read(row: dict[str, str]) -> HookFile:
    """The file as the client in the index reads it; the ``quirks`` are recognised by the path they had."""
    if row["dialect"] == "quirks":
        found = recognise_path(Path("/repository") / row["path"])
        name, kind = (found[0].dialect, found[0].source.kind) if found else ("claude-code", FileKind.HOOKS)
    else:
        name, kind = READERS[row["dialect"]]
        if row["dialect"] == "factory" and "settings" in Path(row["path"]).name:
            kind = FileKind.SETTINGS
    text = read_text(CORPUS / row["file"])
    assert not isinstance(text, Problem)
    document = parse(text, Loader.format_of(Path(row["path"])), row["path"])
    return dialect(name).read(document, kind, Scope.PROJECT)


@pytest.mark.parametrize("row", index(), ids=lambda row: row["file"])
def test_every_hook_is_accounted_for(row: dict[str, str]) -> None:
    file = read(row)
    actions = [action for rule in file.rules for action in rule.actions]
    text = (CORPUS / row["file"]).read_text(encoding="utf-8")
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
    for row in index():
        file = read(row)
        files[row["dialect"]] += 1
        problems[row["dialect"]] += len(file.problems)
        for rule in file.rules:
            for action in rule.actions:
                (hooks if action.is_loaded else lost)[row["dialect"]] += 1
    with capsys.disabled():
        print(f"\n{'corpus':<24}{'files':>6}{'loaded':>8}{'lost':>6}{'problems':>10}")
        for name in sorted(files):
            print(f"{name:<24}{files[name]:>6}{hooks[name]:>8}{lost[name]:>6}{problems[name]:>10}")
        print(f"{'all':<24}{files.total():>6}{hooks.total():>8}{lost.total():>6}{problems.total():>10}")
    assert hooks.total() > 1_000
