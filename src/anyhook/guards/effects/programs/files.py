"""Programs that write to files which they name: what a row says here, every other program may do by a redirection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from anyhook.guards.effects.model import Verb, words
from anyhook.guards.effects.names import TEMPLATE
from anyhook.guards.effects.told import Told
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.outputs import known_output

_INTO = ("-S", "-t", "--suffix", "--target-directory")
_COPY_VALUES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("cp", "gcp", "ln", "mv", "gmv"), _INTO),
    "install": ("-m", "-o", "-g", "--mode", "--owner", "--group", *_INTO),
    "rsync": ("-e", "--rsh", "--exclude", "--include", "--exclude-from"),
    "scp": ("-i", "-P", "-o", "-S", "-F", "-J"),
}
"""Options that take a value: ``-i`` names a key for ``scp``, but ``cp`` and ``mv`` only ask first."""
_DIFF_FILE = LazyPattern(r"(?m)^\+\+\+ (?:b/)?(\S+)")
_PATCHED_FILE = LazyPattern(r"(?m)^\s*\*\*\* (?:Add|Update) File: *(.*\S)|^\s*\*\*\* Move to: *(.*\S)")
_PATCH_DELETES = LazyPattern(r"(?m)^\s*\*\*\* Delete File: *(.*\S)")
_KEY_MAKERS = words("openssl ssh-keygen mkcert keytool certbot")
_COPYING = words("cp install gcp ditto")
_MAKERS = words("touch mkfifo mknod")


def writes(told: Told) -> None:
    """The files that a command writes, as far as its line tells."""
    how = _how(told)
    text = _text(told)
    for redirect in told.command.redirects:
        if redirect.writes:
            place = told.place(redirect.target.text, follow=True)
            told.add(Verb.WRITES, place, how or (">>" if ">>" in redirect.operator else ">"), text)
    writer = WRITERS.get(told.name, _patched if told.arguments[:1] == ("apply",) else None)
    if writer is not None:
        how = how or ("copies" if told.name in _COPYING else "makes" if told.name in _MAKERS else "edits")
        for path in writer(told):
            told.add(Verb.WRITES, told.place(path, follow=True), how, text)
    if told.name in _PATCHERS or told.arguments[:1] == ("apply",):
        for path in _PATCH_DELETES.findall(_patch(told)):
            told.add(Verb.DELETES, told.place(path))


def _text(told: Told) -> str:
    """What is written, if the line tells it."""
    if not told.command.redirects and told.name != "tee":
        return ""
    return known_output(told.command, told.input_text or None) or told.input_text


def _how(told: Told) -> str:
    """``cp .env.example .env`` is how a project is set up; keys are written by their tools."""
    if told.name in ("cp", "install") and not told.has("f", "--force"):
        return "from a template" if any(map(TEMPLATE.search, told.operands()[:-1])) else ""
    if told.name == "cat" and any(map(TEMPLATE.search, told.operands())):
        return "from a template"
    return "makes a key" if told.name in _KEY_MAKERS else ""


def _copied(told: Told) -> list[str]:
    values = _COPY_VALUES.get(told.name, ())
    groups = [text for text in told.arguments if re.fullmatch(r"-[a-zA-Z]+t", text)] if "-t" in values else []
    paths = told.operands((*values, *groups))
    folders = told.values("-t", "--target-directory", *groups) if "-t" in values else []
    targets, sources = (folders, paths) if folders else (paths[-1:], paths[:-1])
    return [path for target in targets for path in (target, *_into(target, sources))]


def _into(folder: str, paths: Iterable[str]) -> list[str]:
    """The names that files get which are put into a folder."""
    return [f"{folder}/{path.rsplit('/', 1)[-1]}" for path in paths]


def _renamed(told: Told) -> list[str]:
    return [*told.operands(_INTO), *_copied(told)]


def _edited(told: Told) -> list[str]:
    return told.operands(("-e", "-f", "--expression"))[-8:] if _edits_in_place(told) else []


def _edits_in_place(told: Told) -> bool:
    if told.name in ("awk", "gawk"):
        return "inplace" in told.arguments
    return told.name == "sd" or any(re.match(r"-\w*i|--in-?place", argument) for argument in told.arguments)


def _patched(told: Told) -> list[str]:
    return [*told.operands(("-p", "-i", "-d")), *_DIFF_FILE.findall(told.input_text)]


def _patch(told: Told) -> str:
    return "\n".join([*told.arguments, told.input_text])


def _applied(told: Told) -> list[str]:
    """The files in the patch that a client's own ``apply_patch`` gets."""
    return [added or moved for added, moved in _PATCHED_FILE.findall(_patch(told))]


def _output(told: Told) -> list[str]:
    paths = told.values("-o", "--output", "-O", "--output-document")
    return [path for path in paths if not path.startswith("-")]


def _unpacked(told: Told) -> list[str]:
    if told.name == "tar" and not any(
        re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get", one) for one in told.arguments
    ):
        return []
    return [f"{path}/" for path in told.values("-d", "-C", "--directory")]


def _operands(*values: str) -> Callable[[Told], list[str]]:
    """All operands; ``values`` are options that take a value."""
    return lambda told: told.operands(values)


_PATCHERS = ("apply_patch", "applypatch")
WRITERS: Mapping[str, Callable[[Told], list[str]]] = {
    **dict.fromkeys(("tee", "sponge"), _operands()),
    **dict.fromkeys(("cp", "install", "ln", "rsync", "scp", "ditto", "gcp", "mv", "gmv"), _copied),
    "rename": _renamed,
    **dict.fromkeys(("sed", "gsed", "perl", "ruby", "yq", "sd", "awk", "gawk"), _edited),
    **dict.fromkeys(("ex", "ed", "vim", "vi", "nano", "emacs", "rpl", "crudini"), _operands("-c")),
    "truncate": _operands("-s", "-r", "--size", "--reference"),
    "patch": _patched,
    **dict.fromkeys(_PATCHERS, _applied),
    "ssh-keygen": lambda told: [] if "-Y" in told.arguments else told.values("-f"),
    **dict.fromkeys(("curl", "wget", "wget2", "pv", "sort", "gpg", "zstd", "aria2c", "pandoc"), _output),
    "openssl": lambda told: told.values("-out"),
    **dict.fromkeys(("qemu-img", "ddrescue"), lambda told: told.operands()[1:][-1:]),
    **dict.fromkeys(("dd", "dcfldd"), lambda told: [text[3:] for text in told.arguments if text.startswith("of=")]),
    **dict.fromkeys(("unzip", "tar"), _unpacked),
    **dict.fromkeys(("touch", "mkfifo", "mknod"), _operands("-d", "-t", "-r", "--date", "--reference", "-m")),
}
"""Programs that write to files which they name, and the files that they write."""
