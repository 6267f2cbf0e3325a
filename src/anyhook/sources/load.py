"""Reads a hook file from the disk and passes it to its dialect; every mistake in it is a problem."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import structs

from anyhook.dialects import dialect, profile
from anyhook.dialects.events import native_name
from anyhook.dialects.places import FileKind, Root
from anyhook.model.document import Document, Format, Pointer, json_pointer
from anyhook.model.hooks import Fate, FateState, HookFile, Rule, Switches, with_fate
from anyhook.model.origin import Origin
from anyhook.model.problems import AnyhookError, Problem, problem
from anyhook.sources import disk
from anyhook.sources.discover import Found, files_below
from anyhook.sources.package_files import SETTINGS_FILE

FILE_NAME = SETTINGS_FILE
"""Of anyhook's own settings, and of guards."""
_OWN_FILES = {FILE_NAME: Format.GUARDS, "rules.yaml": Format.RULES, "rules.yml": Format.RULES}
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_RULES_BYTES = 256 * 1024
"""Of a file with rules: YAML takes long to read."""
MAX_HOOKS = 1000
"""In one file."""


class Loader:
    """Loads files; reads and parses each once, whoever asks for it."""

    def __init__(self, texts: Mapping[Path, str] | None = None) -> None:
        """``texts`` are used in place of what is on the disk."""
        self._texts: dict[Path, str | Problem] = dict(texts or {})
        self._documents: dict[tuple[Path, Format], Document | Problem] = {}

    def load(self, found: Found) -> HookFile:
        """A found file as its client reads it; an unreadable one has a problem and no rules."""
        source = found.source
        reader = source.written_in or found.dialect
        scope = source.scope
        document = self.document(found.path, self.format_of(found.path))
        if isinstance(document, Problem):
            origin = structs.replace(document.origin, dialect=found.dialect, scope=scope)
            is_hook_file = not self.format_of(found.path).is_own or may_define_hooks(found.path)
            return HookFile(
                dialect=found.dialect,
                path=str(found.path),
                scope=scope,
                kind=source.kind,
                problems=(problem(document.code, origin, document.text, document.fix),) if is_hook_file else (),
            )
        file = dialect(reader).read(document, source.kind, scope)
        if (number := sum(len(rule.actions) for rule in file.rules)) > MAX_HOOKS:
            return structs.replace(file, rules=(), problems=(_too_many_hooks(found, number),))
        if reader != found.dialect:
            file = adopt(file, found.dialect)
        if source.events:
            renamed = (structs.replace(rule, event=source.events.get(rule.event, rule.event)) for rule in file.rules)
            file = structs.replace(file, rules=tuple(renamed))
        problems = _link_problems(found)
        if source.kind is FileKind.MANIFEST:
            problems += _manifest_problems(found, document)
        if source.ignored and file.rules:
            problems += (_ignored_problem(found, document),)
            fate = Fate(FateState.DROPPED, source.ignored)
            file = structs.replace(file, rules=tuple(with_fate(rule, fate) for rule in file.rules))
        if found.fate.state is not FateState.ACTIVE:
            file = structs.replace(file, rules=tuple(with_fate(rule, found.fate) for rule in file.rules))
        if found.no_start:
            switches = Switches(off=frozenset({"start"}), no_start=found.no_start)
            file = structs.replace(file, switches=switches)
        return structs.replace(file, problems=problems + file.problems) if problems else file

    def load_manifest_targets(self, found: Found) -> tuple[HookFile, ...]:
        """The files with hooks that a plugin's manifest names in addition to those in the default places."""
        document = self.document(found.path, Format.JSON)
        if isinstance(document, Problem):
            return ()
        default = found.base / found.source.default_file
        files = []
        for _, text in _named_paths(document, "hooks"):
            target = _named_file(found, text)
            if target is not None and target != default and disk.is_file(target):
                hooks = structs.replace(found.source, kind=FileKind.HOOKS, pattern=text)
                files.append(self.load(structs.replace(found, path=target, source=hooks)))
        return (*files, *self._named_components(found, document))

    def _named_components(self, found: Found, document: Document) -> Iterator[HookFile]:
        """Skills, agents and commands in the folders that the manifest names."""
        for source in profile(found.dialect).sources:
            if source.kind is not FileKind.COMPONENT or source.root is not Root.PLUGIN:
                continue
            key, _, pattern = source.pattern.partition("/")
            for _, text in _named_paths(document, key):
                target = _named_file(found, text)
                if target is None or target == found.base / key:
                    continue
                paths = (target,) if disk.is_file(target) else files_below(target, pattern)
                for path in paths:
                    file = self.load(structs.replace(found, path=path, source=source))
                    if file.rules or file.problems:
                        yield file

    @staticmethod
    def format_of(path: Path) -> Format:
        """anyhook's own files by their name; TOML, Markdown and Python by their suffix; everything else is JSON."""
        known = {".toml": Format.TOML, ".md": Format.FRONT_MATTER, ".py": Format.PYTHON}
        return _OWN_FILES.get(path.name) or known.get(path.suffix, Format.JSON)

    def document(self, path: Path, form: Format) -> Document | Problem:
        """The parsed file, or the problem that prevents reading it."""
        key = (path, form)
        if key not in self._documents:
            text = self._text(path)
            if form is Format.RULES and isinstance(text, str) and len(text) > MAX_RULES_BYTES:
                why = f"the file has {len(text) // 1024:,} KB; rules over {MAX_RULES_BYTES // 1024} KB are not read"
                text = problem(
                    "F006", Origin(file=str(path)), why, "merge rules: a condition may be a list of patterns"
                )
            self._documents[key] = text if isinstance(text, Problem) else parse(text, form, str(path))
        return self._documents[key]

    def content(self, path: Path) -> bytes | None:
        """What is in a file; None: it does not exist. AnyhookError: it cannot be read."""
        if path not in self._texts and not (disk.is_link(path) or disk.exists(path)):
            return None
        text = self._text(path)
        if isinstance(text, Problem):
            raise AnyhookError(f"{path}: {text.text}\n{text.fix}")
        return text.encode()

    def _text(self, path: Path) -> str | Problem:
        if path not in self._texts:
            self._texts[path] = read_text(path)
        return self._texts[path]


