"""What guards the agent: hooks of git, of hook managers, of agents, and anyhook's own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Verb, words
from anyhook.guards.effects.program_table import merged, program, rows, special
from anyhook.guards.effects.programs.git import has, subcommand
from anyhook.guards.effects.programs.machine import assigned
from anyhook.guards.hook_files import is_client_folder, is_hook_file
from anyhook.lazy_pattern import LazyPattern

_SKIPPING = {
    "HUSKY": LazyPattern(r"0$|false$"),
    **dict.fromkeys(
        words("HUSKY_SKIP_HOOKS HUSKY_SKIP_INSTALL OVERCOMMIT_DISABLE NO_VERIFY"),
        LazyPattern(r"1|true"),
    ),
    "SKIP": LazyPattern(r"[\w,-]+$"),
    **dict.fromkeys(
        words(
            "PRE_COMMIT_ALLOW_NO_CONFIG LEFTHOOK_EXCLUDE SKIP_HOOKS SKIP_SIMPLE_GIT_HOOKS GIT_HOOKS_DISABLED "
            "DISABLE_HOOKS GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_TEMPLATE_DIR "
            "CLAUDE_CODE_DISABLE_HOOKS CLAUDE_CONFIG_DIR CODEX_HOME SAFETY_NET_DISABLE SKIP_PRECOMMIT "
            "CI_SKIP_HOOKS GUARD_DISABLED DISABLE_GUARD"
        ),
        LazyPattern(r"."),
    ),
    **dict.fromkeys(
        words("LEFTHOOK PRE_COMMIT VERIFY"),
        LazyPattern(r"0|false"),
    ),
    "GIT_CONFIG_KEY_0": LazyPattern(r"core\.hookspath", re.IGNORECASE),
    "GIT_PUSH_OPTION": LazyPattern(r"skip"),
}
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
_AGENT_OPTIONS = words(
    "--permission-mode --approval-mode --sandbox -s --ask-for-approval --settings -c --config --disable"
)
"""The options of these values."""
_PRINTERS = words("echo printf grep egrep fgrep rg ag ack")
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


_OWN_VARIABLES = words("ANYHOOK_PROPERTIES ANYHOOK_UPDATE_SCRIPTS ANYHOOK_REAL_CLIENTS")
"""Of anyhook's own tests."""
_COMMITS = words("git pre-commit export declare gt jj env")
"""Programs for which ``SKIP=`` means hooks."""
_WITHOUT = "makes git run without its hooks"
_FILES = "changes or deletes hook files"
_REMOVES = "removes the project's hooks"
_TAKES_MODE = LazyPattern(
    r"[ugoa]*-[rwxX]*[xr][rwxX]*|[ugoa]*=[wst]*|0?[0-7]?(?:[0246][0246][0246]|[0-3][0-7][0-7])|0+"
)


def is_own_program(path: str) -> bool:
    return _OWN_PROGRAM.match(path) is not None


def _add(run: CommandEffects, what: str) -> None:
    run.add(Verb.GUARDS, "hooks", what)


def variables(run: CommandEffects) -> None:
    """Any command: variables that skip hooks."""
    for name, value in assigned(run):
        if name.startswith("ANYHOOK_") and name not in _OWN_VARIABLES:
            _add(run, f"changes how guards run ({name})")
        pattern = _SKIPPING.get(name)
        if pattern is not None and pattern.match(value) and (name != "SKIP" or run.name in _COMMITS):
            _add(run, f"skips hooks ({name}={value})")


def switches(run: CommandEffects) -> None:
    """Any command: options by which agents run without their guards."""
    if run.name in _PRINTERS:
        return
    arguments = run.arguments
    for number, option in enumerate(arguments):
        if option[:1] != "-":
            continue
        if (option[:2] == "--" and _AGENT_SWITCH.fullmatch(option)) or (
            option in _AGENT_OPTIONS and _AGENT_VALUE.match(" ".join(arguments[number : number + 2]))
        ):
            _add(run, "starts an agent without its guards")


_WITHOUT_HOOKS = LazyPattern(
    r"core\.(?:hookspath|fsmonitor|sshcommand)|include\.path|commit\.gpgsign=false|alias\.\w+=!", re.IGNORECASE
)


def git(run: CommandEffects) -> None:
    name, arguments = subcommand(run)
    for option, argument in zip(("", *run.arguments), run.arguments, strict=False):
        is_set = option in ("-c", "--config-env") and _WITHOUT_HOOKS.match(argument)
        if is_set or argument.lower().startswith(("-ccore.hookspath", "--config-env=core.hookspath")):
            _add(run, _WITHOUT)
    committing = ("commit", "push", "merge", "rebase", "am", "pull", "cherry-pick", "revert")
    if name in committing and any(re.match(r"--no-ver(?:i|if|ify)?$", argument) for argument in arguments):
        _add(run, _WITHOUT)
    if name == "commit" and _skips_commit_hooks(arguments):
        _add(run, _WITHOUT)
    if name in ("commit", "tag", "merge", "rebase") and "--no-gpg-sign" in arguments:
        _add(run, "leaves the signature out")
    if name == "config" and _changes_config(arguments):
        _add(run, "changes which hooks git runs")
    if name == "update-index" and has(arguments, "", "--assume-unchanged", "--skip-worktree", "--chmod"):
        hides = any("assume" in argument or "skip-worktree" in argument for argument in arguments)
        if hides or any(map(is_hook_file, arguments)):
            _add(run, "hides changes to a file")
    if name in ("rm", "mv", "checkout", "restore", "stash") and any(map(_decides, map(run.shown, arguments))):
        _add(run, _FILES)
    if name in ("init", "clone") and any(argument.startswith("--template") for argument in arguments):
        _add(run, "makes a repository without its hooks")
    if name == "commit-tree":
        _add(run, "writes a commit past the hooks")


