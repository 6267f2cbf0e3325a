"""What programs that start other programs start: ``sudo``, ``env``, ``xargs``, ``bash -c`` and the like."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from anyhook.shell.command import Invocation, ShellWord, Started, program_name
from anyhook.shell.git_aliases import setting_of, started_by_alias, verb_place
from anyhook.shell.holders import held_by_setting
from anyhook.shell.programs import SHELLS, is_shell
from anyhook.shell.wrapper_tables import CONTAINERS, SUBCOMMANDS, WITH_SUBCOMMAND, WRAPPERS, Wrapper

_Starter: TypeAlias = Callable[[Sequence[ShellWord]], list[Started]]
"""What a program starts, told from its arguments."""
_MAX_INPUTS = 16
"""Arguments of ``parallel :::`` that are tried one by one."""


def started_by(command: Invocation) -> list[Started]:
    """What a command starts itself; several for ``find`` with two ``-exec``."""
    starter = STARTERS.get(command.name)
    return starter(command.words[1:]) if starter is not None and command.arguments else []


def _shell_line(rest: Sequence[ShellWord]) -> list[Started]:
    """``bash -lc 'line' name arg``: the first argument after the options is the line."""
    takes_line = False
    for number, word in enumerate(rest):
        text = word.text
        if text in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"):
            continue
        if text == "--command" or (re.fullmatch(r"[-+][a-zA-Z]+", text) and "c" in text):
            takes_line = True
        elif (
            text == "--"
            or text.startswith(("-", "+"))
            or (number and rest[number - 1].text in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
        ):
            continue
        else:
            return [Started(line=text, parameters=tuple(rest[number + 1 :]))] if takes_line else []
    return []


def _env(rest: Sequence[ShellWord]) -> list[Started]:
    assignments: list[tuple[str, str]] = []
    folder = None
    number = 0
    while number < len(rest):
        text = rest[number].text
        if text in ("-S", "--split-string") and number + 1 < len(rest):
            return [Started(line=" ".join([word.text for word in rest[number + 1 :]]), assignments=tuple(assignments))]
        if text.startswith(("-S", "--split-string=")):
            line = " ".join(
                [text.removeprefix("--split-string=").removeprefix("-S"), *[word.text for word in rest[number + 1 :]]]
            )
            return [Started(line=line, assignments=tuple(assignments))]
        if text in ("-C", "--chdir") and number + 1 < len(rest):
            folder = rest[number + 1].text
            number += 1
        elif text in ("-u", "--unset"):
            number += 1
        elif (match := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", text, re.DOTALL)) is not None:
            assignments.append((match[1], match[2]))
        elif not text.startswith("-"):
            return [Started(words=tuple(rest[number:]), assignments=tuple(assignments), folder=folder)]
        number += 1
    return []


def _eval(rest: Sequence[ShellWord]) -> list[Started]:
    return [Started(line=" ".join([word.text for word in rest if word.text != "--"]))]


def _trap(rest: Sequence[ShellWord]) -> list[Started]:
    words = [word.text for word in rest if word.text != "--"]
    return [Started(line=words[0])] if len(words) > 1 and words[0] not in ("-", "") else []


def _find(flags: Sequence[str]) -> _Starter:
    def start(rest: Sequence[ShellWord]) -> list[Started]:
        started = []
        end = 0
        for number, word in enumerate(rest):
            flag, equals, program = word.text.partition("=")
            if flag not in flags or number < end:
                continue
            ends = (place for place in range(number + 1, len(rest)) if rest[place].text in (";", "+", "\\;"))
            end = next(ends, len(rest))
            words = (ShellWord(program), *rest[number + 1 : end]) if equals else tuple(rest[number + 1 : end])
            if words:
                started.append(Started(words=words, adds_arguments=True))
        return started

    return start


def _git(rest: Sequence[ShellWord]) -> list[Started]:
    """The subcommands that run a command line, settings that hold one, and remotes that are one."""
    texts = [word.text for word in rest]
    started = [Started(line=text[5:].replace("% ", "\\ ")) for text in texts if text.startswith("ext::")]
    verb = verb_place(texts)
    if "-c" in texts[:verb]:
        started += started_by_alias(texts, verb)
    name, following = texts[verb : verb + 1], texts[verb + 1 :]
    place = _first_operand(following, "")
    if name == ["bisect"] and following[:1] == ["run"]:
        started.append(Started(words=tuple(rest[verb + 2 :])))
    elif name == ["submodule"] and following[place : place + 1] == ["foreach"]:
        words = following[place + 1 :]
        started.append(Started(line=" ".join(words[_first_operand(words, "") :])))
    elif name == ["config"]:
        setting = setting_of(following)
        if setting is not None and (held := held_by_setting(*setting)) is not None:
            started.append(held)
    return started


def _remote(rest: Sequence[ShellWord]) -> list[Started]:
    """``ssh host words``: a shell on the other machine reads the words, joined."""
    texts = [word.text for word in rest]
    place = _first_operand(texts, "bcDEeFIiJLlMmOopQRSWw") + 1
    if texts[place : place + 1] == ["--"]:
        place += 1
    return [Started(line=" ".join(texts[place:]), is_isolated=True)] if place < len(texts) else []


def _inside(name: str, rest: Sequence[ShellWord]) -> list[Started]:
    """The command that runs in a container or a virtual machine, if the line says which."""
    texts = [word.text for word in rest]
    if "--" in texts and name in ("kubectl", "oc", "lxc", "incus", "multipass", "limactl", "toolbox", "distrobox"):
        return [Started(words=tuple(rest[texts.index("--") + 1 :]), is_isolated=True)]
    if name == "vagrant":
        return [
            Started(line=texts[number + 1], is_isolated=True)
            for number, text in enumerate(texts[:-1])
            if text in ("-c", "--command")
        ]
    for number, text in enumerate(texts):
        if is_shell(program_name(text)) and number:
            return [Started(words=tuple(rest[number:]), is_isolated=True)]
    runs = ("exec", "run") if "compose" in (*texts[:1], name.rpartition("-")[2]) else ("exec",)
    verb = next((text for text in texts[:10] if text in runs), None)
    if verb is not None:
        start = texts.index(verb) + 1
        place = start + _first_operand(texts[start:], "ewu") + 1
        return [Started(words=tuple(rest[place:]), is_isolated=True)] if place < len(texts) else []
    return []


def _first_operand(texts: Sequence[str], values: str) -> int:
    number = 0
    while number < len(texts):
        text = texts[number]
        if not text.startswith("-") or text == "-":
            return number
        takes_next = not text.startswith("--") and len(text) == 2 and text[1] in values
        number += 2 if takes_next else 1
    return len(texts)


def _parallel(rest: Sequence[ShellWord]) -> list[Started]:
    """``parallel command ::: arguments``; without a command, each argument is a line."""
    texts = [word.text for word in rest]
    end = next((place for place, text in enumerate(texts) if text.startswith(":::")), len(texts))
    inputs = [text for text in texts[end + 1 :] if not text.startswith(":::")][:_MAX_INPUTS]
    found = _after_options(_PARALLEL, rest[:end])
    if not found:
        return [Started(line=text) for text in inputs]
    line = found[0].line or " ".join([word.text for word in found[0].words])
    filled = [line.replace("{}", text) if "{}" in line else f"{line} {text}" for text in inputs]
    return [*found, *[Started(line=one) for one in filled]]


_PARALLEL = Wrapper(
    "jaISNLnPd", ("jobs", "arg-file", "colsep", "joblog", "results", "timeout", "delay"), adds_arguments=True
)


def _tmux(rest: Sequence[ShellWord]) -> list[Started]:
    """The command after a subcommand and its options; a word with a space may be a subcommand with a command itself."""
    lines = [Started(line=f"tmux {word.text}") for word in rest if " " in word.text]
    return [*_after_options(Wrapper("LSfceFnstxylhpbT", is_joined=True), rest[1:]), *lines]


def _service(rest: Sequence[ShellWord]) -> list[Started]:
    """``start-stop-daemon --exec program -- arguments``."""
    texts = [word.text for word in rest]
    program = next(
        (place for place, text in enumerate(texts) if text in ("-x", "--exec", "-a", "--startas")), len(texts)
    )
    end = texts.index("--") if "--" in texts else len(texts)
    return [Started(words=(*rest[program + 1 : program + 2], *rest[end + 1 :]))] if program + 1 < len(texts) else []


def _lookup(rest: Sequence[ShellWord]) -> list[Started]:
    """``command x`` starts x; ``command -v x`` looks for it."""
    return [] if rest[0].text in ("-v", "-V") else _after_options(Wrapper(), rest)


def _coprocess(rest: Sequence[ShellWord]) -> list[Started]:
    """``coproc rm x``, ``coproc { rm x; }`` and ``coproc NAME { rm x; }``, whose braces the grammar takes for words."""
    texts = [word.text for word in rest[:2]]
    if len(rest) == 1 and texts[0].startswith("("):
        return [Started(line=texts[0][1:].removesuffix(")"))]
    place = texts.index("{") + 1 if "{" in texts else 0
    return [Started(words=tuple(rest[place:]))] if place < len(rest) else []


def _after_options(wrapper: Wrapper, rest: Sequence[ShellWord]) -> list[Started]:
    assignments: list[tuple[str, str]] = []
    number, operands = 0, wrapper.operands
    while number < len(rest):
        text = rest[number].text
        if text == "--":
            number += 1
            break
        if text.startswith("-") and len(text) > 1:
            number += 2 if _takes_next(wrapper, text) else 1
        elif wrapper.skips_assignments and (match := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", text, re.DOTALL)) is not None:
            assignments.append((match[1], match[2]))
            number += 1
        elif operands:
            operands -= 1
            number += 1
        else:
            break
    words = tuple(rest[number:])
    if not words:
        return []
    if wrapper.names_package:
        words = (ShellWord(_program_of_package(words[0].text), words[0].is_known), *words[1:])
    is_line = wrapper.is_joined or (len(words) == 1 and " " in words[0].text)
    line = " ".join([word.text for word in words]) if is_line else None
    return [Started(() if is_line else words, line, wrapper.adds_arguments, tuple(assignments))]


def _program_of_package(package: str) -> str:
    """The program that a package is named after: ``npm@10``, ``twine==5.1``, ``@acme/deploy``, ``@changesets/cli``."""
    name = _VERSION.sub("", package)
    scoped = _SCOPED_TOOL.fullmatch(name)
    return scoped[1] if scoped is not None else name


_VERSION = re.compile(r"(?<=[\w\]])(?:/v\d+)?(?:\[[\w,-]*\])?(?:@[^@/\s]*|[=<>~!]=?[^/]*)$")
_SCOPED_TOOL = re.compile(r"@([\w.-]+)/cli")


def _takes_next(wrapper: Wrapper, option: str) -> bool:
    if option.startswith("--"):
        return "=" not in option and option[2:] in wrapper.long_values
    return option[-1] in wrapper.values and option[1:].isalpha()


def _after_subcommand(name: str, verbs: Collection[str]) -> _Starter:
    wrapper = WITH_SUBCOMMAND.get(name, Wrapper(skips_assignments=True))
    own = WRAPPERS.get(name)

    def start(rest: Sequence[ShellWord]) -> list[Started]:
        for length in (1, 2):
            if " ".join([word.text for word in rest[:length]]) in verbs:
                return _after_options(wrapper, rest[length:])
        return _after_options(own, rest) if own is not None else []

    return start


STARTERS: Mapping[str, _Starter] = {
    **{name: partial(_after_options, wrapper) for name, wrapper in WRAPPERS.items()},
    **{name: _after_subcommand(name, verbs) for name, verbs in SUBCOMMANDS.items()},
    **{name: partial(_inside, name) for name in CONTAINERS},
    **dict.fromkeys(SHELLS, _shell_line),
    **dict.fromkeys(("ssh", "mosh", "autossh"), _remote),
    **dict.fromkeys(("find", "gfind"), _find(("-exec", "-execdir", "-ok", "-okdir"))),
    **dict.fromkeys(("fd", "fdfind"), _find(("-x", "-X", "--exec", "--exec-batch"))),
    "env": _env,
    "eval": _eval,
    "trap": _trap,
    "git": _git,
    "command": _lookup,
    "coproc": _coprocess,
    "parallel": _parallel,
    "tmux": _tmux,
    "start-stop-daemon": _service,
}
