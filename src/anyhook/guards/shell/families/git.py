"""Git: lost work, rewritten history, pushes that cannot be taken back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.places import is_secret_file, is_source, is_temporary, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation
from anyhook.shell.git_aliases import verb_place

PROTECTED_BRANCH = LazyPattern(
    r"(?:refs/heads/)?(?:main|master|trunk|develop|production|prod|stable|staging|release(?:[/-].*)?|gh-pages)$"
)
_STASH = "Commit the work first (git commit -m wip), then there is nothing to lose."
_PUSH = "Push a branch of your own, without force, and open a pull request."


def refuse(what: str, instead: str = _STASH) -> Finding:
    return Finding(Family.GIT, what, instead)


def subcommand(command: Invocation) -> tuple[str, list[str]]:
    """The subcommand of git and its arguments."""
    place = verb_place(command.arguments)
    return "".join(command.arguments[place : place + 1]), list(command.arguments[place + 1 :])


def has(arguments: Sequence[str], short: str = "", *long: str) -> bool:
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


def judge_git(command: Invocation) -> Finding | None:
    name, arguments = subcommand(command)
    judge = _SUBCOMMANDS.get(name)
    if judge is None:
        return None
    if name not in _SHARED and any(is_temporary(f"{place(command, folder)}/") for folder in _folders(command)):
        return None  # a checkout that was made for a test
    if command.has_more_arguments:
        arguments = [*arguments, "{}"]
    return judge(arguments)


_SHARED = frozenset({"push", "remote"})


def _folders(command: Invocation) -> list[str]:
    arguments = command.arguments
    return [arguments[number + 1] for number, argument in enumerate(arguments[:-1]) if argument == "-C"] or ["."]


def _push(arguments: Sequence[str]) -> Finding | None:
    if has(arguments, "n", "--dry-run"):
        return None
    names = [argument for argument in arguments if not argument.startswith("-")]
    refspecs = names[1:]
    targets = [refspec.rpartition(":")[2] for refspec in refspecs]
    if has(arguments, "d", "--delete") or any(refspec.startswith(":") for refspec in refspecs):
        return refuse("deletes a branch or tag on the remote", _PUSH)
    if has(arguments, "", "--mirror", "--prune"):
        return refuse("makes the remote the same as this repository, deleting branches", _PUSH)
    if has(arguments, "f", "--force") or any(refspec.startswith("+") for refspec in refspecs):
        return refuse("overwrites history on the remote", _PUSH)
    if any(PROTECTED_BRANCH.match(target) for target in targets):
        return refuse("pushes to a protected branch", _PUSH)
    if any(argument.startswith("--force-with-lease") for argument in arguments) and not refspecs:
        return refuse("overwrites history on the remote", _PUSH)
    if has(arguments, "", "--all", "--branches"):
        return refuse("pushes every branch, the protected ones too", _PUSH)
    return None


def _reset(arguments: Sequence[str]) -> Finding | None:
    return refuse("throws uncommitted work away") if has(arguments, "", "--hard", "--merge", "--keep") else None


def _clean(arguments: Sequence[str]) -> Finding | None:
    if has(arguments, "n", "--dry-run") or not has(arguments, "fxXd", "--force"):
        return None
    return refuse("deletes files that git does not know")


def _checkout(arguments: Sequence[str]) -> Finding | None:
    if has(arguments, "bB", "--orphan") and "--" not in arguments:
        return None
    if has(arguments, "f", "--force"):
        return refuse("throws uncommitted work away")
    names = [argument for argument in arguments if not argument.startswith("-")]
    if "--" in arguments and arguments[-1] != "--":
        return refuse("throws the changes in these files away")
    if has(arguments, "", "--ours", "--theirs"):
        return None
    if (
        any(name in (".", "./", ":/", "*", ":") or is_source(name) for name in names)
        or has(arguments, "", "--pathspec-from-file")
        or (len(names) > 1 and names[0] == "HEAD")
    ):
        return refuse("throws the changes in these files away")
    return None


def _restore(arguments: Sequence[str]) -> Finding | None:
    staged = has(arguments, "S", "--staged")
    if (staged and not has(arguments, "W", "--worktree")) or has(arguments, "p", "--patch"):
        return None
    return refuse("throws the changes in these files away") if arguments else None


def _switch(arguments: Sequence[str]) -> Finding | None:
    return refuse("throws uncommitted work away") if has(arguments, "fC", "--force", "--discard-changes") else None


def _branch(arguments: Sequence[str]) -> Finding | None:
    forced = has(arguments, "f", "--force")
    if has(arguments, "D"):
        return refuse("deletes a branch that may not be merged", "Use git branch -d, which refuses to lose commits.")
    names = [argument for argument in arguments if not argument.startswith("-")]
    if forced or (has(arguments, "M") and PROTECTED_BRANCH.match(next(iter(names), ""))):
        return refuse("moves or deletes a branch by force")
    return None


def _stash(arguments: Sequence[str]) -> Finding | None:
    return refuse("deletes stashed work") if arguments[:1] and arguments[0] in ("drop", "clear") else None


def _remove(arguments: Sequence[str]) -> Finding | None:
    if has(arguments, "n", "--cached", "--dry-run"):
        return None
    paths = [argument for argument in arguments if not argument.startswith("-")]
    broad = any(path in (".", "*", ":/", "./", "./*", ":", "src", "src/") for path in paths)
    return refuse("deletes tracked files with their changes") if broad or has(arguments, "f", "--force") else None


def _reflog(arguments: Sequence[str]) -> Finding | None:
    return (
        refuse("deletes the way back to lost commits")
        if arguments[:1] and arguments[0] in ("expire", "delete", "drop")
        else None
    )


def _gc(arguments: Sequence[str]) -> Finding | None:
    return (
        refuse("deletes lost commits for good")
        if any(re.match(r"--prune(?:=(?:now|all|0)|$)", argument) for argument in arguments)
        else None
    )


def _prune(arguments: Sequence[str]) -> Finding | None:
    return None if has(arguments, "n", "--dry-run") else refuse("deletes lost commits for good")


def _rewrite(arguments: Sequence[str]) -> Finding | None:
    return (
        None
        if has(arguments, "", "--analyze", "--dry-run")
        else refuse(
            "rewrites the repository's history",
            "Ask the user: rewriting history needs the agreement of everyone who works on it.",
        )
    )


def _rebase(arguments: Sequence[str]) -> Finding | None:
    return refuse("rewrites the whole history") if has(arguments, "", "--root") else None


def _update_ref(arguments: Sequence[str]) -> Finding | None:
    return (
        refuse("changes or deletes a reference directly")
        if has(arguments, "d", "--stdin") or any(re.match(r"refs/heads/|HEAD$", argument) for argument in arguments[:1])
        else None
    )


def _worktree(arguments: Sequence[str]) -> Finding | None:
    return (
        refuse("deletes a work tree with its changes")
        if arguments[:1] == ["remove"] and has(arguments, "f", "--force")
        else None
    )


def _submodule(arguments: Sequence[str]) -> Finding | None:
    if arguments[:1] == ["deinit"] and has(arguments, "f", "--force"):
        return refuse("deletes a submodule with its changes")
    return (
        refuse("throws changes in submodules away")
        if arguments[:1] == ["update"] and has(arguments, "f", "--force")
        else None
    )


def _read_tree(arguments: Sequence[str]) -> Finding | None:
    return refuse("throws uncommitted work away") if has(arguments, "u", "--reset") else None


def _checkout_index(arguments: Sequence[str]) -> Finding | None:
    return refuse("throws uncommitted work away") if has(arguments, "f", "--force") else None


def _tag(arguments: Sequence[str]) -> Finding | None:
    return refuse("deletes or moves a tag") if has(arguments, "df", "--delete", "--force") else None


def _symbolic_ref(arguments: Sequence[str]) -> Finding | None:
    return refuse("changes or deletes a reference directly") if has(arguments, "d", "--delete") else None


def _add(arguments: Sequence[str]) -> Finding | None:
    if has(arguments, "f", "--force") and any(map(is_secret_file, arguments)):
        return refuse("commits secrets that git is told to ignore", "Leave files with secrets out of the repository.")
    return None


def _remote(arguments: Sequence[str]) -> Finding | None:
    if arguments[:1] and arguments[0] in ("remove", "rm"):
        return refuse("removes a remote with its branches")
    return refuse("makes pushes go to another place") if arguments[:1] == ["set-url"] else None


_SUBCOMMANDS: dict[str, Callable[[Sequence[str]], Finding | None]] = {
    "push": _push,
    "reset": _reset,
    "clean": _clean,
    "checkout": _checkout,
    "co": _checkout,
    "restore": _restore,
    "switch": _switch,
    "branch": _branch,
    "stash": _stash,
    "rm": _remove,
    "reflog": _reflog,
    "gc": _gc,
    "prune": _prune,
    "filter-branch": _rewrite,
    "filter-repo": _rewrite,
    "replace": _rewrite,
    "fast-import": _rewrite,
    "rebase": _rebase,
    "update-ref": _update_ref,
    "worktree": _worktree,
    "submodule": _submodule,
    "read-tree": _read_tree,
    "checkout-index": _checkout_index,
    "tag": _tag,
    "remote": _remote,
    "symbolic-ref": _symbolic_ref,
    "add": _add,
    "stage": _add,
}

_HUB_DELETES = LazyPattern(
    r"(?:repo|release|gist|secret|variable|project|ssh-key|gpg-key|issue|autolink|deploy-key) "
    r"(?:delete|remove|archive)\b"
)


def judge_hub(command: Invocation) -> Finding | None:
    """``gh`` and ``glab``: what is deleted, overridden or made public on the server."""
    text = " ".join([argument for argument in command.arguments if not argument.startswith("-")])
    if _HUB_DELETES.match(text):
        return refuse("deletes something on the server", "Ask the user to do this.")
    if text.startswith("pr merge") and "--admin" in command.arguments:
        return refuse("merges past the rules of a protected branch", _PUSH)
    if text.startswith("repo edit") and any(
        re.search("visibility|default-branch|enable-|delete-branch", argument) for argument in command.arguments
    ):
        return refuse("changes the settings of the repository", "Ask the user to do this.")
    if text.startswith(("secret set", "workflow disable", "auth logout", "ruleset", "repo rename", "repo transfer")):
        return refuse("changes the settings of the repository", "Ask the user to do this.")
    if text.startswith("api"):
        return _judge_api(command)
    return None


def _judge_api(command: Invocation) -> Finding | None:
    arguments = command.arguments
    methods = [
        arguments[number + 1].upper()
        for number, argument in enumerate(arguments[:-1])
        if argument in ("-X", "--method")
    ]
    methods += [
        argument.removeprefix("--method=").removeprefix("-X").upper()
        for argument in arguments
        if re.match(r"--method=|-X\w", argument)
    ]
    target = " ".join(arguments)
    if (
        "DELETE" in methods
        or ("PUT" in methods and "protection" in target)
        or ("PATCH" in methods and re.search(r"git/refs|repos/[^/ ]+/[^/ ]+(?: |$)", target))
    ):
        return refuse("changes or deletes something on the server", "Ask the user to do this.")
    return None


def judge_other(command: Invocation) -> Finding | None:
    """Mercurial, Subversion, Jujutsu."""
    words = [argument for argument in command.arguments if not argument.startswith("-")]
    first = words[0] if words else ""
    arguments = command.arguments
    if command.name == "hg" and (
        first in ("purge", "clean", "strip", "revert", "rollback")
        or (first in ("update", "up", "co") and has(arguments, "C", "--clean"))
        or (first == "push" and has(arguments, "f", "--force"))
    ):
        return refuse("throws work away")
    if command.name == "svn" and (
        first in ("revert", "cleanup") and has(arguments, "R", "--recursive", "--remove-unversioned", "--depth")
    ):
        return refuse("throws work away")
    if command.name == "jj" and first in ("abandon", "restore"):
        return refuse("throws work away")
    return None


JUDGES = {
    "git": (judge_git,),
    "gh": (judge_hub,),
    "glab": (judge_hub,),
    "hub": (judge_git,),
    "hg": (judge_other,),
    "svn": (judge_other,),
    "jj": (judge_other,),
    "git-filter-repo": (lambda command: _rewrite(command.arguments),),
    "bfg": (lambda command: _rewrite(command.arguments),),
}
