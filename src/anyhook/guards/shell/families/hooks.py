"""Commands that disable hooks or guards: those of git, of agents, and of anyhook itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyhook.guards.hook_files import is_client_folder, is_hook_file, is_own_state
from anyhook.guards.shell.families.approval import PERSON
from anyhook.guards.shell.families.git import has, subcommand
from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import operands
from anyhook.guards.shell.places import is_temporary, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_INSTEAD = "Hooks are there on purpose: fix what they report, or ask the user."
_SKIPPING = {
    "HUSKY": LazyPattern(r"0$|false$"),
    "HUSKY_SKIP_HOOKS": LazyPattern(r"1|true"),
    "HUSKY_SKIP_INSTALL": LazyPattern(r"1|true"),
    "SKIP": LazyPattern(r"[\w,-]+$"),
    "PRE_COMMIT_ALLOW_NO_CONFIG": LazyPattern(r"."),
    "LEFTHOOK": LazyPattern(r"0|false"),
    "LEFTHOOK_EXCLUDE": LazyPattern(r"."),
    "OVERCOMMIT_DISABLE": LazyPattern(r"1|true"),
    "SKIP_HOOKS": LazyPattern(r"."),
    "NO_VERIFY": LazyPattern(r"1|true"),
    "SKIP_SIMPLE_GIT_HOOKS": LazyPattern(r"."),
    "GIT_HOOKS_DISABLED": LazyPattern(r"."),
    "DISABLE_HOOKS": LazyPattern(r"."),
    "GIT_CONFIG_COUNT": LazyPattern(r"."),
    "GIT_CONFIG_PARAMETERS": LazyPattern(r"."),
    "GIT_CONFIG_GLOBAL": LazyPattern(r"."),
    "GIT_CONFIG_KEY_0": LazyPattern(r"core\.hookspath", re.IGNORECASE),
    "GIT_TEMPLATE_DIR": LazyPattern(r"."),
    "CLAUDE_CODE_DISABLE_HOOKS": LazyPattern(r"."),
    "CLAUDE_CONFIG_DIR": LazyPattern(r"."),
    "CODEX_HOME": LazyPattern(r"."),
    "SAFETY_NET_DISABLE": LazyPattern(r"."),
    "SKIP_PRECOMMIT": LazyPattern(r"."),
    "PRE_COMMIT": LazyPattern(r"0|false"),
    "CI_SKIP_HOOKS": LazyPattern(r"."),
    "GUARD_DISABLED": LazyPattern(r"."),
    "DISABLE_GUARD": LazyPattern(r"."),
    "GIT_PUSH_OPTION": LazyPattern(r"skip"),
    "VERIFY": LazyPattern(r"0|false"),
}
SETTERS = frozenset({"export", "declare", "typeset", "readonly", "setenv"})
"""Builtins that set variables."""
MAKERS = frozenset({"touch", "mkfifo", "mknod"})
_AGENT_SWITCH = LazyPattern(
    r"--dangerously-[\w-]+|--yolo|--full-auto|--skip-permissions\S*|--bypass-\S+|--approval-mode=yolo|"
    r"--permission-mode=bypassPermissions|--no-hooks|--disable-hooks|--skip-hooks|"
    r"--allow-all(?:-tools|-paths)?|--trust-all-tools"
)
"""Options by which agents run without their guards or questions."""
_AGENT_VALUE = LazyPattern(
    r"--permission-mode bypassPermissions|--approval-mode yolo|(?:--sandbox|-s) danger-full-access|"
    r"--ask-for-approval never|--settings .*disableAllHooks|(?:-c|--config) (?:features\.)?\w*hooks *= *false|"
    r"--disable \w*hooks"
)
"""The same, as an option and its value."""
_AGENT_OPTIONS = frozenset(
    (
        "--permission-mode",
        "--approval-mode",
        "--sandbox",
        "-s",
        "--ask-for-approval",
        "--settings",
        "-c",
        "--config",
        "--disable",
    )
)
"""The options of these values."""
_PRINTERS = frozenset({"echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack"})
"""Programs to which such an option is a text to print or to look for."""
_OWN_PROGRAM = LazyPattern(r"(?:.*/)?bin/anyhook(?:-client)?(?:\.exe)?$|.*\banyhook\.__file__")
_MANAGERS = LazyPattern(r"\S+\s+(?:uninstall|--uninstall|remove|disable)|overcommit\s+(?:-u|--sign)")
_UNINSTALLS = LazyPattern(
    r"(?:pip[\d.]*|pipx|uv|poetry|conda|brew|npm|pnpm|yarn|bun|apt(?:-get)?|"
    r"python[\d.]*\s+-m\s+pip)\s+(?:\S+\s+)*?(?:uninstall|remove|rm|un)\s+(?:\S+\s+)*?(?:anyhook\S*|"
    r"husky|pre-commit|lefthook|gitleaks|cc-safety-net|simple-git-hooks|lint-staged)\b|"
    r"\S+ pkg (?:delete|set) (?:\S+ )*(?:scripts\.(?:pre|post)?prepare|husky|lint-staged|simple-git-hooks)\b"
)
_DROPS_MANAGER = LazyPattern(
    r"\bdel\([^)]*\b(?:husky|prepare|lint-staged|simple-git-hooks)\b|"
    r"/[^/]*\b(?:husky|prepare|lint-staged|simple-git-hooks)\b[^/]*/d\b"
)
"""A program of ``jq`` or ``sed`` that takes the entries of a hook manager out."""


def refuse(what: str) -> Finding:
    return Finding(Family.HOOKS, what, _INSTEAD)


def judge(command: Invocation, written: Sequence[str], deleted: Sequence[str]) -> Finding | None:
    """Any command: variables that skip hooks, and writes to hook files."""
    return _judge_variables(command) or judge_switches(command) or _judge_paths(command, written, deleted)


def _judge_variables(command: Invocation) -> Finding | None:
    pairs = list(command.assignments)
    if command.name in SETTERS:
        pairs += [(word.partition("=")[0], word.partition("=")[2]) for word in command.arguments if "=" in word]
    for name, value in pairs:
        if name.startswith("ANYHOOK_") and name not in (
            "ANYHOOK_PROPERTIES",
            "ANYHOOK_UPDATE_SCRIPTS",
            "ANYHOOK_REAL_CLIENTS",
        ):
            return refuse(f"changes how guards run ({name})")
        if (
            (pattern := _SKIPPING.get(name)) is not None
            and pattern.match(value)
            and not (name == "SKIP" and not _commits(command))
        ):
            return refuse(f"skips hooks ({name}={value})")
    return None


def judge_switches(command: Invocation) -> Finding | None:
    if command.name in _PRINTERS:
        return None
    arguments = command.arguments
    for number, option in enumerate(arguments):
        if option[:1] != "-":
            continue
        if (option[:2] == "--" and _AGENT_SWITCH.fullmatch(option)) or (
            option in _AGENT_OPTIONS and _AGENT_VALUE.match(" ".join(arguments[number : number + 2]))
        ):
            return refuse("starts an agent without its guards")
    return None


def _judge_paths(command: Invocation, written: Sequence[str], deleted: Sequence[str]) -> Finding | None:
    for path in (*written, *deleted, *_made_paths(command)):
        if is_own_state(path) and (path.startswith("/run/") or not is_temporary(path)):
            return Finding(Family.HOOKS, f"changes or deletes {path}", PERSON)
        decides = is_hook_file(path) or is_client_folder(path.rstrip("/")) or _OWN_PROGRAM.match(path)
        if decides and not is_temporary(path) and not _is_harmless(command, path):
            return refuse(f"changes or deletes {path}")
    return None


def _commits(command: Invocation) -> bool:
    """``SKIP=`` means something to pre-commit alone."""
    return command.name in ("git", "pre-commit", "export", "declare", "gt", "jj", "env")


def _made_paths(command: Invocation) -> list[str]:
    """New files: one more script in a package changes it, so that its guards are no longer trusted."""
    if command.name not in MAKERS:
        return []
    return [place(command, path) for path in operands(command, ("-d", "-t", "-r", "--date", "--reference", "-m"))]


def _is_harmless(command: Invocation, path: str) -> bool:
    """Files may be copied into a client's folder. A link of its name would give the client other settings."""
    return is_client_folder(path) and command.name in ("cp", "install", "gcp", "ditto")


