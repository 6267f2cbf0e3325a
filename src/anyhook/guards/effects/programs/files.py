"""Programs that write to files which they name: what a row says here, every other program may do by a redirection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from anyhook.guards.effects.command_effects import CommandEffects
from anyhook.guards.effects.model import Verb, words
from anyhook.guards.effects.names import TEMPLATE
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


def writes(run: CommandEffects) -> None:
    """The files that a command writes, as far as its line tells."""
    how = _how(run)
    text = _text(run)
    for redirect in run.command.redirects:
        if redirect.writes:
            place = run.place(redirect.target.text, follow=True)
            run.add(Verb.WRITES, place, how or (">>" if ">>" in redirect.operator else ">"), text)
    writer = WRITERS.get(run.name, _patched if run.arguments[:1] == ("apply",) else None)
    if writer is not None:
        how = how or ("copies" if run.name in _COPYING else "makes" if run.name in _MAKERS else "edits")
        for path in writer(run):
            run.add(Verb.WRITES, run.place(path, follow=True), how, text)
    if run.name in _PATCHERS or run.arguments[:1] == ("apply",):
        for path in _PATCH_DELETES.findall(_patch(run)):
            run.add(Verb.DELETES, run.place(path))


def _text(run: CommandEffects) -> str:
    """What is written, if the line tells it."""
    if not run.command.redirects and run.name != "tee":
        return ""
    return known_output(run.command, run.input_text or None) or run.input_text


def _how(run: CommandEffects) -> str:
    """``cp .env.example .env`` is how a project is set up; keys are written by their tools."""
    if run.name in ("cp", "install") and not run.has("f", "--force"):
        return "from a template" if any(map(TEMPLATE.search, run.operands()[:-1])) else ""
    if run.name == "cat" and any(map(TEMPLATE.search, run.operands())):
        return "from a template"
    return "makes a key" if run.name in _KEY_MAKERS else ""


def _copied(run: CommandEffects) -> list[str]:
    values = _COPY_VALUES.get(run.name, ())
    groups = [text for text in run.arguments if re.fullmatch(r"-[a-zA-Z]+t", text)] if "-t" in values else []
    paths = run.operands((*values, *groups))
    folders = run.values("-t", "--target-directory", *groups) if "-t" in values else []
    targets, sources = (folders, paths) if folders else (paths[-1:], paths[:-1])
    return [path for target in targets for path in (target, *_into(target, sources))]


def _into(folder: str, paths: Iterable[str]) -> list[str]:
    """The names that files get which are put into a folder."""
    return [f"{folder}/{path.rsplit('/', 1)[-1]}" for path in paths]


def _renamed(run: CommandEffects) -> list[str]:
    return [*run.operands(_INTO), *_copied(run)]


def _edited(run: CommandEffects) -> list[str]:
    return run.operands(("-e", "-f", "--expression"))[-8:] if _edits_in_place(run) else []


def _edits_in_place(run: CommandEffects) -> bool:
    if run.name in ("awk", "gawk"):
        return "inplace" in run.arguments
    return run.name == "sd" or any(re.match(r"-\w*i|--in-?place", argument) for argument in run.arguments)


def _patched(run: CommandEffects) -> list[str]:
    return [*run.operands(("-p", "-i", "-d")), *_DIFF_FILE.findall(run.input_text)]


def _patch(run: CommandEffects) -> str:
    return "\n".join([*run.arguments, run.input_text])


def _applied(run: CommandEffects) -> list[str]:
    """The files in the patch that a client's own ``apply_patch`` gets."""
    return [added or moved for added, moved in _PATCHED_FILE.findall(_patch(run))]


def _output(run: CommandEffects) -> list[str]:
    paths = run.values("-o", "--output", "-O", "--output-document")
    return [path for path in paths if not path.startswith("-")]


def _unpacked(run: CommandEffects) -> list[str]:
    if run.name == "tar" and not any(
        re.fullmatch(r"-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get", one) for one in run.arguments
    ):
        return []
    return [f"{path}/" for path in run.values("-d", "-C", "--directory")]


def _operands(*values: str) -> Callable[[CommandEffects], list[str]]:
    """All operands; ``values`` are options that take a value."""
    return lambda run: run.operands(values)


_PATCHERS = ("apply_patch", "applypatch")
WRITERS: Mapping[str, Callable[[CommandEffects], list[str]]] = {
    **dict.fromkeys(("tee", "sponge"), _operands()),
    **dict.fromkeys(("cp", "install", "ln", "rsync", "scp", "ditto", "gcp", "mv", "gmv"), _copied),
    "rename": _renamed,
    **dict.fromkeys(("sed", "gsed", "perl", "ruby", "yq", "sd", "awk", "gawk"), _edited),
    **dict.fromkeys(("ex", "ed", "vim", "vi", "nano", "emacs", "rpl", "crudini"), _operands("-c")),
    "truncate": _operands("-s", "-r", "--size", "--reference"),
    "patch": _patched,
    **dict.fromkeys(_PATCHERS, _applied),
    "ssh-keygen": lambda run: [] if "-Y" in run.arguments else run.values("-f"),
    **dict.fromkeys(("curl", "wget", "wget2", "pv", "sort", "gpg", "zstd", "aria2c", "pandoc"), _output),
    "openssl": lambda run: run.values("-out"),
    **dict.fromkeys(("qemu-img", "ddrescue"), lambda run: run.operands()[1:][-1:]),
    **dict.fromkeys(("dd", "dcfldd"), lambda run: [text[3:] for text in run.arguments if text.startswith("of=")]),
    **dict.fromkeys(("unzip", "tar"), _unpacked),
    **dict.fromkeys(("touch", "mkfifo", "mknod"), _operands("-d", "-t", "-r", "--date", "--reference", "-m")),
}
"""Programs that write to files which they name, and the files that they write."""