def parse(text: str, form: Format, path: str) -> Document:
    match form:
        case Format.TOML:
            from anyhook.sources.parsing.parse_toml import parse_toml

            return parse_toml(text, path)
        case Format.FRONT_MATTER:
            from anyhook.sources.parsing.parse_front_matter import parse_front_matter

            return parse_front_matter(text, path)
        case Format.YAML:
            from anyhook.sources.parsing.parse_front_matter import parse_yaml

            return parse_yaml(text, path)
        case Format.PYTHON:
            from anyhook.sources.parsing.parse_python import parse_python

            return parse_python(text, path)
        case Format.GUARDS:
            from anyhook.sources.parsing.parse_guards import parse_guards

            return parse_guards(text, path)
        case Format.RULES:
            from anyhook.sources.parsing.parse_guards import parse_rules

            return parse_rules(text, path)
        case Format.JSON:
            from anyhook.sources.parsing.parse_json import parse_json

            return parse_json(text, path)


def unbroken(document: Document) -> Document:
    """The document; AnyhookError, if its syntax is broken."""
    if quirk := document.broken:
        line, _ = document.line_column(quirk.offset)
        raise AnyhookError(f"{document.path}:{line}: {quirk.text}\ncorrect the syntax there, then try again")
    return document


def read_text(path: Path) -> str | Problem:
    """The text of a file, or the problem that prevents reading it."""
    origin = Origin(file=str(path))
    try:
        with disk.open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_FILE_BYTES:
                text = f"the file has {size / 1e6:.0f} MB; files over {MAX_FILE_BYTES / 1e6:.0f} MB are not read"
                return problem("F006", origin, text, "check that it really is a hook file")
            return file.read().decode("utf-8")
    except disk.NotRegularError:
        kind = "a folder" if disk.is_dir(path) else "not a regular file"
        return problem("F005", origin, f"it is {kind}", "put a plain file here")
    except FileNotFoundError:
        if disk.is_link(path):
            return problem("F005", origin, "its target does not exist", "remove the link or restore its target")
        return problem("F005", origin, "the file does not exist", "create it or correct the path")
    except PermissionError:
        return problem("F005", origin, "no permission to read it", "make it readable for you, or leave it out")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        origin = structs.replace(origin, line=before.count(b"\n") + 1, column=error.start - before.rfind(b"\n"))
        return problem("F008", origin, f"byte {error.start} is not UTF-8", "save the file as UTF-8")
    except OSError as error:
        return problem("F005", origin, error.strerror or str(error), "check the disk or the path")