def judge_git(command: Invocation) -> Finding | None:
    name, arguments = subcommand(command)
    for number, argument in enumerate(command.arguments):
        if (
            argument in ("-c", "--config-env")
            and number + 1 < len(command.arguments)
            and re.match(
                r"core\.(?:hookspath|fsmonitor|sshcommand)|include\.path|commit\.gpgsign=false|alias\.\w+=!",
                command.arguments[number + 1],
                re.IGNORECASE,
            )
        ):
            return refuse("makes git run without its hooks, or with others")
        if argument.lower().startswith(("-ccore.hookspath", "--config-env=core.hookspath")):
            return refuse("makes git run without its hooks")
    if name in ("commit", "push", "merge", "rebase", "am", "pull", "cherry-pick", "revert") and any(
        re.match(r"--no-ver(?:i|if|ify)?$", argument) for argument in arguments
    ):
        return refuse("makes git run without its hooks")
    if name == "commit" and _skips_commit_hooks(arguments):
        return refuse("makes git run without its hooks")
    if name in ("commit", "tag", "merge", "rebase") and "--no-gpg-sign" in arguments:
        return refuse("leaves the signature out")
    if name == "config" and _judge_config(arguments):
        return refuse("changes which hooks git runs")
    if name == "update-index" and has(arguments, "", "--assume-unchanged", "--skip-worktree", "--chmod"):
        hides = any("assume" in argument or "skip-worktree" in argument for argument in arguments)
        return refuse("hides changes to a file") if hides or any(map(is_hook_file, arguments)) else None
    if name in ("rm", "mv", "checkout", "restore", "stash") and any(
        is_hook_file(argument) or is_client_folder(argument.rstrip("/")) for argument in arguments
    ):
        return refuse("changes or deletes hook files")
    if name in ("init", "clone") and any(argument.startswith("--template") for argument in arguments):
        return refuse("makes a repository without its hooks")
    return refuse("writes a commit past the hooks") if name == "commit-tree" else None


