"""The linter: what to check under which client, every rule in one table, and the report.

Nothing of the checked project is run or imported; files are only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.clients import OWN
from anyhook.lint.checked_file import CheckedFile, Hook
from anyhook.lint.disk import Disk
from anyhook.lint.repairs import with_repair
from anyhook.lint.rules import (
    answers,
    commands,
    exit_status,
    matchers,
    places,
    releases,
    script_text,
    scripts,
    secrets,
    shape,
    shell,
    timeouts,
    worktrees,
)
from anyhook.lint.rules import cross_client as across
from anyhook.model.codes import CODES, GROUPS, Severity
from anyhook.model.document import Document
from anyhook.model.hooks import MAX_COMMAND_LENGTH, Command, HookFile, HookSet
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import AnyhookError, Problem, UsageError, problem
from anyhook.model.wording import close_matches
from anyhook.project.hook import readings_of, written_in
from anyhook.project.inventory import ClientHooks
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.report.entries import entries_of
from anyhook.sources.discover import Found, Roots
from anyhook.sources.load import Loader
from anyhook.sources.recognise import first_reader
from anyhook.sources.settings import read_pinned_releases

FILE_CHECKS: tuple[Callable[[CheckedFile], Iterator[Problem]], ...] = (
    shape.check_version,
    shape.check_event_names,
    shape.check_duplicates,
    commands.check_windows_twins,
    commands.check_variables,
    commands.check_placeholders,
    secrets.check_secrets,
    script_text.check_script_texts,
)
HOOK_CHECKS: tuple[Callable[[Hook], Iterator[Problem]], ...] = (
    shape.check_type,
    timeouts.check_timeouts,
    shape.check_unread_keys,
    commands.check_quoting,
    commands.check_personal_paths,
    commands.check_odd_commands,
    scripts.check_scripts,
    shell.check_syntax,
    shell.check_bash_only,
    shell.check_windows_only,
    shell.check_unquoted_payload,
    shell.check_payload_as_code,
    exit_status.check_always_succeeds,
    exit_status.check_exit_one,
    exit_status.check_async,
    exit_status.check_silent_block,
    exit_status.check_endless_stop,
    answers.check_unread_answers,
    answers.check_discarded_answers,
    answers.check_inline_decisions,
    answers.check_unread_text,
    worktrees.check_worktree,
)
"""Every rule that looks at one hook. Those on matchers, which look at one rule, follow in :func:`check_file`."""


class Report(Struct, frozen=True):
    """What was found. Problems are in the order of their places, each once."""

    problems: tuple[Problem, ...]
    left_out: int = 0
    """Minor notes that were found and are not among the problems, as they are counted for people."""
    files: tuple[str, ...] = ()
    """The hook files that were looked at."""
    hooks: int = 0
    texts: Mapping[str, str] = {}
    """The checked text of every file that has a repair."""


def check_paths(
    paths: Sequence[Path],
    roots: Roots,
    clients: Sequence[str] = (),
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    everything: bool = False,
    installed: Mapping[str, str] | None = None,
) -> Report:
    """Check files, and the hook files of every client in and below folders.

    With one client everything is checked as that client reads it, even if it was written for another; with several,
    the files of these. Minor notes are left out unless ``everything`` is asked for, or ``select`` names their code.
    Hooks are reported that need a newer release than the project's ``anyhook.toml`` names or, by client, ``installed``.
    Raises UsageError for a path that does not exist or is no hook file, and for a code that does not exist.
    """
    disk = Disk()
    used, mistakes = _used_releases(roots, installed)
    reports = [_check_path(path, roots, clients, disk, used) for path in paths]
    return _joined(reports, mistakes, select, ignore, everything)


def check_project(project: Project, installed: Mapping[str, str] | None = None, disk: Disk | None = None) -> Report:
    """Check every hook file that the project's clients read, those of the home folder included."""
    used, mistakes = _used_releases(project.roots, installed)
    return _joined([_check_folder(project, project.readers, (), disk or Disk(), used)], mistakes)


