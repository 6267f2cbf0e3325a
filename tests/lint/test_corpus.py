"""Real hook files: every mistake that the corpus' profile names is found in the files that it names.

The corpus is not part of the project, and ``conftest.py`` leaves this out where there is none; ``test_hook_files.py``
has the same for files that were written here. ``corpus_table.py`` has the profile's table; here are the few examples in
which the profile, made by simple patterns, is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from anyhook.lint.fix import fix_paths
from anyhook.lint.lint import check_paths
from anyhook.model.codes import Severity
from anyhook.model.problems import Problem
from tests.hook_corpus import CORPUS, READERS, Projects
from tests.hook_corpus import corpus as real_files
from tests.lint.corpus_table import ROWS, Row
from tests.lint.projects import roots, write

pytestmark = pytest.mark.long

CLIENTS = {kind: client for kind, (client, _) in READERS.items() if kind not in {"copilot", "frontmatter", "unknown"}}
"""The client that the profile took the files of a folder for."""

PROFILE_IS_WRONG: Mapping[tuple[str, str], str] = {
    ("B1", "codex/ix-infrastructure__ix-codex-plugin__.codex__hooks.json"): "exec hands the script's status on",
    ("C4", "cursor/OlsonSoftware__ministr__.cursor__hooks.json"): "the backslashes escape blanks in shell patterns",
    ("D1", "antigravity/su-record__vibe__hooks__antigravity-hooks.json"): 'the two differ in "tool_name"',
    ("D1", "gemini-extension/su-record__vibe__hooks__gemini-hooks.json"): 'the two differ in "tool_name"',
    ("D1", "claude-settings/yuki-matsu783__MR-driven-workflow__.claude__settings.json"): 'the two differ in "if"',
    ("E3", "claude-plugin/Epiphytic__hookwise__hooks__hooks.json"): "one of the two is reported as unknown, E002",
    ("E3", "rulesync/Albertsun6__AICAP__.rulesync__hooks.json"): "one of the two is reported as unknown, E002",
    ("E1", "gemini-extension/feryamaha__Nemesis_Defender_v0__.gemini__config__hooks.json"): "it is Antigravity's file",
    ("E1", "copilot-plugin/s-gryt__memory-mason__hooks.json"): "Copilot CLI has SessionEnd",
    ("K2", "claude-plugin/Archival-Memory__hooks__hooks.json"): "Copilot reads it; to Claude Code the entries are S003",
    (
        "K2",
        "claude-plugin/anthropics__claude-code__plugins__security-guidance__hooks__hooks.json",
    ): "Claude Code reads rewakeMessage and rewakeSummary",
    (
        "R3",
        "claude-plugin/goondocks-co__myco__src__symbionts__templates__claude-code__hooks.json",
    ): "a template, which is put under hooks when it is installed",
    (
        "R3",
        "codex/goondocks-co__myco__src__symbionts__templates__codex__hooks.json",
    ): "a template, which is put under hooks when it is installed",
    (
        "T7",
        "copilot/Jeffskins1__ghcp-harness__.github__hooks__hooks.json",
    ): "PascalCase events take Claude's tool names",
    (
        "X1",
        "claude-plugin/goondocks-co__myco__src__symbionts__templates__claude-code__hooks.json",
    ): "a template, relative to the project it is installed in",
    ("X3", "codex/kadoyukasi__dotfiles__.codex__hooks.json"): "the path starts with $CODEX_HOME",
}


class Project(Projects):
    """The corpus as projects: one folder for each repository, one for each old version of a file."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, real_files())

    def check(self, name: str) -> list[Problem]:
        """The problems of a file as its own client reads it and, if that is another one, as the profile's does."""
        path = self.files[name]
        problems = list(check_paths([path], roots(self.bases[name]), everything=True).problems)
        client = CLIENTS.get(name.partition("/")[0])
        return problems + (
            list(check_paths([path], roots(self.bases[name]), [client], everything=True).problems) if client else []
        )


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("corpus"))


EXAMPLES = [
    pytest.param(row.rule, row.codes.split(), example, id=f"{row.rule}-{example.partition('__')[0]}-{index}")
    for row in ROWS
    for index, example in enumerate(row.examples)
    if (CORPUS / example).exists() and row.rule[:2] not in {"X1", "X2", "X3"}
]


@pytest.mark.parametrize(("rule", "codes", "example"), EXAMPLES)
def test_a_mistake_of_the_profile_is_found(corpus: Project, rule: str, codes: list[str], example: str) -> None:
    is_found = bool({p.code for p in corpus.check(example)} & set(codes))
    wrong = PROFILE_IS_WRONG.get((rule[:2], example))
    assert is_found is (wrong is None), wrong


_SUPERCLAUDE = "claude-plugin/martin98-afk__drifox-plugins__plugins__superclaude"
SCRIPTS = {
    # What the repository has, so far as the profile tells: X1 lacks the script, X2 its mode, X3 has it elsewhere.
    "X2": {
        f"{_SUPERCLAUDE}__hooks__hooks.json": "plugins/superclaude/scripts/session-init.sh",
        "copilot/Azure__az-prototype__.github__hooks__post-tool-use.json": "scripts/post-tool-check.sh",
        "copilot/TruaShamu__copilotcli-selflearning__.github__hooks__copilot-hooks.json": "hooks/session-start.sh",
    },
    "X3": {
        "copilot/sampleXbro__agentsbridge__.github__hooks__agentsbridge.json": ".github/hooks/scripts/pretooluse-0.sh",
        "cursor/RonenSivak__badger__.cursor__hooks.json": ".cursor/hooks/block-dangerous.sh",
    },
}


@pytest.mark.parametrize("row", [row for row in ROWS if row.rule[:2] in {"X1", "X2", "X3"}], ids=lambda row: row.rule)
def test_a_mistake_with_scripts_is_found(row: Row, tmp_path: Path) -> None:
    project = Project(tmp_path)
    kind = row.rule[:2]
    for example in row.examples:
        if (kind, example) in PROFILE_IS_WRONG:
            continue
        (project.bases[example] / ".git").mkdir(exist_ok=True)
        if script := SCRIPTS.get(kind, {}).get(example):
            write(project.bases[example], {f"{script} 644": "#!/bin/sh\ntrue\n"})
        assert row.codes in {p.code for p in project.check(example)}, example


def test_every_file_can_be_checked_and_repaired(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for name, path in project.files.items():
        first = fix_paths([path], roots(project.bases[name]))
        assert first.refused == ()
        assert not [p for p in first.left.problems if p.edits], name
        once = path.read_bytes()
        assert fix_paths([path], roots(project.bases[name])).fixed == ()
        assert path.read_bytes() == once


def test_most_files_have_no_error(corpus: Project) -> None:
    """People do use these files, so a rule that calls many of them broken would itself be wrong."""
    with_errors = 0
    for name, path in corpus.files.items():
        report = check_paths([path], roots(corpus.bases[name]))
        with_errors += any(found.severity is Severity.ERROR for found in report.problems)
    assert with_errors < 0.2 * len(corpus.files)