def _skips_commit_hooks(arguments: list[str]) -> bool:
    """``-n``, alone or in a group such as ``-anm``; a letter after one that takes a value belongs to the value."""
    skip = False
    for argument in arguments:
        if skip:
            skip = False
            continue
        if argument == "--":
            return False
        if argument.startswith("--"):
            skip = argument in (
                "--message",
                "--file",
                "--author",
                "--date",
                "--template",
                "--reuse-message",
                "--fixup",
                "--squash",
            )
            continue
        if re.match(r"-[A-Za-z]", argument):
            for place_, letter in enumerate(argument[1:], 1):
                if letter == "n":
                    return True
                if letter in "mFcCtS":
                    skip = letter in "mFcCt" and place_ == len(argument) - 1
                    break
    return False


def _judge_config(arguments: list[str]) -> bool:
    names = [argument for argument in arguments if not argument.startswith("-")]
    if "--edit" in arguments or "-e" in arguments:
        return True
    if has(arguments, "", "--get", "--get-all", "--list", "--get-regexp"):
        return False
    names = [name for name in names if name not in ("set", "unset")]
    key = names[0] if names else ""
    removes = has(arguments, "", "--unset", "--unset-all", "--remove-section", "--replace-all") or "unset" in arguments
    if re.match(
        r"core\.hookspath|core\.fsmonitor|init\.templatedir|include\.path|includeif\.|core\.sshcommand|core$|"
        r"hooks?(?:\.|$)",
        key,
        re.IGNORECASE,
    ):
        return removes or len(names) > 1
    if re.match(r"(?:commit|tag)\.gpgsign|commit\.verbose", key, re.IGNORECASE):
        return len(names) > 1 and names[1].lower() in ("false", "no", "0", "off")
    return (
        re.match(r"alias\.", key, re.IGNORECASE) is not None
        and len(names) > 1
        and re.match(r"!|.*no-verify|.*--force", names[1]) is not None
    )