def _used_releases(roots: Roots, installed: Mapping[str, str] | None) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    """The release of each client that hooks must run in, and what is wrong with the file that names some."""
    pinned, mistakes = read_pinned_releases(roots.project)
    return {**(installed or {}), **pinned}, tuple(mistakes)


def _joined(
    reports: Sequence[Report],
    mistakes: Iterable[Problem],
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    everything: bool = False,
) -> Report:
    chosen, left_out = _codes(select), _codes(ignore)
    found_in_files = [found for report in reports for found in report.problems]
    places = {(found.code, found.origin.file, found.origin.line) for found in found_in_files}
    # A file that cannot be read at all is found by each of its readers.
    others = (found for found in mistakes if (found.code, found.origin.file, found.origin.line) not in places)
    problems = {
        _identity(found): found
        for found in (*others, *found_in_files)
        if (not chosen or found.code in chosen) and found.code not in left_out
    }
    files = tuple(dict.fromkeys(file for report in reports for file in report.files))
    texts = {file: text for report in reports for file, text in report.texts.items()}
    ordered = sorted(problems.values(), key=_place)
    shown = tuple(found for found in ordered if everything or found.code in chosen or not found.is_minor)
    all_entries, entries = entries_of(ordered), entries_of(shown)
    return Report(shown, len(all_entries) - len(entries), files, sum(report.hooks for report in reports), texts)


def check_file(file: CheckedFile, others: Sequence[CheckedFile] = ()) -> Iterator[Problem]:
    """Everything that is wrong with one file for its client. ``others``: the same file as other clients read it."""
    if file.source.ignored:
        yield from file.hooks.problems  # what hooks do that never run does not matter
        return
    if unknown := shape.unknown_format(file):
        yield from unknown
        return
    yield from shape.join_losses(
        with_repair(file, shape.weighed(file, found))
        for found in file.hooks.problems
        if not (across.is_read_elsewhere(found, others) or shape.is_not_worth_saying(file, found))
    )
    for file_check in FILE_CHECKS:
        yield from file_check(file)
    for rule in file.hooks.rules:
        yield from matchers.check_matcher(file, rule)
    for hook in file.all_hooks():
        for hook_check in HOOK_CHECKS:
            yield from hook_check(hook)


def checked_files(client: ClientHooks, loader: Loader, disk: Disk) -> Iterator[CheckedFile]:
    """The files of a client as rules see them, without those that cannot be read."""
    for file in client.hooks.files:
        checked = _checked_file(client, file, loader, disk)
        if isinstance(checked, CheckedFile):
            yield checked


def read_as(found: Found, text: str) -> CheckedFile:
    """A file as rules see it once it has this text, which must be readable; it need not exist yet."""
    loader = Loader({found.path: text})
    file = loader.load(found)
    checked = _checked_file(_alone(found, file), file, loader, Disk())
    if isinstance(checked, Problem):
        raise AnyhookError(f"{found.path}: {checked.text}\n{checked.fix}")
    return checked


def _identity(found: Problem) -> tuple[str, str, str, str]:
    return (
        found.code,
        found.origin.file,
        found.origin.pointer or f"{found.origin.line}:{found.origin.column}",
        found.text,
    )


def _place(found: Problem) -> tuple[str, int, int, str, str]:
    return found.origin.file, found.origin.line, found.origin.column, found.code, found.text


def _codes(names: Iterable[str]) -> frozenset[str]:
    """The codes that a list of codes and first letters means."""
    codes: set[str] = set()
    groups = {letter: group.about for letter, group in GROUPS.items() if group.command == "check"}
    known = [code for code in CODES if code[0] in groups]
    for name in names:
        matching = {code for code in known if code.startswith(name.strip().upper())} if name.strip() else set()
        if not matching:
            letters = ", ".join(f"{letter} ({about})" for letter, about in groups.items())
            close = close_matches(name.strip().upper(), known)
            hint = f"did you mean {close[0]}?" if close else f"rules are codes such as C001, or a letter: {letters}"
            raise UsageError(f"check has no rule {name!r}; {hint}")
        codes |= matching
    return frozenset(codes)


