"""Writes to protected files: secrets, git's own files, the system and the user's settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.guards.shell.finding import Family, Finding
from anyhook.guards.shell.options import has_option, operands, option_values
from anyhook.guards.shell.places import START_UP_FILE, is_system, is_temporary, place
from anyhook.shell.command import Invocation

_PROTECTED = re.compile(
    r"""(?:^|/)(?:\.env(?!\.(?:example|sample|template|dist|test|ci)\b)(?:\.[\w-]+)*|id_(?:rsa|dsa|ecdsa|
ed25519)(?:\.pub)?|[\w.-]+\.(?:pem|p12|pfx|keystore|jks)|\.git/(?!hooks)[\w./-]+|\.git-credentials|\.netrc|
\.pgpass|authorized_keys|[\w.-]+\.key|credentials(?:\.json)?|secrets?\.(?:ya?ml|json|toml)|
    (?:package-lock|npm-shrinkwrap)\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|Cargo\.lock|uv\.lock|
    Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|bun\.lockb?|flake\.lock|CODEOWNERS|
    terraform\.tfstate)$""",
    re.VERBOSE,
)
_USER_SETTINGS = re.compile(
    r"~/\.(?:ssh|aws|gnupg|kube|docker|npmrc|pypirc|gitconfig|config/git|my\.cnf|"
    r"bash_history|zsh_history|config/gh|config/gcloud|config/autostart|config/systemd|"
    r"local/share/keyrings|pip|cargo/config|m2/settings)|~/Library/(?:Keychains|LaunchAgents|Preferences)"
)
_COPY_VALUES = (
    "-m",
    "-o",
    "-g",
    "-S",
    "-t",
    "--mode",
    "--owner",
    "-i",
    "-P",
    "-e",
    "--rsh",
    "--exclude",
    "--include",
    "--exclude-from",
)
"""Options of ``cp``, ``install``, ``rsync`` and ``scp`` that take a value."""
_TEMPLATE = re.compile(
    r"\.(?:example|sample|template|dist)$|^(?:example|sample|template)[./]|/(?:examples?|templates?)/"
)
_INSTEAD = "Leave this file as it is, or ask the user to change it."


def refuse(path: str, how: str = "changes") -> Finding:
    return Finding(Family.PROTECTED_FILES, f"{how} {path}", _INSTEAD)


def is_protected(path: str) -> bool:
    return _PROTECTED.search(path) is not None or _USER_SETTINGS.match(path) is not None


def is_template(path: str) -> bool:
    return _TEMPLATE.search(path) is not None


def written_paths(command: Invocation) -> Iterator[str]:
    """The files that a command writes, replaces, moves away or deletes, as far as its line tells."""
    for redirect in command.redirects:
        if redirect.writes:
            yield place(command, redirect.target.text)
    name = command.name
    if name in ("tee", "sponge"):
        yield from (place(command, path) for path in operands(command))
    elif name in ("cp", "install", "ln", "rsync", "scp", "ditto", "gcp"):
        paths = operands(command, _COPY_VALUES)
        targets = option_values(command, "-t", "--target-directory") or paths[-1:]
        for target in targets:
            yield place(command, target)
            if len(paths) > 1:
                yield from (place(command, f"{target}/{path.rsplit('/', 1)[-1]}") for path in paths[:-1])
    elif name in ("mv", "gmv", "rename"):
        paths = operands(command, ("-t", "--target-directory", "-S"))
        yield from (place(command, path) for path in paths)
        yield from (place(command, f"{paths[-1]}/{path.rsplit('/', 1)[-1]}") for path in paths[:-1])
    elif name in ("sed", "gsed", "perl", "ruby", "yq", "sd", "awk", "gawk") and _edits_in_place(command):
        yield from (place(command, path) for path in operands(command, ("-e", "-f", "--expression"))[-8:])
    elif name in ("ex", "ed", "vim", "vi", "nano", "emacs", "rpl", "crudini"):
        yield from (place(command, path) for path in operands(command, ("-c",)))
    elif name == "truncate":
        yield from (place(command, path) for path in operands(command, ("-s", "-r", "--size", "--reference")))
    elif name == "patch" or command.arguments[:1] == ("apply",):
        text = command.input.text if command.input is not None else None
        yield from (place(command, path) for path in operands(command, ("-p", "-i", "-d")))
        yield from (place(command, path) for path in re.findall(r"(?m)^\+\+\+ (?:b/)?(\S+)", text or ""))
    elif name == "ssh-keygen":
        yield from (place(command, path) for path in option_values(command, "-f"))
    elif name in ("curl", "wget", "wget2"):
        yield from (
            place(command, path)
            for path in option_values(command, "-o", "--output", "-O", "--output-document")
            if not path.startswith("-")
        )
    elif name == "dd":
        yield from (place(command, argument[3:]) for argument in command.arguments if argument.startswith("of="))
    elif name in ("unzip", "tar"):
        yield from (f"{place(command, folder)}/" for folder in option_values(command, "-d", "-C", "--directory"))


def _edits_in_place(command: Invocation) -> bool:
    if command.name in ("awk", "gawk"):
        return "inplace" in command.arguments
    if command.name == "sd":
        return True
    return any(re.match(r"-\w*i|--in-?place", argument) for argument in command.arguments)


def deleted_paths(command: Invocation) -> Iterator[str]:
    if command.name in ("rm", "grm", "unlink", "shred", "trash", "rmdir", "srm", "rimraf"):
        yield from (place(command, path) for path in operands(command, ("-n",)))
        if command.has_more_arguments and command.input is not None:
            listed = [path for one in command.input.sources if one.name == "ls" for path in operands(one)]
            yield from (place(command, path) for path in (*listed, *(command.input.text or "").split()))


def judge(command: Invocation) -> Finding | None:
    """Writes to a protected file, whatever program does it."""
    for path in written_paths(command):
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
    for path in deleted_paths(command):
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