def judge_find(command: Invocation) -> Finding | None:
    """``find .git/hooks -exec chmod -x {} +``."""
    starts = [place(command, argument) for argument in command.arguments if not argument.startswith("-")][:3]
    changes = re.search(
        r"-delete|(?:-exec\w*|-ok\w*|-[xX]|--exec\S*?)[ =](?:sudo )?"
        r"(?:rm|chmod|mv|sed|truncate|shred|unlink|perl|sh|bash)\b",
        command.text,
    )
    if changes and any(is_hook_file(start) or is_client_folder(start.rstrip("/")) for start in starts):
        return refuse("changes or deletes hook files")
    return None


def judge_manager(command: Invocation) -> Finding | None:
    return refuse("removes the project's hooks") if _MANAGERS.match(command.text) else None


def judge_manifest(command: Invocation) -> Finding | None:
    """``sed -i '/husky/d' package.json``."""
    takes = any(_DROPS_MANAGER.search(argument) for argument in command.arguments)
    named = any(argument.endswith("package.json") for argument in command.arguments)
    return refuse("removes the project's hooks") if takes and named else None


def judge_alias(command: Invocation) -> Finding | None:
    named = any(argument.startswith("anyhook=") for argument in command.arguments)
    return refuse("puts another program in the place of anyhook") if named else None


def judge_uninstall(command: Invocation) -> Finding | None:
    return refuse("uninstalls the program that runs the hooks") if _UNINSTALLS.match(command.text) else None


def judge_python_module(command: Invocation) -> Finding | None:
    arguments = command.arguments
    if "-m" in arguments and arguments.index("-m") + 1 < len(arguments):
        module, rest = arguments[arguments.index("-m") + 1], " ".join(arguments[arguments.index("-m") + 2 :])
        if module == "pre_commit" and rest.startswith("uninstall"):
            return refuse("removes the project's hooks")
    return judge_uninstall(command)


def judge_killer(command: Invocation) -> Finding | None:
    """``pkill anyhook`` and ``kill $(pgrep -f anyhook)``."""
    targets = operands(command, ("-s", "-n", "--signal"))
    if command.input is not None:
        targets += [source.text for source in command.input.sources]
    return (
        refuse("ends the process that runs the hooks")
        if any(
            re.search(
                r"anyhook|pre-commit|hooks?[-_]?daemon|safety-net|\bhook-?server",
                target,
                re.IGNORECASE,
            )
            for target in targets
        )
        else None
    )


def judge_chmod(command: Invocation) -> Finding | None:
    """A hook that may not be run or read any more."""
    arguments = command.arguments
    takes = any(
        re.fullmatch(
            r"[ugoa]*-[rwxX]*[xr][rwxX]*|[ugoa]*=[wst]*|0?[0-7]?(?:[0246][0246][0246]|[0-3][0-7][0-7])|0+", argument
        )
        for argument in arguments
    )
    paths = [place(command, argument) for argument in operands(command)]
    if takes and any(
        is_client_folder(path)
        or _OWN_PROGRAM.match(path)
        or (is_hook_file(path) and not re.search(r"settings.*\.json$|hooks\.json$|\.toml$", path))
        for path in paths
    ):
        return refuse("keeps hooks from running")
    if any(is_hook_file(path) for path in paths) and any(
        re.fullmatch(r"a-r\S*|-r\S*|ugo-r\S*", argument) for argument in arguments
    ):
        return refuse("keeps hooks from being read")
    return None


JUDGES = {
    **dict.fromkeys(("find", "gfind", "fd", "fdfind"), (judge_find,)),
    "git": (judge_git,),
    "gt": (judge_git,),
    **dict.fromkeys(
        ("pre-commit", "husky", "lefthook", "overcommit", "simple-git-hooks", "prek", "captainhook", "githooks"),
        (judge_manager,),
    ),
    **dict.fromkeys(
        ("pip", "pip3", "pipx", "uv", "poetry", "conda", "brew", "npm", "pnpm", "yarn", "bun", "apt", "apt-get"),
        (judge_uninstall,),
    ),
    "alias": (judge_alias,),
    **dict.fromkeys(("jq", "sed", "gsed"), (judge_manifest,)),
    "python": (judge_python_module,),
    "python3": (judge_python_module,),
    "kill": (judge_killer,),
    "pkill": (judge_killer,),
    "killall": (judge_killer,),
    "chmod": (judge_chmod,),
}
