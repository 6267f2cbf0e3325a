"""Hook files with the mistakes that people make: every mistake is found, and repairs come to an end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.lint.fix import fix_paths
from anyhook.lint.lint import check_paths
from anyhook.model.codes import CODES, Severity
from tests.hook_corpus import Projects, Sample, written_here
from tests.lint.corpus_table import ROWS
from tests.lint.projects import roots

SAMPLES = written_here()


def mistakes(sample: Sample) -> Iterator[tuple[str, list[str]]]:
    """The rules of the profile that a file breaks, with the codes of which one is the right answer."""
    for mistake in sample.mistakes.split():
        rule, _, codes = mistake.partition(":")
        yield rule, codes.split(",")


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Projects:
    made = Projects(tmp_path_factory.mktemp("projects"), SAMPLES)
    for base in made.bases.values():
        (base / ".git").mkdir(exist_ok=True)
    return made


def codes_of(projects: Projects, sample: Sample) -> set[str]:
    """What is reported about a file as its own client reads it."""
    clients = [] if sample.kind in {"quirks", "copilot", "frontmatter"} else [sample.client]
    return {
        p.code
        for p in check_paths(
            [projects.files[sample.file]], roots(projects.bases[sample.file]), clients, everything=True
        ).problems
    }


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if sample.mistakes], ids=str)
def test_every_mistake_is_found(projects: Projects, sample: Sample) -> None:
    reported = codes_of(projects, sample)
    missed = [rule for rule, codes in mistakes(sample) if not reported & set(codes)]
    assert not missed, f"of {sample.mistakes}: {missed}; reported: {sorted(reported)}"


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if not sample.mistakes], ids=str)
def test_a_file_without_mistakes_has_no_error(projects: Projects, sample: Sample) -> None:
    errors = {code for code in codes_of(projects, sample) if CODES[code].severity is Severity.ERROR}
    assert errors == set()


def test_every_mistake_of_the_profile_has_a_file() -> None:
    covered = {rule.partition("-")[0] for sample in SAMPLES for rule, _ in mistakes(sample)}
    assert {row.rule.split()[0] for row in ROWS} <= covered


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_repairs_come_to_an_end(tmp_path: Path, sample: Sample) -> None:
    project = Projects(tmp_path, [sample])
    path, folders = project.files[sample.file], roots(project.bases[sample.file])
    first = fix_paths([path], folders)
    assert first.refused == ()
    assert not [p for p in first.left.problems if p.edits]
    once = path.read_bytes()
    assert fix_paths([path], folders).fixed == ()
    assert path.read_bytes() == once
