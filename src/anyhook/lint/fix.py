"""Repairs files: the safe edits that come with problems, applied together, checked, and written in one step.

An edit that would overlap another one waits for the next pass. A file is written only when the result can be parsed,
and only when it still has the text that was checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from anyhook.lint.lint import Report, check_paths
from anyhook.model.problems import AnyhookError, Edit, Problem
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange, apply
from anyhook.sources.editing.json_edits import with_edits
from anyhook.sources.load import Loader, parse

MAX_PASSES = 10
"""Passes over the files; each repairs something, and hardly any file needs more than three."""


class Fixed(Struct, frozen=True):
    """A file that was repaired, and the problems that are gone."""

    file: str
    problems: tuple[Problem, ...]


class Refused(Struct, frozen=True):
    """A file that could have been repaired but was not touched."""

    file: str
    why: str


class FixReport(Struct, frozen=True):
    fixed: tuple[Fixed, ...]
    refused: tuple[Refused, ...]
    left: Report
    """What a new check finds after the repairs."""


def fix_paths(
    paths: Sequence[Path],
    roots: Roots,
    clients: Sequence[str] = (),
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    everything: bool = False,
    installed: Mapping[str, str] | None = None,
) -> FixReport:
    """Check, repair and check again, until nothing is left that is safe to repair."""
    chosen = {"select": tuple(select), "ignore": tuple(ignore)}

    def check() -> Report:
        return check_paths(paths, roots, clients, **chosen, everything=everything, installed=installed)

    done: dict[str, list[Problem]] = {}
    refused: dict[str, str] = {}
    report = check()
    for _ in range(MAX_PASSES):
        changed = False
        for file, problems in _repairable(report).items():
            if file in refused:
                continue
            outcome = fix_file(Path(file), report.texts.get(file, ""), problems, roots.project)
            if isinstance(outcome, Refused):
                refused[file] = outcome.why
            elif outcome.problems:
                done.setdefault(file, []).extend(outcome.problems)
                changed = True
        if not changed:
            break
        report = check()
    return FixReport(
        tuple(Fixed(file, tuple(problems)) for file, problems in done.items()),
        tuple(Refused(file, why) for file, why in refused.items()),
        report,
    )


def fix_file(path: Path, checked: str, problems: Sequence[Problem], project: Path) -> Fixed | Refused:
    """Repair one file, if it still has the text that was checked."""
    if path.is_symlink():
        return Refused(str(path), f"it is a symbolic link; repair {path.resolve()} instead")
    repaired, gone = apply_edits(checked, problems)
    if not gone:
        return Fixed(str(path), ())
    if not _can_be_parsed(repaired, path):
        return Refused(str(path), "the repaired text could not be parsed; nothing was written")
    change = FileChange(
        path=path,
        before=checked.encode(),
        after=repaired.encode(),
        # A file outside the project is repaired where it is named, not through a link of the project.
        project=project if path.is_relative_to(project) else None,
        otherwise=f", or repair {path.resolve()} instead",
    )
    try:
        apply(change)
    except AnyhookError as error:
        return Refused(str(path), " ".join(str(error).removeprefix(f"{path}: ").splitlines()))
    return Fixed(str(path), gone)


def apply_edits(text: str, problems: Iterable[Problem]) -> tuple[str, tuple[Problem, ...]]:
    """The text with the edits of as many problems as can be repaired at once, and those problems."""
    taken: list[Edit] = []
    gone: list[Problem] = []
    for found in problems:
        if found.edits and not any(_clash(edit, other) for edit in found.edits for other in taken):
            taken += found.edits
            gone.append(found)
    return with_edits(text, taken), tuple(gone)


def _clash(one: Edit, other: Edit) -> bool:
    """Whether two edits touch the same text, or put something into the same place."""
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def _repairable(report: Report) -> Mapping[str, list[Problem]]:
    files: dict[str, list[Problem]] = {}
    for found in report.problems:
        if found.edits:
            files.setdefault(found.origin.file, []).append(found)
    return files


def _can_be_parsed(text: str, path: Path) -> bool:
    document = parse(text, Loader.format_of(path), str(path))
    return document.data is not None and document.broken is None
