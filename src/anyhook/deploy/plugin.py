"""Makes a folder that a client installs as a plugin: entries that call anyhook, and a copy of the package to ask.

    plugin = make_plugin(project, hooks, "claude-code", facts, EntryOptions())   # reads, writes nothing
    write_plugin(plugin, folder, replaces=False)

anyhook treats the copy like the package of a project: the user has to trust what does more than restrict.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects import NAMES, dialect
from anyhook.dialects import profile as profile_of
from anyhook.dialects.plugin_form import PluginForm
from anyhook.entries.anyhook_entries import is_own_call
from anyhook.entries.command_entries import EntryOptions, bridge
from anyhook.model.codes import Severity
from anyhook.model.hooks import FateState, HookSet, Rule
from anyhook.model.problems import AnyhookError, Problem, UsageError
from anyhook.model.wording import join_or
from anyhook.project.project import Project
from anyhook.sources.discover import PRUNED, roots_for
from anyhook.sources.editing.own_place import refuse_outside_folder
from anyhook.sources.editing.replace_file import replace_file
from anyhook.sources.load import FILE_NAME
from anyhook.sources.package_files import FOLDERS
from anyhook.sources.recognise import PLUGIN_PACKAGE
from anyhook.trust.content import Contents
from anyhook.trust.seen_files import UsedFile

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_README = """\
# {name}

{description}.

This {noun} of {title} asks the hooks in the folder `{package}` through [anyhook](https://github.com/anyhook/anyhook):

{hooks}

It needs the command `anyhook` on the PATH of {title}. Its hooks run only after you have looked at them and trusted them
with `anyhook trust FOLDER`, where FOLDER is the folder `{package}` of the installed {noun}. Until then {title} shows a
message that names this folder.

Made by `anyhook plugin`. To change the hooks, change the package that it was made of, and make it again.
"""


class PluginFacts(Struct, frozen=True, kw_only=True):
    """What the manifests say."""

    name: str
    version: str
    description: str
    author: str


class PluginFile(Struct, frozen=True):
    content: bytes
    mode: int = 0o644


class Plugin(Struct, frozen=True, kw_only=True):
    """A plugin that is not written yet."""

    client: str
    form: PluginForm
    facts: PluginFacts
    files: Mapping[str, PluginFile]
    """By their paths in the folder."""
    rules: tuple[Rule, ...]
    """In the client's terms."""
    losses: tuple[Problem, ...]
    left_out: tuple[str, ...]
    """Files that the hooks use and that are not in the package, so not in the plugin either."""
    missing: tuple[str, ...]
    """Scripts that the hooks name and that do not exist."""

    @property
    def loses_a_guard(self) -> bool:
        return any(loss.severity is Severity.ERROR for loss in self.losses)

    def steps(self, folder: Path) -> tuple[str, ...]:
        """The commands that make the client run the hooks of the plugin in a folder."""
        values = {**structs.asdict(self.facts), "folder": shlex.quote(str(folder))}
        trust = f"anyhook trust {self.form.installed}/{PLUGIN_PACKAGE}"
        return tuple(_filled_in(step, values) for step in (*self.form.installation, trust))

    def validation(self, folder: Path) -> str:
        """The command by which the client checks the plugin in a folder."""
        return str(_filled_in(self.form.validation, {"folder": shlex.quote(str(folder))}))


def name_for(folder: Path) -> str:
    """A plugin's name after a folder's: clients take lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", folder.name.lower()).strip("-") or "hooks"


def plugin_form(client: str) -> PluginForm:
    """The form of a client's plugins; UsageError if it is not known."""
    form = dialect(client).plugin_form
    if form is None:
        known, title = join_or([name for name in NAMES if dialect(name).plugin_form]), profile_of(client).title
        raise UsageError(f"plugins can be made for {known}, not for {title}; see: anyhook deploy --help")
    return form


def make_plugin(
    project: Project,
    hooks: HookSet,
    client: str,
    facts: PluginFacts,
    entry: EntryOptions,
    includes: Sequence[Path] = (),
) -> Plugin:
    """The plugin by which a client runs the hooks of the package in a project's folder.

    ``includes`` are files and folders of the package that the hooks read, and that are not in its code folders.
    """
    form, profile = plugin_form(client), profile_of(client)
    if not _NAME.fullmatch(facts.name):
        raise UsageError(
            f"{facts.name}: a name consists of lower-case letters, digits and single hyphens: --name my-hooks"
        )
    contents = Contents(project.roots, hooks, project.loader)
    found = [contents.of(rule, action) for rule in hooks.rules for action in rule.actions if action.is_loaded]
    if obstacle := next((content.obstacle for content in found if content.obstacle), ""):
        raise AnyhookError(f"{project.folder}: {obstacle}")
    used = tuple({file.path: file for content in found for file in content.files}.values())
    bridged = bridge(hooks, profile, structs.replace(entry, package=f"${{{form.root}}}/{PLUGIN_PACKAGE}"))
    files, left_out = _copies(project.folder, hooks, used, includes)
    values = structs.asdict(facts)
    made = {
        **{path: _json(_filled_in(content, values)) for path, content in form.manifests.items()},
        form.hook_file: _json(dialect(client).write(bridged.rules)),
        "README.md": _readme(hooks, form, profile.title, facts),
    }
    return Plugin(
        client=client,
        form=form,
        facts=facts,
        files={**made, **files},
        rules=bridged.rules,
        losses=bridged.losses,
        left_out=left_out,
        missing=tuple(file.path for file in used if file.kind == "missing"),
    )


def write_plugin(plugin: Plugin, folder: Path, *, replaces: bool) -> None:
    """Write all files of a plugin. UsageError if the folder has other content, unless that is an older plugin."""
    try:
        if folder.exists() and any(folder.iterdir()):
            _refuse_other_content(plugin, folder, replaces=replaces)
            for name in plugin.files:
                refuse_outside_folder(folder / name, folder)
            shutil.rmtree(folder / PLUGIN_PACKAGE, ignore_errors=True)
        for name, file in plugin.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, file.content, file.mode)
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: cannot be written: {error.strerror or error}") from None


