"""Programs that delete files, empty them or move them away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from anyhook.guards.effects.model import Verb, words
from anyhook.guards.effects.names import is_everything, is_protected
from anyhook.guards.effects.program_table import special
from anyhook.guards.effects.told import Told, operands, option_values
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.reader import read_script

_REMOVES = LazyPattern(
    r" (?:-exec(?:dir)?|-ok(?:dir)?|-[xX]|--exec(?:-batch)?)[ =]"
    r"(?:(?:sudo|doas|env|nice|nohup|command|busybox) (?:-\S+ )*)*(?:\S*/)?(?:rm|unlink|rmdir|truncate)(?= |$)"
)
"""The part of ``find`` or ``fd`` that deletes or empties what it found."""
_FINDERS = frozenset({"find", "gfind", "fd"})
_LISTERS = _FINDERS | {"ls"}
_FD_VALUES = words("-e --extension -t --type -d --max-depth --min-depth -E --exclude -S --size")
_BROAD_NAMES = LazyPattern(
    r"\*(?:\.\*)?$|\*\.(?:py|js|ts|tsx|jsx|go|rs|java|c|cpp|h|rb|php|md|sql|json|ya?ml|toml|sh)$"
)
_NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-regex"})
_ENDLESS = frozenset({"/dev/null", "/dev/zero", "/dev/urandom"})
_MOST_LISTED = 1000
_EMPTYING = frozenset({"cat /dev/null", "echo -n", "printf"})


def rm(told: Told) -> None:
    how = "recursive" if told.has("rR", "--recursive") else ""
    if told.has("", "--no-preserve-root"):
        told.add(Verb.DELETES, "files", "deletes without protecting /")
    if told.command.has_more_arguments:
        _added(told, how)
    for path in told.operands(("-n",)):
        if path == "{}" or (told.name == "rmdir" and re.fullmatch(r"/[a-zA-Z]", path)):
            continue
        if path[:1] in "$`":
            _listed(told, _listing(path))
        told.add(Verb.DELETES, told.place(path), "empty" if told.name == "rmdir" else how)


def _added(told: Told, how: str) -> None:
    """Arguments from ``xargs``: what the pipeline lists."""
    command = told.command
    if command.input is None:
        if how and command.wrapped_by[-1:] in (("xargs",), ("gxargs",)):
            told.add(Verb.DELETES, "files", "recursively deletes whatever a file lists")
    elif command.input.text is not None:
        paths = command.input.text.split()
        for path in paths[:_MOST_LISTED]:
            told.add(Verb.DELETES, told.place(path), how)
        if len(paths) > _MOST_LISTED:
            told.add(Verb.DELETES, "files", "deletes more files than can be judged")
    else:
        _listed(told, told.sources)
        for source in told.sources:
            for path in operands(source.arguments) if source.name == "ls" else ():
                told.add(Verb.DELETES, told.place(path), "listed")
        if how and not any(source.name in _LISTERS for source in told.sources):
            told.add(Verb.DELETES, "files", "recursively deletes whatever its input lists")


def _listing(path: str) -> Sequence[Invocation]:
    """The commands that list what is deleted: ``rm $(ls)``, and ``ls | while read f; do rm "$f"``."""
    inner = re.fullmatch(r"\$\((.*)\)|`(.*)`", path, re.DOTALL)
    return read_script(inner[1] or inner[2] or "").commands if inner is not None else ()


def _listed(told: Told, sources: Sequence[Invocation]) -> None:
    """The deletion of what the commands of a pipeline list; the first that lists decides."""
    for source in sources:
        other = Told(source, told.where, told.by)
        if source.name in _FINDERS:
            find(other, deletes=True)
            told.effects += other.effects
            return
        if source.name == "git" and {"ls-files", "diff", "status"}.intersection(source.arguments):
            told.add(Verb.DELETES, "files", "deletes the files that git lists")
            return
        if source.name == "ls" and any(is_everything(other.shown(path)) for path in other.operands() or ["."]):
            told.add(Verb.DELETES, "files", "deletes everything that ls lists")
            return


def find(told: Told, *, deletes: bool = False) -> None:
    """``find`` that deletes: by its start folders and its name filters."""
    arguments = told.arguments
    starts: list[str] = []
    for argument in arguments:
        if argument in ("-L", "-H", "-P"):
            continue
        if argument.startswith("-"):
            break
        starts.append(argument)
    if not (deletes or "-delete" in arguments or _REMOVES.search(told.text)):
        return
    names = [
        arguments[number + 1]
        for number, argument in enumerate(arguments[:-1])
        if argument in _NAMES and arguments[number - 1] not in ("!", "-not")
    ]
    is_narrow = bool(names) and not any(_BROAD_NAMES.fullmatch(name) for name in names)
    _below(told, starts, is_narrow=is_narrow or "-empty" in arguments)
    if any(re.search(r"\.git(?:/|$)", name) for name in names) and "-prune" not in arguments:
        told.add(Verb.DELETES, "files", "deletes git's own files")
    if any(is_protected(text) for name in names for text in (name.rstrip("*"), name.replace("*", "x"))):
        told.add(Verb.DELETES, "files", "deletes files with secrets or keys")


def fd(told: Told) -> None:
    """``fd PATTERN FOLDERS -x rm``: by its folders, its pattern and the suffixes that it asks for."""
    before = _REMOVES.split(told.text, maxsplit=1)
    if len(before) == 1:
        return
    asked = tuple(before[0].split()[1:])
    pattern, *starts = [*operands(asked, _FD_VALUES), ""]
    suffixes = option_values(asked, "-e", "--extension")
    name = f"*.{suffixes[0]}" if suffixes else "*" + pattern.strip("^$.*").replace("\\", "")
    _below(told, [start for start in starts if start], is_narrow=_BROAD_NAMES.fullmatch(name) is None)


def _below(told: Told, starts: Sequence[str], *, is_narrow: bool) -> None:
    for start in starts or ["."]:
        told.add(Verb.DELETES, told.place(start), "matching" if is_narrow else "below")


def shred(told: Told) -> None:
    if told.command.has_more_arguments:
        told.add(Verb.OVERWRITES, "files", "overwrites files so that they cannot be recovered")
    for path in told.operands(("-n", "-s", "--iterations", "--size")):
        told.add(Verb.OVERWRITES, told.place(path), "shred")


def truncate(told: Told) -> None:
    if told.command.has_more_arguments:
        _added(told, "")
    for path in told.operands(("-r", "--reference", "-s", "--size")):
        told.add(Verb.OVERWRITES, told.place(path), "empties")


def move(told: Told) -> None:
    """``mv`` of what must stay, or to where it is lost."""
    paths = told.operands(("-t", "--target-directory"))
    if len(paths) > 1 and paths[-1] == "/dev/null":
        told.add(Verb.DELETES, "files", "moves files to /dev/null, where they are lost")
    for path in paths if told.values("-t", "--target-directory") else paths[:-1]:
        told.add(Verb.DELETES, told.place(path), "moved")


def rsync(told: Told) -> None:
    paths = told.operands(("-e", "--rsh", "--exclude", "--include", "--exclude-from"))
    if not paths or not any(argument.startswith("--del") for argument in told.arguments):
        return
    if any(re.search(r"empty|/dev/null|blank", path) for path in paths[:-1]):
        told.add(Verb.DELETES, "files", f"deletes files in {paths[-1]} that its source does not have")
    told.add(Verb.DELETES, told.place(paths[-1]), "mirrored")


def emptied(told: Told) -> None:
    """``> file``, ``: > file`` and ``cat /dev/null > file``, whatever the program."""
    if told.name not in ("", ":", "true") and told.text.strip() not in _EMPTYING:
        return
    for redirect in told.command.redirects:
        if redirect.operator in (">", ">|", "&>"):
            told.add(Verb.OVERWRITES, told.place(redirect.target.text), "empties")


def copy(told: Told) -> None:
    paths = told.operands()
    if len(paths) > 1 and paths[0] in _ENDLESS:
        told.add(Verb.OVERWRITES, told.place(paths[-1]), "nothing")


def tar(told: Told) -> None:
    if "--remove-files" in told.arguments:
        told.add(Verb.DELETES, "files", "deletes the files that it packs")
    folders = [value for option, value in pairwise(told.arguments) if option in ("-C", "--directory")]
    extracts = any(re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract", argument) for argument in told.arguments[:2])
    if extracts and any(told.shown(folder) == "/" for folder in folders):
        told.add(Verb.DELETES, "files", "unpacks over the root of the system")


PROGRAMS = {
    **special("rm grm rmdir unlink trash trash-put rimraf del-cli", rm),
    **special("srm shred wipe", shred),
    **special("find gfind", find),
    **special("fd fdfind", fd),
    **special("truncate", truncate),
    **special("mv gmv", move),
    **special("rsync", rsync),
    **special("cp", copy),
    **special("tar", tar),
}
