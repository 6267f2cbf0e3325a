"""Writes to protected files: secrets, git's own files, the system and the user's settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import START_UP_FILE, is_system, is_temporary, place
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.command import Invocation

_PROTECTED = LazyPattern(
    r"""(?:^|/)(?:\.env(?!\.(?:example|sample|template|dist|test|ci)\b)(?:\.[\w-]+)*|id_(?:rsa|dsa|ecdsa|
ed25519)(?:\.pub)?|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.git/(?!hooks)[\w./-]+|\.git-credentials|\.netrc|
\.pgpass|authorized_keys|[\w.-]+\.key|credentials(?:\.json)?|secrets?\.(?:ya?ml|json|toml)|
    (?:package-lock|npm-shrinkwrap)\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Cargo\.lock|uv\.lock|
    Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|bun\.lockb?|flake\.lock|CODEOWNERS|
    terraform\.tfstate)$""",
    re.VERBOSE,
)
_USER_SETTINGS = LazyPattern(
    r"~/\.(?:ssh|aws|gnupg|kube|docker|npmrc|pypirc|gitconfig|config/git|my\.cnf|"
    r"bash_history|zsh_history|config/gh|config/gcloud|config/autostart|config/systemd|"
    r"local/share/keyrings|pip|cargo/config|m2/settings)|~/Library/(?:Keychains|LaunchAgents|Preferences)"
)
_INTO_FOLDER = ("-S", "-t", "--suffix", "--target-directory")
_COPY_VALUES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("cp", "gcp", "ln", "mv", "gmv"), _INTO_FOLDER),
    "install": ("-m", "-o", "-g", "--mode", "--owner", "--group", *_INTO_FOLDER),
    "rsync": ("-e", "--rsh", "--exclude", "--include", "--exclude-from"),
    "scp": ("-i", "-P", "-o", "-S", "-F", "-J"),
}
"""Options that take a value: ``-i`` names a key for ``scp``, but ``cp`` and ``mv`` only ask first."""
_TEMPLATE = LazyPattern(
    r"\.(?:example|sample|template|dist)$|^(?:example|sample|template)[./]|/(?:examples?|templates?)/"
)
_INSTEAD = "Leave this file as it is, or ask the user to change it."


def refuse(path: str, how: str = "changes") -> Finding:
    return Finding(Family.PROTECTED_FILES, f"{how} {path}", _INSTEAD)


def is_protected(path: str) -> bool:
    return _PROTECTED.search(path) is not None or _USER_SETTINGS.match(path) is not None


def is_template(path: str) -> bool:
    return _TEMPLATE.search(path) is not None


def written_paths(command: Invocation) -> list[str]:
    """The files that a command writes, replaces, moves away or deletes, as far as its line tells."""
    paths = [place(command, redirect.target.text) for redirect in command.redirects if redirect.writes]
    writer = WRITERS.get(command.name, _patched if command.arguments[:1] == ("apply",) else None)
    return paths if writer is None else paths + writer(command)


def deleted_paths(command: Invocation) -> list[str]:
    if command.name not in DELETERS:
        return []
    listed: list[str] = []
    if command.has_more_arguments and command.input is not None:
        listed = [path for one in command.input.sources if one.name == "ls" for path in operands(one)]
        listed += (command.input.text or "").split()
    return _places(command, (*operands(command, ("-n",)), *listed))


def _places(command: Invocation, paths: Iterable[str]) -> list[str]:
    return [place(command, path) for path in paths]


def _copied(command: Invocation) -> list[str]:
    targets, sources = _targets(command)
    return _places(command, [path for target in targets for path in (target, *_into(target, sources))])


def _moved(command: Invocation) -> list[str]:
    return [*_places(command, _targets(command)[1]), *_copied(command)]


def _targets(command: Invocation) -> tuple[list[str], list[str]]:
    """What is written, and the files that are copied or moved there; ``-rt FOLDER`` names the folder, too."""
    values = _COPY_VALUES.get(command.name, ())
    groups = [text for text in command.arguments if re.fullmatch(r"-[a-zA-Z]+t", text)] if "-t" in values else []
    paths = operands(command, (*values, *groups))
    folders = option_values(command, "-t", "--target-directory", *groups) if "-t" in values else []
    return (folders, paths) if folders else (paths[-1:], paths[:-1])


def _into(folder: str, paths: Iterable[str]) -> list[str]:
    """The names that files get which are put into a folder."""
    return [f"{folder}/{path.rsplit('/', 1)[-1]}" for path in paths]


def _edited(command: Invocation) -> list[str]:
    if not _edits_in_place(command):
        return []
    return _places(command, operands(command, ("-e", "-f", "--expression"))[-8:])


def _edits_in_place(command: Invocation) -> bool:
    if command.name in ("awk", "gawk"):
        return "inplace" in command.arguments
    if command.name == "sd":
        return True
    return any(re.match(r"-\w*i|--in-?place", argument) for argument in command.arguments)


def _patched(command: Invocation) -> list[str]:
    text = command.input.text if command.input is not None else None
    named = re.findall(r"(?m)^\+\+\+ (?:b/)?(\S+)", text or "")
    return _places(command, (*operands(command, ("-p", "-i", "-d")), *named))


def _applied(command: Invocation) -> list[str]:
    """The files in the patch that a client's own ``apply_patch`` gets."""
    text = "\n".join([*command.arguments, (command.input.text or "") if command.input is not None else ""])
    return _places(command, re.findall(r"(?m)^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(.*\S)", text))


