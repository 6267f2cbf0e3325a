"""Recursive deletes, and other ways of losing files that cannot be rebuilt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from anyhook.guards.shell.families.files import is_protected
from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import (
    is_everything,
    is_outside,
    is_precious_folder,
    is_rebuildable,
    is_source,
    is_temporary,
    is_unset_risk,
    place,
)
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation, ShellWord, command_of
from anyhook.shell.reader import read_script

_INSTEAD = "Delete named build output inside the project, or ask the user to delete this."
_REMOVES = LazyPattern(
    r" (?:-exec(?:dir)?|-ok(?:dir)?|-[xX]|--exec(?:-batch)?)[ =]"
    r"(?:(?:sudo|doas|env|nice|nohup|command|busybox) (?:-\S+ )*)*(?:\S*/)?"
    r"(?:rm|unlink|rmdir|truncate)(?= |$)"
)
"""The part of ``find`` or ``fd`` that deletes or empties what it found."""
_FINDERS = frozenset({"find", "gfind", "fd"})
_LISTERS = _FINDERS | {"ls"}
_FD_VALUES = (
    "-e",
    "--extension",
    "-t",
    "--type",
    "-d",
    "--max-depth",
    "--min-depth",
    "-E",
    "--exclude",
    "-S",
    "--size",
)
_BROAD_NAMES = LazyPattern(
    r"\*(?:\.\*)?$|\*\.(?:py|js|ts|tsx|jsx|go|rs|java|c|cpp|h|rb|php|md|sql|json|ya?ml|toml|sh)$"
)

_PLACES = {".": "this folder", "*": "this folder", "..": "the folder above", "../*": "the folder above"}
"""Paths that a sentence cannot end with."""


def refuse(what: str) -> Finding:
    return Finding(Family.DELETES, what, _INSTEAD)


def judge_target(path: str, *, recursive: bool) -> Finding | None:
    """Judge the deletion of one path, seen from where the line starts."""
    path = path.removeprefix("$PWD/")  # in a folder that is not known
    if is_everything(path):
        return refuse(f"deletes everything in {_PLACES.get(path, path)}")
    if is_temporary(path) or is_rebuildable(path):
        return None
    if is_outside(path):
        return refuse(f"deletes {path}, which is outside of the project")
    if re.search(r"(?:^|/)\.git(?:$|/(?!.*\.lock$|hooks/.*\.sample$))", path):
        return refuse(f"deletes {path}, the repository itself")
    if recursive and (is_precious_folder(path) or is_unset_risk(path)):
        return refuse(f"deletes {path} with everything in it")
    if re.fullmatch(
        r"\$\{?(?:USERPROFILE|OLDPWD|ROOT|PROJECT_ROOT|REPO_ROOT|CODESPACE_VSCODE_FOLDER)\}?(?:/\*?)?", path
    ):
        return refuse(f"deletes {path}")
    return None


def judge_rm(command: Invocation) -> Finding | None:
    recursive = has_option(command, "rR", "--recursive")
    if has_option(command, "", "--no-preserve-root"):
        return refuse("deletes without protecting /")
    if command.has_more_arguments and (finding := _judge_added(command, recursive)) is not None:
        return finding
    for path in operands(command):
        if path == "{}" or (command.name == "rmdir" and re.fullmatch(r"/[a-zA-Z]", path)):
            continue
        if path[:1] in "$`" and (finding := _judge_listed(_listing(path))) is not None:
            return finding
        if (finding := judge_target(place(command, path), recursive=recursive)) is not None:
            return finding
    return None


def _judge_added(command: Invocation, recursive: bool) -> Finding | None:
    """Arguments from ``xargs``: what the pipeline lists."""
    if command.input is None:
        is_list = recursive and command.wrapped_by[-1:] in (("xargs",), ("gxargs",))
        return refuse("recursively deletes whatever a file lists") if is_list else None
    if command.input.text is not None:
        for path in command.input.text.split():
            if (finding := judge_target(place(command, path), recursive=recursive)) is not None:
                return finding
        return None
    sources = command.input.sources
    finding = _judge_listed(sources)
    if finding is None and recursive and not any(source.name in _LISTERS for source in sources):
        return refuse("recursively deletes whatever its input lists")
    return finding


def _listing(path: str) -> Sequence[Invocation]:
    """The commands that list what is deleted: ``rm $(ls)``, and ``ls | while read f; do rm "$f"``."""
    inner = re.fullmatch(r"\$\((.*)\)|`(.*)`", path, re.DOTALL)
    return read_script(inner[1] or inner[2] or "").commands if inner is not None else ()


def _judge_listed(sources: Sequence[Invocation]) -> Finding | None:
    """Judge the deletion of what the commands of a pipeline list."""
    for source in sources:
        if source.name in _FINDERS:
            return judge_find(source, deletes=True)
        if source.name == "git" and {"ls-files", "diff", "status"}.intersection(source.arguments):
            return refuse("deletes the files that git lists")
        if source.name == "ls" and any(is_everything(place(source, path)) for path in operands(source) or ["."]):
            return refuse("deletes everything that ls lists")
    return None


def judge_find(command: Invocation, *, deletes: bool = False) -> Finding | None:
    """``find`` that deletes: by its start folders and its name filters."""
    arguments = command.arguments
    starts: list[str] = []
    for argument in arguments:
        if argument in ("-L", "-H", "-P"):
            continue
        if argument.startswith("-"):
            break
        starts.append(argument)
    if not (deletes or "-delete" in arguments or _REMOVES.search(command.text)):
        return None
    names = [
        arguments[number + 1]
        for number, argument in enumerate(arguments[:-1])
        if argument in ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex")
        and arguments[number - 1] not in ("!", "-not")
    ]
    is_narrow = bool(names) and not any(_BROAD_NAMES.fullmatch(name) for name in names)
    if (finding := _judge_below(command, starts, is_narrow=is_narrow or "-empty" in arguments)) is not None:
        return finding
    if any(re.search(r"\.git(?:/|$)", name) for name in names) and "-prune" not in arguments:
        return refuse("deletes git's own files")
    if any(is_protected(text) for name in names for text in (name.rstrip("*"), name.replace("*", "x"))):
        return refuse("deletes files with secrets or keys")
    return None


def judge_fd(command: Invocation) -> Finding | None:
    """``fd PATTERN FOLDERS -x rm``: by its folders, its pattern and the suffixes that it asks for."""
    before = _REMOVES.split(command.text, maxsplit=1)
    if len(before) == 1:
        return None
    asked = command_of([ShellWord(word) for word in before[0].split()], command)
    pattern, *starts = [*operands(asked, _FD_VALUES), ""]
    suffixes = option_values(asked, "-e", "--extension")
    name = f"*.{suffixes[0]}" if suffixes else "*" + pattern.strip("^$.*").replace("\\", "")
    is_narrow = _BROAD_NAMES.fullmatch(name) is None
    return _judge_below(command, [start for start in starts if start], is_narrow=is_narrow)


def _judge_below(command: Invocation, starts: Sequence[str], *, is_narrow: bool) -> Finding | None:
    """Judge the deletion of files below folders: all of them, or those that a narrow pattern matches."""
    for start in starts or ["."]:
        path = place(command, start)
        if is_rebuildable(path) or (is_narrow and is_temporary(f"{path}/x")):
            continue
        if is_outside(path):
            return refuse(f"deletes files below {path}, which is outside of the project")
        if not is_narrow and (is_everything(path) or is_precious_folder(path) or is_unset_risk(path)):
            return refuse(f"deletes the files below {path}")
    return None


def judge_shred(command: Invocation) -> Finding | None:
    paths = [place(command, path) for path in operands(command, ("-n", "-s", "--iterations", "--size"))]
    if command.has_more_arguments or any(not (is_temporary(path) or is_rebuildable(path)) for path in paths):
        return refuse("overwrites files so that they cannot be recovered")
    return None


def judge_truncate(command: Invocation) -> Finding | None:
    if (finding := _judge_added(command, recursive=False)) is not None:
        return finding
    for path in operands(command, ("-r", "--reference")):
        where = place(command, path)
        if not is_temporary(where) and (is_outside(where) or is_source(where) or is_everything(where)):
            return refuse(f"empties {where}")
    return None


def judge_move(command: Invocation) -> Finding | None:
    """``mv`` of what must stay, or to where it is lost."""
    paths = [place(command, path) for path in operands(command, ("-t", "--target-directory"))]
    if len(paths) > 1 and paths[-1] == "/dev/null":
        return refuse("moves files to /dev/null, where they are lost")
    for path in paths if option_values(command, "-t", "--target-directory") else paths[:-1]:
        if is_everything(path) or re.match(r"(?:.*/)?\.git$", path):
            return refuse(f"moves {path} away")
    return None


def judge_rsync(command: Invocation) -> Finding | None:
    if not any(argument.startswith("--del") for argument in command.arguments):
        return None
    paths = operands(command, ("-e", "--rsh", "--exclude", "--include", "--exclude-from"))
    if not paths:
        return None
    target = place(command, paths[-1])
    empties = any(re.search(r"empty|/dev/null|blank", path) for path in paths[:-1])
    if empties or is_everything(target) or is_outside(target) or is_precious_folder(target):
        return refuse(f"deletes files in {paths[-1]} that its source does not have")
    return None


def judge_emptied(command: Invocation) -> Finding | None:
    """``> file``, ``: > file`` and ``cat /dev/null > file``."""
    if not command.redirects:
        return None
    empties = command.name in ("", ":", "true") or command.text.strip() in ("cat /dev/null", "echo -n", "printf")
    if not empties:
        return None
    for redirect in command.redirects:
        if redirect.operator not in (">", ">|", "&>"):
            continue
        path = place(command, redirect.target.text)
        if is_temporary(path) or not (is_source(path) or is_outside(path)):
            continue
        return refuse(f"empties {path}")
    return None


def judge_copy_of_nothing(command: Invocation) -> Finding | None:
    paths = operands(command)
    if len(paths) > 1 and paths[0] in ("/dev/null", "/dev/zero", "/dev/urandom"):
        where = place(command, paths[-1])
        if not is_temporary(where) and not is_rebuildable(where):
            return refuse(f"overwrites {where}")
    return None


def judge_tar(command: Invocation) -> Finding | None:
    if "--remove-files" in command.arguments:
        return refuse("deletes the files that it packs")
    folders = [value for option, value in pairwise(command.arguments) if option in ("-C", "--directory")]
    extracts = any(re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract", argument) for argument in command.arguments[:2])
    if extracts and any(place(command, folder) == "/" for folder in folders):
        return refuse("unpacks over the root of the system")
    return None


JUDGES = {
    "rm": (judge_rm,),
    "grm": (judge_rm,),
    "rmdir": (judge_rm,),
    "unlink": (judge_rm,),
    "srm": (judge_shred,),
    "trash": (judge_rm,),
    "trash-put": (judge_rm,),
    "rimraf": (judge_rm,),
    "del-cli": (judge_rm,),
    "find": (judge_find,),
    "gfind": (judge_find,),
    "fd": (judge_fd,),
    "fdfind": (judge_fd,),
    "shred": (judge_shred,),
    "wipe": (judge_shred,),
    "truncate": (judge_truncate,),
    "mv": (judge_move,),
    "gmv": (judge_move,),
    "rsync": (judge_rsync,),
    "cp": (judge_copy_of_nothing,),
    "tar": (judge_tar,),
}
