"""Hook files for tests: those of ``tests/hook_files``, and the real ones of a corpus beside the checkout, if any.

``tests/hook_files`` was written for these tests, with the shapes and mistakes of real files. In its ``index.csv``,
``mistakes`` has the rules of the corpus' profile (see ``lint/corpus_table.py``), each with the codes of which one
reports it; ``scripts`` has the other files of the project, with their modes.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import HookFile
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem
from anyhook.sources.load import Loader, parse, read_text
from anyhook.sources.recognise import recognise_path
from tests.checkout import ROOT

WRITTEN_HERE = ROOT / "tests" / "hook_files"
CORPUS = ROOT.parent / "shared" / "corpus"
"""Other people's hook files. They are no part of the project; tests of them are collected only where they exist."""
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
    "frontmatter": ("claude-code", FileKind.COMPONENT),
    "gemini": ("gemini-cli", FileKind.SETTINGS),
    "gemini-extension": ("gemini-cli", FileKind.HOOKS),
    "kiro": ("kiro", FileKind.EMBEDDED),
    "mastracode": ("mastra-code", FileKind.HOOKS),
    "openhands": ("openhands", FileKind.HOOKS),
    "qwen": ("qwen-code", FileKind.SETTINGS),
    "rulesync": ("rulesync", FileKind.HOOKS),
    "unknown": ("claude-code", FileKind.HOOKS),
    "windsurf": ("windsurf", FileKind.HOOKS),
}
"""The client that reads the files of a folder, and as what."""


class Sample(NamedTuple):
    """A hook file of an index."""

    folder: Path
    file: str
    """Below ``folder``; its first part is the kind of file."""
    project: str
    path: str
    """In the project."""
    mistakes: str = ""
    scripts: str = ""

    @property
    def kind(self) -> str:
        return self.file.partition("/")[0]

    @property
    def client(self) -> str:
        return READERS[self.kind][0]

    def __str__(self) -> str:
        return self.file


def written_here() -> list[Sample]:
    return [
        Sample(WRITTEN_HERE, row["file"], row["project"], row["path"], row["mistakes"], row["scripts"])
        for row in _rows(WRITTEN_HERE)
    ]


def corpus() -> list[Sample]:
    """The files of the corpus; none where there is no corpus. An old version of a file is a project of its own."""
    if not CORPUS.exists():
        return []
    return [
        Sample(
            CORPUS,
            row["file"],
            row["repo"].replace("/", "__") + (f"@{row['commit'][:7]}" if row["dialect"] == "quirks" else ""),
            row["path"],
        )
        for row in _rows(CORPUS)
    ]


def _rows(folder: Path) -> Iterator[dict[str, str]]:
    with (folder / "index.csv").open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def read(sample: Sample) -> HookFile:
    """The file as its client reads it; ``quirks`` are recognised by their path."""
    if sample.kind == "quirks":
        found = recognise_path(Path("/repository") / sample.path)
        name, kind = (found[0].dialect, found[0].source.kind) if found else ("claude-code", FileKind.HOOKS)
    else:
        name, kind = READERS[sample.kind]
        if sample.kind == "factory" and "settings" in Path(sample.path).name:
            kind = FileKind.SETTINGS
    text = read_text(sample.folder / sample.file)
    assert not isinstance(text, Problem)
    document = parse(text, Loader.format_of(Path(sample.path)), sample.path)
    return dialect(name).read(document, kind, Scope.PROJECT)


class Projects:
    """Samples as they lie in projects, each of which has a folder of its own."""

    def __init__(self, folder: Path, samples: Iterable[Sample]) -> None:
        self.files: dict[str, Path] = {}
        self.bases: dict[str, Path] = {}
        for sample in samples:
            base = folder / sample.project
            target = base / sample.path
            target.parent.mkdir(parents=True, exist_ok=True)
            for script in filter(None, sample.scripts.split(";")):
                path, mode = script.rsplit(" ", 1)
                (base / path).parent.mkdir(parents=True, exist_ok=True)
                (base / path).write_text("{}" if path.endswith(".json") else "#!/bin/sh\ntrue\n", encoding="utf-8")
                (base / path).chmod(int(mode, 8))
            shutil.copyfile(sample.folder / sample.file, target)
            self.files[sample.file], self.bases[sample.file] = target, base