# -------------------------------------------------------------------------------------------------------- what to check


def _check_path(path: Path, roots: Roots, names: Sequence[str], disk: Disk, used: Mapping[str, str]) -> Report:
    if path.is_dir():
        project = Project(structs.replace(roots, project=path), names)
        tops = (path, project.package.root / "hooks")
        inside = [
            reader
            for reader in project.readers
            if any(file.path.is_relative_to(top) for file in reader.found for top in tops)
        ]
        return _check_folder(project, inside, tops, disk, used)
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{path}: there is no such file or folder")
    if unread := places.lost_file(path, names):
        return Report((unread,), files=(str(path),))
    project = Project(structs.replace(roots, project=path.parent), names)
    readers = _checked(project, project.readers_of(path))
    if not readers:
        return _not_a_hook_file(path, project.loader)
    report = _check_files(project, readers, (path.parent,), disk, used, is_named=bool(names))
    hooks = written_in(readings_of(hook for reader in readers for hook in reader.hooks))
    return structs.replace(report, hooks=sum(hook.hook.file == str(path) for hook in hooks))


def _check_folder(
    project: Project, readers: Iterable[ProjectClient], tops: Sequence[Path], disk: Disk, used: Mapping[str, str]
) -> Report:
    """The report on the files of a project that are below these folders."""
    checked = _checked(project, readers)
    report = _check_files(project, checked, tops, disk, used, is_named=len(project.chosen) == 1)
    report = structs.replace(report, hooks=sum(_is_below(hook.hook.file, tops) for hook in project.written))
    lost = places.lost_files(project.survey.misplaced, project.chosen)
    return _with_lost_files(report, (*lost, *project.wrong_kinds))


def _checked(project: Project, readers: Iterable[ProjectClient]) -> tuple[ProjectClient, ...]:
    """The readers that were asked for; otherwise those of clients that exist, or have files of their own."""
    return tuple(reader for reader in readers if project.chosen or reader.name in _checked_clients())


def _is_below(file: str, tops: Sequence[Path]) -> bool:
    """Whether a file is in one of these folders; none: everywhere."""
    return not tops or any(Path(file).is_relative_to(top) for top in tops)


def _with_lost_files(report: Report, lost: Iterable[Problem]) -> Report:
    """The report with files that no client reads, which replace what was said about them as files of others."""
    gone = {found.origin.file: found for found in lost}
    problems = [found for found in report.problems if found.origin.file not in gone]
    files = tuple(dict.fromkeys((*report.files, *gone)))
    return structs.replace(report, problems=(*problems, *gone.values()), files=files)


def _checked_clients() -> tuple[str, ...]:
    """Every client, and each format that only a document describes if it has files of its own."""
    return tuple(
        known.name
        for known in all_profiles()
        if known.basis != "specified" or any(not source.shared for source in known.sources)
    )


def _alone(found: Found, file: HookFile) -> ClientHooks:
    """The hooks of a client that has only this file."""
    hooks = HookSet(dialect=found.dialect, rules=file.rules, problems=file.problems, files=(file,))
    return ClientHooks(found.base, hooks, (found,))


def _not_a_hook_file(path: Path, loader: Loader) -> Report:
    """A broken or unreadable file is a problem; one that is just something else is a mistake of the caller."""
    document = loader.document(path, loader.format_of(path))
    if isinstance(document, Problem):
        return Report((document,), files=(str(path),))
    if (broken := document.broken) is None:
        raise UsageError(f"{path}: no client that anyhook knows reads hooks from this file; --client says whose it is")
    line, column = document.line_column(broken.offset)
    origin = Origin("", Scope.PROJECT, str(path), "", line, column)
    text = f"{broken.text}; no client can read the file"
    return Report((problem("F001", origin, text, "correct the syntax at this place"),), files=(str(path),))


# ------------------------------------------------------------------------------------------------------------- checking