def may_define_hooks(path: Path) -> bool:
    """Whether a file that only anyhook reads, and that cannot be, may have hooks: what must be in one is in it."""
    if _OWN_FILES.get(path.name) is Format.RULES:  # nothing else is in one
        return True
    signs = (b"anyhook",) if path.suffix == ".py" else (b"guards", b"rule")
    try:
        with disk.open_file(path) as file:
            text = file.read().replace(b"\0", b"")  # those of UTF-16
            return any(sign in text for sign in signs)
    except OSError:
        return True


def adopt(file: HookFile, reader: str) -> HookFile:
    """A file in one client's dialect, as another client runs it: events that the reader lacks are dropped."""
    return structs.replace(
        file,
        dialect=reader,
        rules=tuple(_adopt_rule(rule, reader) for rule in file.rules),
        problems=tuple(structs.replace(p, origin=structs.replace(p.origin, dialect=reader)) for p in file.problems),
    )


def _adopt_rule(rule: Rule, reader: str) -> Rule:
    actions = tuple(structs.replace(a, origin=structs.replace(a.origin, dialect=reader)) for a in rule.actions)
    rule = structs.replace(rule, actions=actions, origin=structs.replace(rule.origin, dialect=reader))
    if native_name(rule.event, reader) is None:
        rule = with_fate(rule, Fate(FateState.DROPPED, f"{profile(reader).title} has no {rule.event} event"))
    return rule


def _link_problems(found: Found) -> tuple[Problem, ...]:
    """A link in the project to a file outside it is followed, but reported."""
    path = found.path
    if not (disk.is_link(path) or disk.is_link(path.parent)):
        return ()
    target, base = disk.resolve(path), disk.resolve(found.base)
    checkout = next((folder for folder in (base, *base.parents) if disk.exists(folder / ".git")), base)
    if target.is_relative_to(checkout):
        return ()
    origin = Origin(found.dialect, found.source.scope, str(path))
    text = f"the file is a symbolic link to {target}, outside {base.name or base}"
    return (problem("F007", origin, text, "copy the file into the project, or make sure you trust its target"),)


def _too_many_hooks(found: Found, number: int) -> Problem:
    origin = Origin(found.dialect, found.source.scope, str(found.path))
    text = f"the file has {number:,} hooks; with more than {MAX_HOOKS:,} none is read"
    return problem("F006", origin, text, "merge hooks: one matcher may name several tools, one script may check all")


def _ignored_problem(found: Found, document: Document) -> Problem:
    line, column = document.position(("hooks",))
    origin = Origin(found.dialect, found.source.scope, str(found.path), "/hooks", line, column)
    text = f"{profile(found.dialect).title} never runs these: {found.source.ignored}"
    return problem("F011", origin, text, "move them to the hook file of the plugin or to that of the project")


def _named_paths(document: Document, key: str) -> list[tuple[Pointer, str]]:
    """The paths that a manifest has under a key: one, or a list of them."""
    value = document.data.get(key) if isinstance(document.data, dict) else None
    if isinstance(value, str):
        return [((key,), value)]
    if isinstance(value, list):
        return [((key, index), item) for index, item in enumerate(value) if isinstance(item, str)]
    return []


def _named_file(found: Found, text: str) -> Path | None:
    """What a path of a manifest leads to; None for a path that the client does not accept, or outside the plugin."""
    target = Path(os.path.normpath(found.base / text))
    is_accepted = text.startswith("./") or not found.source.default_file
    return target if is_accepted and target.is_relative_to(found.base) else None


def _manifest_problems(found: Found, document: Document) -> tuple[Problem, ...]:
    problems = []
    default = found.source.default_file
    for pointer, text in _named_paths(document, "hooks"):
        line, column = document.position(pointer)
        origin = Origin(found.dialect, found.source.scope, str(found.path), json_pointer(pointer), line, column)
        if default and os.path.normpath(text) == os.path.normpath(default):
            fix = "remove the key: the default file is found without it"
            problems.append(problem("S010", origin, f"{text} is loaded anyway, so it is named twice", fix))
        if any(sign in text for sign in "*?["):
            problems.append(problem("S011", origin, f"{text} is a glob; a path is expected", "name each file"))
        elif default and not text.startswith("./"):
            problems.append(problem("S011", origin, f"{text} does not start with ./", f"write ./{text.lstrip('/')}"))
        elif not disk.exists(found.base / text):
            problems.append(problem("S012", origin, f"{text} does not exist", "correct the path or create the file"))
    return tuple(problems)