def _output(command: Invocation) -> list[str]:
    paths = option_values(command, "-o", "--output", "-O", "--output-document")
    return _places(command, [path for path in paths if not path.startswith("-")])


def _unpacked(command: Invocation) -> list[str]:
    return [f"{path}/" for path in _places(command, option_values(command, "-d", "-C", "--directory"))]


def _operands(*values: str) -> Callable[[Invocation], list[str]]:
    """All operands; ``values`` are options that take a value."""
    return lambda command: _places(command, operands(command, values))


WRITERS: Mapping[str, Callable[[Invocation], list[str]]] = {
    **dict.fromkeys(("tee", "sponge"), _operands()),
    **dict.fromkeys(("cp", "install", "ln", "rsync", "scp", "ditto", "gcp"), _copied),
    **dict.fromkeys(("mv", "gmv", "rename"), _moved),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby", "yq", "sd", "awk", "gawk"), _edited),
    **dict.fromkeys(("ex", "ed", "vim", "vi", "nano", "emacs", "rpl", "crudini"), _operands("-c")),
    "truncate": _operands("-s", "-r", "--size", "--reference"),
    "patch": _patched,
    **dict.fromkeys(("apply_patch", "applypatch"), _applied),
    "ssh-keygen": lambda command: [] if "-Y" in command.arguments else _places(command, option_values(command, "-f")),
    **dict.fromkeys(("curl", "wget", "wget2", "pv", "sort", "gpg", "zstd", "aria2c", "pandoc"), _output),
    "openssl": lambda command: _places(command, option_values(command, "-out")),
    **dict.fromkeys(("qemu-img", "ddrescue"), lambda command: _places(command, operands(command)[1:][-1:])),
    "dd": lambda command: _places(command, [text[3:] for text in command.arguments if text.startswith("of=")]),
    **dict.fromkeys(("unzip", "tar"), _unpacked),
}
"""Programs that write to files which they name, and the files that they write."""
DELETERS = frozenset({"rm", "grm", "unlink", "shred", "trash", "rmdir", "srm", "rimraf"})


def judge(command: Invocation, written: Sequence[str], deleted: Sequence[str]) -> Finding | None:
    """Writes to a protected file, whatever program does it."""
    for path in written:
        if is_temporary(path):
            continue
        if is_protected(path) and not _is_from_template(command, path):
            return refuse(path)
        if START_UP_FILE.match(path) and not any(redirect.writes for redirect in command.redirects):
            return refuse(path)  # what is redirected there is judged with its text
        if (
            (is_system(path) or path in ("/", "~"))
            and not path.startswith("/dev/")
            and not re.match(r"/(?:opt|usr/local|var/(?:www|lib/\w+/data))(?:/|$)|/proc/self", path)
        ):
            return refuse(path, "changes the system at")
    for path in deleted:
        if re.search(
            r"(?:^|/)\.env(?:\.(?:local|production|staging))?$|id_(?:rsa|ed25519)$|"
            r"terraform\.tfstate(?:\.backup)?$|\.(?:pem|p12|keystore|jks|kdbx)$",
            path,
        ) and not is_temporary(path):
            return refuse(path, "deletes")
    return None


def _is_from_template(command: Invocation, path: str) -> bool:
    """``cp .env.example .env`` is how a project is set up; lock files are written by their tools."""
    if (
        command.name in ("cp", "install")
        and not has_option(command, "f", "--force")
        and any(map(is_template, operands(command)[:-1]))
    ):
        return True
    if command.name == "cat" and any(map(is_template, operands(command))):
        return True
    makes_keys = command.name in ("openssl", "ssh-keygen", "mkcert", "keytool", "certbot")
    return makes_keys and not path.startswith("~/.ssh")