def _check_files(
    project: Project,
    clients: Sequence[ProjectClient],
    tops: Sequence[Path],
    disk: Disk,
    used: Mapping[str, str],
    *,
    is_named: bool,
) -> Report:
    """The report on the files below these folders. ``is_named``: the caller said whose files they are."""
    readers: dict[str, list[CheckedFile]] = {}
    problems: list[Problem] = []
    for client in clients:
        for file in client.files:
            if not _is_below(file.path, tops):
                continue
            checked = _checked_file(client.read, file, project.loader, disk)
            if isinstance(checked, Problem):
                problems.append(checked)
            else:
                readers.setdefault(file.path, []).append(checked)
    for several in readers.values():
        is_certain = is_named or several[0].is_certain
        problems += [p if is_certain else _less_sure(p) for p in _check_readers(several)]
        for reader in several:
            if release := used.get(reader.profile.name):
                problems += releases.needs_newer_release(reader, release)
    hooks_read = [hook for several in readers.values() for reader in several for hook in reader.all_hooks()]
    arguments = {hook.action.origin: hook.entry.get("args") for hook in hooks_read}
    for client in clients:
        twice = across.runs_twice(client.read.hooks, client.title, arguments)
        # A client of which nothing is here but files of others may not be used at all.
        less = {} if client.owns_a_file else {"severity": Severity.NOTE}
        problems += [structs.replace(found, **less) for found in twice if _is_below(found.origin.file, tops)]
    files = dict.fromkeys((*readers, *(found.origin.file for found in problems)))
    repairable = {found.origin.file for found in problems if found.edits}
    texts = {file: several[0].document.text for file, several in readers.items() if file in repairable}
    return Report(tuple(problems), files=tuple(files), texts=texts)


_WRONG_FOR_ALL = frozenset({"F001", "F003", "F005", "F006", "F008", "F009", "F010", "C009", "C013"})
"""Errors whichever client the file is for."""


def _less_sure(found: Problem) -> Problem:
    """The problem of a file whose client is a guess: nothing to repair, and an error only if it is one everywhere."""
    is_known = found.code in _WRONG_FOR_ALL or found.origin.dialect == OWN  # what is no client's is a package's
    is_error = found.severity is Severity.ERROR and not is_known
    return structs.replace(found, edits=(), severity=Severity.WARNING if is_error else found.severity)


def _checked_file(client: ClientHooks, file: HookFile, loader: Loader, disk: Disk) -> CheckedFile | Problem:
    """The file for the rules, or the problem that kept it from being read."""
    path = Path(file.path)
    document = loader.document(path, loader.format_of(path))
    if not isinstance(document, Document):
        return file.problems[0] if file.problems else document
    source = next((found.source for found in client.found if found.path == path), client.found[0].source)
    return CheckedFile(profile(client.dialect), _without_long_commands(file), document, source, client.base, disk)


def _without_long_commands(file: HookFile) -> HookFile:
    """The file without the hooks that would take long to check, and with a problem for each of them."""
    long = [each for rule in file.rules for each in rule.actions if isinstance(each, Command) and each.is_too_long]
    if not long:
        return file
    text = f"the command has more than {MAX_COMMAND_LENGTH:,} characters and is not checked"
    problems = (problem("F006", each.origin, text, "put it into a script, and run that") for each in long)
    kept = ((rule, tuple(each for each in rule.actions if each not in long)) for rule in file.rules)
    rules = tuple(structs.replace(rule, actions=actions) for rule, actions in kept if actions)
    return structs.replace(file, rules=rules, problems=(*file.problems, *problems))


def _check_readers(readers: Sequence[CheckedFile]) -> Iterator[Problem]:
    """The file as the client it was written for reads it, and what is different for the others."""
    first = readers[0]
    main = readers[first_reader(first.path, first.document, [(reader.source, reader.hooks) for reader in readers])]
    others = [reader for reader in readers if reader is not main]
    yield from check_file(main, others)
    for other in others:
        yield from across.read_differently(main, other, across.is_in_use(other))
