"""Which files a command prints, or hands to another program: not those that it only asks about."""

from __future__ import annotations

import re

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Verb, words
from anyhook.lazy_pattern import LazyPattern

_SPEAKERS = words("echo printf true : # cd pushd export unset local declare typeset alias let read")
"""Programs for which a path is only text."""
_ASKERS = words(
    "ls ll exa eza tree stat file du test [ [[ find gfind fd fdfind realpath readlink basename dirname which whereis "
    "chmod chown chgrp touch mkdir rmdir rm unlink shred trash mv gmv ln wc md5sum sha1sum sha256sum shasum cksum cmp "
    "getfacl lsof fuser ssh-add ssh ssh-keygen ssh-copy-id sftp scp git-crypt sops ansible-vault mkcert "
    "certbot nginx apachectl tee install node npm npx pnpm yarn bun deno python python3 pytest ruby php go cargo make "
    "docker docker-compose podman podman-compose kubectl helm terraform source . dotenv dotenvx direnv git rsync "
    "openssl curl wget "
    "code vim vi nano emacs"
)
"""Programs that use a file or ask about it without printing it; what they send, :mod:`network` tells."""
_PATTERN_FIRST = words("grep egrep fgrep rg ag sed gsed awk gawk jq yq")
_GREPS = words("grep egrep fgrep rg ag")
_COPIERS = words("cp gcp ditto")
_USED = ("--env-file", "--envfile", "--dotenv", "--key", "--cert", "--cacert", "--key-file", "--kubeconfig", "--config")
"""Options for a file that a program uses and does not print."""
_QUIET = LazyPattern(r"-[a-zA-Z]*[qclL][a-zA-Z]*|--(?:quiet|silent|count|files-with-matches|files-without-match)")
_GIT_PRINTS = words("show diff cat-file blame grep log")


def reads(run: CommandEffects) -> None:
    command = run.command
    for redirect in command.redirects:
        if not redirect.writes and redirect.target.text[:2] != "<(":
            run.add(Verb.READS, run.place(redirect.target.text, follow=True))
    name = run.name
    if name in _SPEAKERS or not name:
        return
    if name in _ASKERS:
        for path in _printed(run):
            run.add(Verb.READS, run.place(path, follow=True))
        return
    how = "asks" if name in _GREPS and any(map(_QUIET.fullmatch, run.arguments)) else ""
    for path in _read(run):
        run.add(Verb.READS, run.place(path, follow=True), how)


def _read(run: CommandEffects) -> list[str]:
    paths = run.operands()
    if run.name in ("sed", "gsed") and any(re.match(r"-\w*i|--in-place", argument) for argument in run.arguments):
        return []
    if run.name in _PATTERN_FIRST and len(paths) > 1:
        return paths[1:]
    if run.name in _COPIERS:
        return paths if run.values("-t", "--target-directory") else paths[:-1]
    used = run.values(*_USED)
    return [argument for argument in run.arguments if argument not in used and argument.partition("=")[0] not in _USED]


def _printed(run: CommandEffects) -> list[str]:
    """What a program prints all the same that else only asks or uses."""
    name, arguments = run.name, run.arguments
    if name == "git":
        return _printed_by_git(arguments)
    if name == "openssl" and not re.search(r"-(?:pubout|noout|check|modulus|fingerprint)\b", run.text):
        return [*run.values("-in")] if arguments[:1] in (("rsa",), ("pkey",), ("ec",), ("base64",), ("enc",)) else []
    if name == "ssh-keygen" and "-e" in arguments:
        return []
    return []


def _printed_by_git(arguments: tuple[str, ...]) -> list[str]:
    verb = next((text for text in arguments if not text.startswith("-")), "")
    if verb not in _GIT_PRINTS or (verb == "log" and "-p" not in arguments):
        return []
    if {"--stat", "--name-only", "--name-status", "--numstat", "--quiet", "--shortstat"}.intersection(arguments):
        return []
    rest = [text for text in arguments[arguments.index(verb) + 1 :] if not text.startswith("-")]
    return [text.rpartition(":")[2] for text in rest]