# --------------------------------------------------------------------------------------------------------------- files


def _copies(
    project: Path, hooks: HookSet, belonging: Sequence[UsedFile], includes: Sequence[Path]
) -> tuple[dict[str, PluginFile], tuple[str, ...]]:
    """The files of the package that its hooks are defined in or may use, and the names of those elsewhere."""
    root = project.resolve()
    defining = [Path(file.path).relative_to(project).as_posix() for file in hooks.files]
    wanted = [root / name for name in (*FOLDERS, FILE_NAME)] + [_included(path, root) for path in includes]
    used = [file for file in belonging if file.kind in ("file", "link")]
    whole = (name for path in wanted for name in _files_at(path, root))
    names = dict.fromkeys((*defining, *whole, *(file.path for file in used if not file.is_outside)))
    found = {name: path for name in names if (path := (root / name).resolve()).is_file() and path.is_relative_to(root)}
    copies = {f"{PLUGIN_PACKAGE}/{name}": _copy(path) for name, path in found.items()}
    return copies, tuple(sorted(file.path for file in used if file.path not in found and not _is_within(file, found)))


def _included(path: Path, root: Path) -> Path:
    """A path that the user names; UsageError if the package does not have it."""
    found = (root / path).resolve()
    if not found.is_relative_to(root) or not found.exists():
        raise UsageError(f"{path}: the package has no such file or folder; see --include")
    return found


def _files_at(path: Path, root: Path) -> Iterator[str]:
    """A file, or all files below a folder without what tools leave there."""
    for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
        name = found.relative_to(root)
        if found.is_file() and PRUNED.isdisjoint(name.parts):
            yield name.as_posix()


def _is_within(file: UsedFile, found: Mapping[str, Path]) -> bool:
    """Whether a link leads to a folder of which files are copied under this name."""
    return file.kind == "link" and any(name.startswith(f"{file.path}/") for name in found)


def _copy(path: Path) -> PluginFile:
    return PluginFile(path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)


def _json(content: Any) -> PluginFile:
    return PluginFile((json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())


def _filled_in(content: Any, values: Mapping[str, str]) -> Any:
    """A JSON value with every ``{key}`` in its texts replaced."""
    match content:
        case str():
            return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), content)
        case Mapping():
            return {key: _filled_in(value, values) for key, value in content.items()}
        case list():
            return [_filled_in(value, values) for value in content]
    return content


def _readme(hooks: HookSet, form: PluginForm, title: str, facts: PluginFacts) -> PluginFile:
    values = {
        **structs.asdict(facts),
        "noun": form.noun,
        "title": title,
        "package": PLUGIN_PACKAGE,
        "hooks": "\n".join(_described(hooks)),
    }
    return PluginFile(_README.format(**values).encode())


def _described(hooks: HookSet) -> Iterator[str]:
    for rule in hooks.rules:
        on = f"{rule.native_event} ({rule.matcher})" if rule.matcher else rule.native_event
        for action in rule.actions:
            if action.fate.state is FateState.ACTIVE:
                yield f"* {on}: `{' '.join(action.summary().split())}`"


def _refuse_other_content(plugin: Plugin, folder: Path, *, replaces: bool) -> None:
    if not _is_made_by_anyhook(plugin, folder):
        raise UsageError(f"{folder}: this folder has other content; name a new one")
    if not replaces:
        raise UsageError(f"{folder}: the {plugin.form.noun} exists already; --force replaces it")


def _is_made_by_anyhook(plugin: Plugin, folder: Path) -> bool:
    """Whether a folder has the plugin's manifests, and a hook file with entries of anyhook alone."""
    if not all((folder / name).is_file() for name in (*plugin.form.manifests, plugin.form.hook_file)):
        return False
    read = Project(roots_for(folder), (plugin.client,)).readers_of(folder / plugin.form.hook_file)
    actions = [action for reader in read for file in reader.files for rule in file.rules for action in rule.actions]
    return bool(actions) and all(map(is_own_call, actions))
