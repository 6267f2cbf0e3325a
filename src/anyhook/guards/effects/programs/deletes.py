"""Programs that delete files, empty them or move them away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from anyhook.guards.effects.command_effects import CommandEffects, operands, option_values
from anyhook.guards.effects.model import Verb, words
from anyhook.guards.effects.names import is_everything, is_protected
from anyhook.guards.effects.program_table import special
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


def rm(run: CommandEffects) -> None:
    how = "recursive" if run.has("rR", "--recursive") else ""
    if run.has("", "--no-preserve-root"):
        run.add(Verb.DELETES, "files", "deletes without protecting /")
    if run.command.has_more_arguments:
        _added(run, how)
    for path in run.operands(("-n",)):
        if path == "{}" or (run.name == "rmdir" and re.fullmatch(r"/[a-zA-Z]", path)):
            continue
        if path[:1] in "$`":
            _listed(run, _listing(path))
        run.add(Verb.DELETES, run.place(path), "empty" if run.name == "rmdir" else how)


def _added(run: CommandEffects, how: str) -> None:
    """Arguments from ``xargs``: what the pipeline lists."""
    command = run.command
    if command.input is None:
        if how and command.wrapped_by[-1:] in (("xargs",), ("gxargs",)):
            run.add(Verb.DELETES, "files", "recursively deletes whatever a file lists")
    elif command.input.text is not None:
        paths = command.input.text.split()
        for path in paths[:_MOST_LISTED]:
            run.add(Verb.DELETES, run.place(path), how)
        if len(paths) > _MOST_LISTED:
            run.add(Verb.DELETES, "files", "deletes more files than can be judged")
    else:
        _listed(run, run.sources)
        for source in run.sources:
            for path in operands(source.arguments) if source.name == "ls" else ():
                run.add(Verb.DELETES, run.place(path), "listed")
        if how and not any(source.name in _LISTERS for source in run.sources):
            run.add(Verb.DELETES, "files", "recursively deletes whatever its input lists")


def _listing(path: str) -> Sequence[Invocation]:
    """The commands that list what is deleted: ``rm $(ls)``, and ``ls | while read f; do rm "$f"``."""
    inner = re.fullmatch(r"\$\((.*)\)|`(.*)`", path, re.DOTALL)
    return read_script(inner[1] or inner[2] or "").commands if inner is not None else ()


def _listed(run: CommandEffects, sources: Sequence[Invocation]) -> None:
    """The deletion of what the commands of a pipeline list; the first that lists decides."""
    for source in sources:
        other = CommandEffects(source, run.where, run.by)
        if source.name in _FINDERS:
            find(other, deletes=True)
            run.effects += other.effects
            return
        if source.name == "git" and {"ls-files", "diff", "status"}.intersection(source.arguments):
            run.add(Verb.DELETES, "files", "deletes the files that git lists")
            return
        if source.name == "ls" and any(is_everything(other.shown(path)) for path in other.operands() or ["."]):
            run.add(Verb.DELETES, "files", "deletes everything that ls lists")
            return


def find(run: CommandEffects, *, deletes: bool = False) -> None:
    """``find`` that deletes: by its start folders and its name filters."""
    arguments = run.arguments
    starts: list[str] = []
    for argument in arguments:
        if argument in ("-L", "-H", "-P"):
            continue
        if argument.startswith("-"):
            break
        starts.append(argument)
    if not (deletes or "-delete" in arguments or _REMOVES.search(run.text)):
        return
    names = [
        arguments[number + 1]
        for number, argument in enumerate(arguments[:-1])
        if argument in _NAMES and arguments[number - 1] not in ("!", "-not")
    ]
    is_narrow = bool(names) and not any(_BROAD_NAMES.fullmatch(name) for name in names)
    _below(run, starts, is_narrow=is_narrow or "-empty" in arguments)
    if any(re.search(r"\.git(?:/|$)", name) for name in names) and "-prune" not in arguments:
        run.add(Verb.DELETES, "files", "deletes git's own files")
    if any(is_protected(text) for name in names for text in (name.rstrip("*"), name.replace("*", "x"))):
        run.add(Verb.DELETES, "files", "deletes files with secrets or keys")


def fd(run: CommandEffects) -> None:
    """``fd PATTERN FOLDERS -x rm``: by its folders, its pattern and the suffixes that it asks for."""
    before = _REMOVES.split(run.text, maxsplit=1)
    if len(before) == 1:
        return
    asked = tuple(before[0].split()[1:])
    pattern, *starts = [*operands(asked, _FD_VALUES), ""]
    suffixes = option_values(asked, "-e", "--extension")
    name = f"*.{suffixes[0]}" if suffixes else "*" + pattern.strip("^$.*").replace("\\", "")
    _below(run, [start for start in starts if start], is_narrow=_BROAD_NAMES.fullmatch(name) is None)


def _below(run: CommandEffects, starts: Sequence[str], *, is_narrow: bool) -> None:
    for start in starts or ["."]:
        run.add(Verb.DELETES, run.place(start), "matching" if is_narrow else "below")


def shred(run: CommandEffects) -> None:
    if run.command.has_more_arguments:
        run.add(Verb.OVERWRITES, "files", "overwrites files so that they cannot be recovered")
    for path in run.operands(("-n", "-s", "--iterations", "--size")):
        run.add(Verb.OVERWRITES, run.place(path), "shred")


def truncate(run: CommandEffects) -> None:
    if run.command.has_more_arguments:
        _added(run, "")
    for path in run.operands(("-r", "--reference", "-s", "--size")):
        run.add(Verb.OVERWRITES, run.place(path), "empties")


def move(run: CommandEffects) -> None:
    """``mv`` of what must stay, or to where it is lost."""
    paths = run.operands(("-t", "--target-directory"))
    if len(paths) > 1 and paths[-1] == "/dev/null":
        run.add(Verb.DELETES, "files", "moves files to /dev/null, where they are lost")
    for path in paths if run.values("-t", "--target-directory") else paths[:-1]:
        run.add(Verb.DELETES, run.place(path), "moved")


def rsync(run: CommandEffects) -> None:
    paths = run.operands(("-e", "--rsh", "--exclude", "--include", "--exclude-from"))
    if not paths or not any(argument.startswith("--del") for argument in run.arguments):
        return
    if any(re.search(r"empty|/dev/null|blank", path) for path in paths[:-1]):
        run.add(Verb.DELETES, "files", f"deletes files in {paths[-1]} that its source does not have")
    run.add(Verb.DELETES, run.place(paths[-1]), "mirrored")


def emptied(run: CommandEffects) -> None:
    """``> file``, ``: > file`` and ``cat /dev/null > file``, whatever the program."""
    if run.name not in ("", ":", "true") and run.text.strip() not in _EMPTYING:
        return
    for redirect in run.command.redirects:
        if redirect.operator in (">", ">|", "&>"):
            run.add(Verb.OVERWRITES, run.place(redirect.target.text), "empties")


def copy(run: CommandEffects) -> None:
    paths = run.operands()
    if len(paths) > 1 and paths[0] in _ENDLESS:
        run.add(Verb.OVERWRITES, run.place(paths[-1]), "nothing")


def tar(run: CommandEffects) -> None:
    if "--remove-files" in run.arguments:
        run.add(Verb.DELETES, "files", "deletes the files that it packs")
    folders = [value for option, value in pairwise(run.arguments) if option in ("-C", "--directory")]
    extracts = any(re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract", argument) for argument in run.arguments[:2])
    if extracts and any(run.shown(folder) == "/" for folder in folders):
        run.add(Verb.DELETES, "files", "unpacks over the root of the system")


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