def _decides(path: str) -> bool:
    return is_hook_file(path) or is_client_folder(path.rstrip("/"))


_LONG_VALUES = words("--message --file --author --date --template --reuse-message --fixup --squash")


def _skips_commit_hooks(arguments: Sequence[str]) -> bool:
    """``-n``, alone or in a group such as ``-anm``; a letter after one that takes a value belongs to the value."""
    skip = False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == "--":
            return False
        elif argument.startswith("--"):
            skip = argument in _LONG_VALUES
        elif (group := re.match(r"-([A-Za-z]*?)(?:n|([mFcCt])(.*)|S|$)", argument)) is not None and argument != "-":
            if group[0].endswith("n") and not group[2]:
                return True
            skip = bool(group[2]) and not group[3]
    return False


_HOOK_KEYS = LazyPattern(
    r"core\.hookspath|core\.fsmonitor|init\.templatedir|include\.path|includeif\.|core\.sshcommand|core$|hooks?(?:\.|$)",
    re.IGNORECASE,
)


def _changes_config(arguments: Sequence[str]) -> bool:
    names = [argument for argument in arguments if not argument.startswith("-") and argument not in ("set", "unset")]
    if "--edit" in arguments or "-e" in arguments:
        return True
    if has(arguments, "", "--get", "--get-all", "--list", "--get-regexp"):
        return False
    key, value = [*names, "", ""][:2]
    removes = has(arguments, "", "--unset", "--unset-all", "--remove-section", "--replace-all") or "unset" in arguments
    if _HOOK_KEYS.match(key):
        return removes or len(names) > 1
    if re.match(r"(?:commit|tag)\.gpgsign|commit\.verbose", key, re.IGNORECASE):
        return value.lower() in ("false", "no", "0", "off")
    return key.lower().startswith("alias.") and re.match(r"!|.*no-verify|.*--force", value) is not None


_CHANGES_FOUND = LazyPattern(
    r"-delete|(?:-exec\w*|-ok\w*|-[xX]|--exec\S*?)[ =](?:sudo )?(?:rm|chmod|mv|sed|truncate|shred|unlink|perl|sh|"
    r"bash)\b"
)


def find(run: CommandEffects) -> None:
    """``find .git/hooks -exec chmod -x {} +``."""
    starts = [run.shown(argument) for argument in run.arguments if not argument.startswith("-")][:3]
    if any(map(_decides, starts)) and _CHANGES_FOUND.search(run.text):
        _add(run, _FILES)


def manifest(run: CommandEffects) -> None:
    """``sed -i '/husky/d' package.json``."""
    if any(map(_DROPS_MANAGER.search, run.arguments)) and any(one.endswith("package.json") for one in run.arguments):
        _add(run, _REMOVES)


def killer(run: CommandEffects) -> None:
    """``pkill anyhook`` and ``kill $(pgrep -f anyhook)``."""
    targets = [*run.operands(("-s", "-n", "--signal")), *[source.text for source in run.sources]]
    guard = r"anyhook|pre-commit|hooks?[-_]?daemon|safety-net|\bhook-?server"
    if any(re.search(guard, target, re.IGNORECASE) for target in targets):
        _add(run, "ends the process that runs the hooks")


def chmod(run: CommandEffects) -> None:
    """A hook that may not be run or read any more."""
    paths = [run.shown(argument) for argument in run.operands()]
    scripts = [
        path for path in paths if is_hook_file(path) and not re.search(r"settings.*\.json$|hooks\.json$|\.toml$", path)
    ]
    others = [path for path in paths if is_client_folder(path) or is_own_program(path)]
    if (scripts or others) and any(map(_TAKES_MODE.fullmatch, run.arguments)):
        _add(run, "keeps hooks from running")
    is_hidden = any(re.fullmatch(r"a-r\S*|-r\S*|ugo-r\S*", argument) for argument in run.arguments)
    if is_hidden and any(map(is_hook_file, paths)):
        _add(run, "keeps hooks from being read")


PROGRAMS = merged(
    special("find gfind fd fdfind", find),
    special("git gt", git),
    special("jq sed gsed", manifest),
    special("kill pkill killall", killer),
    special("chmod", chmod),
    rows(
        Verb.GUARDS,
        "hooks",
        program("pre-commit husky lefthook overcommit simple-git-hooks prek captainhook githooks", _REMOVES,
                line=rf"^(?:{_MANAGERS.pattern})"),
        program("python python3", _REMOVES, line=r"\s-m\s+pre_commit\s+uninstall"),
        program("pip pip3 pipx uv poetry conda brew npm pnpm yarn bun apt apt-get python python3",
                "uninstalls the program that runs the hooks", line=rf"^(?:{_UNINSTALLS.pattern})"),
        program("alias", "puts another program in the place of anyhook", line=r"\sanyhook="),
    ),
)  # fmt: skip
