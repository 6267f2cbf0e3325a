"""Git and its servers: lost work, rewritten history, pushes that cannot be taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Verb, Zone
from anyhook.guards.effects.names import BUILT, is_secret_file, is_source_file
from anyhook.guards.effects.program_table import merged, program, rows, special
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.git_aliases import verb_place

PROTECTED_BRANCH = LazyPattern(
    r"(?:refs/heads/)?(?:main|master|trunk|develop|production|prod|stable|staging|release(?:[/-].*)?|gh-pages)$"
)
_WORK = "throws uncommitted work away"
_FILES = "throws the changes in these files away"
_LOST = "deletes lost commits for good"
_REFERENCE = "changes or deletes a reference directly"


def subcommand(run: CommandEffects) -> tuple[str, tuple[str, ...]]:
    """The subcommand of git and its arguments."""
    place = verb_place(run.arguments)
    return "".join(run.arguments[place : place + 1]), run.arguments[place + 1 :]


def has(arguments: Sequence[str], short: str = "", *long: str) -> bool:
    """As git reads options: ``--force=x`` and ``--for`` count, too."""
    for argument in arguments:
        if argument == "--":
            return False
        if argument.startswith("--"):
            if any(
                argument == name or argument.startswith(f"{name}=") or (len(argument) > 3 and name.startswith(argument))
                for name in long
            ):
                return True
        elif re.match(r"-[A-Za-z]", argument) and any(letter in argument[1:] for letter in short):
            return True
    return False


def git(run: CommandEffects) -> None:
    name, arguments = subcommand(run)
    tell = _SUBCOMMANDS.get(name)
    if tell is None:
        return
    arguments = (*arguments, "{}") if run.command.has_more_arguments else arguments
    found = tell(arguments)
    if not found:
        return
    if name not in _REMOTE and any(run.place(f"{folder}/").zone is Zone.TEMPORARY for folder in _folders(run)):
        return  # a checkout that was made for a test
    if found in (_FILES, _TRACKED):
        paths = [path for path in arguments if not path.startswith("-") and path not in ("HEAD", "{}")]
        for path in paths or ["."]:
            run.add(Verb.OVERWRITES, run.place(path.removeprefix(":/") or "."), found)
    else:
        run.add(Verb.SHARED, _REMOTE.get(name, "history"), found)


_TRACKED = "deletes tracked files with their changes"
_REMOTE = {"push": "remote", "remote": "remote settings", "add": "secret", "stage": "secret"}
"""What is not lost with a checkout: the kinds of what these change."""


def _folders(run: CommandEffects) -> list[str]:
    arguments = run.arguments
    return [arguments[number + 1] for number, argument in enumerate(arguments[:-1]) if argument == "-C"] or ["."]


def _push(arguments: Sequence[str]) -> str:
    names = [argument for argument in arguments if not argument.startswith("-")]
    refspecs = names[1:]
    if has(arguments, "n", "--dry-run"):
        return ""
    if has(arguments, "d", "--delete") or any(refspec.startswith(":") for refspec in refspecs):
        return "deletes a branch or tag on the remote"
    if has(arguments, "", "--mirror", "--prune"):
        return "makes the remote the same as this repository, deleting branches"
    if has(arguments, "f", "--force") or any(refspec.startswith("+") for refspec in refspecs):
        return "overwrites history on the remote"
    if any(PROTECTED_BRANCH.match(refspec.rpartition(":")[2]) for refspec in refspecs):
        return "pushes to a protected branch"
    if any(argument.startswith("--force-with-lease") for argument in arguments) and not refspecs:
        return "overwrites history on the remote"
    return "pushes every branch, the protected ones too" if has(arguments, "", "--all", "--branches") else ""


def _clean(arguments: Sequence[str]) -> str:
    is_rehearsed = has(arguments, "n", "--dry-run") or not has(arguments, "fxXd", "--force")
    if is_rehearsed or (has(arguments, "X") and not has(arguments, "xe", "--exclude") and _are_built(arguments)):
        return ""
    return "deletes files that git does not know"


def _are_built(arguments: Sequence[str]) -> bool:
    """Whether only build output is named, so that what git ignores in it can be made again."""
    names = [argument for argument in arguments if not argument.startswith("-")]
    return bool(names) and all(BUILT.match(name) and ".." not in name and name[:1] != "/" for name in names)


def _checkout(arguments: Sequence[str]) -> str:
    if has(arguments, "bB", "--orphan") and "--" not in arguments:
        return ""
    if has(arguments, "f", "--force"):
        return _WORK
    if "--" in arguments and arguments[-1] != "--":
        return _FILES
    if has(arguments, "", "--ours", "--theirs"):
        return ""
    names = [argument for argument in arguments if not argument.startswith("-")]
    is_broad = any(name in (".", "./", ":/", "*", ":") or is_source_file(name) for name in names)
    from_head = len(names) > 1 and names[0] == "HEAD"
    return _FILES if is_broad or from_head or has(arguments, "", "--pathspec-from-file") else ""


def _restore(arguments: Sequence[str]) -> str:
    is_staged = has(arguments, "S", "--staged") and not has(arguments, "W", "--worktree")
    return _FILES if arguments and not (is_staged or has(arguments, "p", "--patch")) else ""


def _branch(arguments: Sequence[str]) -> str:
    if has(arguments, "D"):
        return "deletes a branch that may not be merged"
    name = next((argument for argument in arguments if not argument.startswith("-")), "")
    is_forced = has(arguments, "f", "--force") or (has(arguments, "M") and PROTECTED_BRANCH.match(name))
    return "moves or deletes a branch by force" if is_forced else ""


def _remove(arguments: Sequence[str]) -> str:
    if has(arguments, "n", "--cached", "--dry-run"):
        return ""
    paths = [argument for argument in arguments if not argument.startswith("-")]
    is_broad = any(path in (".", "*", ":/", "./", "./*", ":", "src", "src/") for path in paths)
    return _TRACKED if is_broad or has(arguments, "f", "--force") else ""


def _submodule(arguments: Sequence[str]) -> str:
    what = {"deinit": "deletes a submodule with its changes", "update": "throws changes in submodules away"}
    return what.get(arguments[0], "") if arguments and has(arguments, "f", "--force") else ""


def _rewrite(arguments: Sequence[str]) -> str:
    return "" if has(arguments, "", "--analyze", "--dry-run") else "rewrites the repository's history"


def _update_ref(arguments: Sequence[str]) -> str:
    is_branch = any(re.match(r"refs/heads/|HEAD$", argument) for argument in arguments[:1])
    return _REFERENCE if is_branch or has(arguments, "d", "--stdin") else ""


def _add(arguments: Sequence[str]) -> str:
    is_forced = has(arguments, "f", "--force")
    return "commits secrets that git is told to ignore" if is_forced and any(map(is_secret_file, arguments)) else ""


def _with(what: str, short: str, *long: str) -> Callable[[Sequence[str]], str]:
    """What one of these options does."""
    return lambda arguments: what if has(arguments, short, *long) else ""


def _first(what: str, *verbs: str) -> Callable[[Sequence[str]], str]:
    """What a subcommand of the subcommand does."""
    return lambda arguments: what if arguments and arguments[0] in verbs else ""


def _remote(arguments: Sequence[str]) -> str:
    if arguments and arguments[0] in ("remove", "rm"):
        return "removes a remote with its branches"
    return "makes pushes go to another place" if arguments[:1] == ("set-url",) else ""


_SUBCOMMANDS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "push": _push,
    "reset": _with(_WORK, "", "--hard", "--merge", "--keep"),
    "clean": _clean,
    **dict.fromkeys(("checkout", "co"), _checkout),
    "restore": _restore,
    "switch": _with(_WORK, "fC", "--force", "--discard-changes"),
    "branch": _branch,
    "stash": _first("deletes stashed work", "drop", "clear"),
    "rm": _remove,
    "reflog": _first("deletes the way back to lost commits", "expire", "delete", "drop"),
    "gc": lambda arguments: _LOST if any(re.match(r"--prune(?:=(?:now|all|0)|$)", one) for one in arguments) else "",
    "prune": lambda arguments: "" if has(arguments, "n", "--dry-run") else _LOST,
    **dict.fromkeys(("filter-branch", "filter-repo", "replace", "fast-import"), _rewrite),
    "rebase": _with("rewrites the whole history", "", "--root"),
    "update-ref": _update_ref,
    "worktree": lambda arguments: (
        "deletes a work tree with its changes"
        if arguments[:1] == ("remove",) and has(arguments, "f", "--force")
        else ""
    ),
    "submodule": _submodule,
    "read-tree": _with(_WORK, "u", "--reset"),
    "checkout-index": _with(_WORK, "f", "--force"),
    "tag": _with("deletes or moves a tag", "df", "--delete", "--force"),
    "remote": _remote,
    "symbolic-ref": _with(_REFERENCE, "d", "--delete"),
    **dict.fromkeys(("add", "stage"), _add),
}

_METHOD = r"(?:-X ?|--method[= ])"
PROGRAMS = merged(
    special("git hub", git),
    rows(
        Verb.SHARED,
        "history",
        program("git-filter-repo bfg", "rewrites the repository's history", unless="--analyze --dry-run"),
        program("hg", "throws work away", words="purge|clean|strip|revert|rollback"),
        program("hg", "throws work away", words="update|up|co", flag="-C --clean"),
        program("hg", "throws work away", words="push", flag="-f --force"),
        program("svn", "throws work away", words="revert|cleanup", flag="-R --recursive --remove-unversioned --depth"),
        program("jj", "throws work away", words="abandon|restore"),
    ),
    rows(
        Verb.SHARED,
        "server",
        program(
            "gh glab", "deletes something on the server",
            words="(?:repo|release|gist|secret|variable|project|ssh-key|gpg-key|issue|autolink|deploy-key) "
            "(?:delete|remove|archive)",
        ),
        program("gh glab", "merges past the rules of a protected branch", words="pr merge", line=r"\s--admin(?:\s|$)"),
        program(
            "gh glab", "changes the settings of the repository",
            words="repo edit", line=r"\s\S*(?:visibility|default-branch|enable-|delete-branch)",
        ),
        program(
            "gh glab", "changes the settings of the repository",
            words=r"(?:secret set|workflow disable|auth logout|ruleset|repo rename|repo transfer)[\w-]*",
        ),
        program("gh glab", "changes or deletes something on the server", words=r"api\S*", line=rf"\s{_METHOD}DELETE\b"),
        program(
            "gh glab", "changes or deletes something on the server",
            words=r"api\S*", line=rf"\s{_METHOD}PUT\b.*protection|protection.*\s{_METHOD}PUT\b",
        ),
        program(
            "gh glab", "changes or deletes something on the server", words=r"api\S*",
            line=rf"\s{_METHOD}PATCH\b.*(?:git/refs|repos/[^/ ]+/[^/ ]+(?: |$))|"
            rf"(?:git/refs|repos/[^/ ]+/[^/ ]+ ).*\s{_METHOD}PATCH\b",
        ),
    ),
)  # fmt: skip
