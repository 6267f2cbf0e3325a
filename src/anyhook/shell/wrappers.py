"""What programs that start other programs start: ``sudo``, ``env``, ``xargs``, ``bash -c`` and the like."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from anyhook.shell.command import ShellWord, program_name

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "mksh", "fish", "ash", "rbash", "csh", "tcsh"})
INTERPRETERS = frozenset(
    {
        "python",
        "python2",
        "python3",
        "pypy",
        "pypy3",
        "node",
        "nodejs",
        "deno",
        "bun",
        "perl",
        "ruby",
        "php",
        "lua",
        "osascript",
        "tclsh",
        "Rscript",
        "rscript",
        "groovy",
        "rails",
        "elixir",
        "jshell",
        "swift",
        "julia",
    }
)
_RUNS_CODE = frozenset({"source", ".", "eval", "iex", "invoke-expression", "at", "batch", "pwsh", "powershell", "cmd"})
_VERSIONED = re.compile(r"(python|ruby|perl|php|lua)[\d.]+")


class Started(Struct, frozen=True):
    """What a wrapper starts: words of its own line, or a text that is a command line itself."""

    words: tuple[ShellWord, ...] = ()
    line: str | None = None
    adds_arguments: bool = False
    assignments: tuple[tuple[str, str], ...] = ()
    folder: str | None = None
    """Where it runs, if the wrapper says so (``env -C``, ``git -C``)."""
    is_isolated: bool = False
    """It runs inside a container or on another machine."""


class _Wrapper(Struct, frozen=True):
    """A program that takes options, some with a value, then perhaps fixed operands, and then a command."""

    values: str = ""
    """Short options that take a value."""
    long_values: tuple[str, ...] = ()
    operands: int = 0
    """Arguments between options and command."""
    adds_arguments: bool = False


_WRAPPERS = {
    "sudo": _Wrapper(
        "ugpCcDhRrTtU",
        ("user", "group", "prompt", "chdir", "host", "role", "type", "chroot", "close-from", "other-user"),
    ),
    "doas": _Wrapper("uC"),
    "su-exec": _Wrapper(operands=1),
    "gosu": _Wrapper(operands=1),
    "pkexec": _Wrapper("", ("user",)),
    "runuser": _Wrapper("ugG", ("user", "group")),
    "nice": _Wrapper("n", ("adjustment",)),
    "ionice": _Wrapper("cnpPu", ("class", "classdata")),
    "chrt": _Wrapper("TPD", operands=1),
    "taskset": _Wrapper("", operands=1),
    "nohup": _Wrapper(),
    "setsid": _Wrapper(),
    "stdbuf": _Wrapper("ioe", ("input", "output", "error")),
    "unbuffer": _Wrapper(),
    "time": _Wrapper("fo", ("format", "output")),
    "timeout": _Wrapper("ks", ("kill-after", "signal"), operands=1),
    "gtimeout": _Wrapper("ks", ("kill-after", "signal"), operands=1),
    "command": _Wrapper(),
    "builtin": _Wrapper(),
    "exec": _Wrapper("a"),
    "coproc": _Wrapper(),
    "noglob": _Wrapper(),
    "nocorrect": _Wrapper(),
    "xargs": _Wrapper(
        "aEeIiLlnPsd",
        ("arg-file", "delimiter", "max-args", "max-procs", "max-lines", "max-chars", "replace", "process-slot-var"),
        adds_arguments=True,
    ),
    "gxargs": _Wrapper(
        "aEeIiLlnPsd", ("arg-file", "delimiter", "max-args", "max-procs", "replace"), adds_arguments=True
    ),
    "parallel": _Wrapper(
        "jaISNLnPd", ("jobs", "arg-file", "colsep", "joblog", "results", "timeout", "delay"), adds_arguments=True
    ),
    "strace": _Wrapper("eoPpsuESabXO"),
    "ltrace": _Wrapper("eolpsuADF"),
    "catchsegv": _Wrapper(),
    "valgrind": _Wrapper(),
    "chroot": _Wrapper("", ("userspec", "groups"), operands=1),
    "fakeroot": _Wrapper("lsbuf"),
    "unshare": _Wrapper("SGRw", ("setuid", "setgid", "root", "wd", "map-user", "map-group")),
    "nsenter": _Wrapper("tSGrw", ("target", "setuid", "setgid", "root", "wd")),
    "systemd-run": _Wrapper(
        "pHMEtu",
        (
            "property",
            "unit",
            "uid",
            "gid",
            "setenv",
            "description",
            "slice",
            "on-calendar",
            "on-active",
            "working-directory",
        ),
    ),
    "systemd-inhibit": _Wrapper("", ("what", "who", "why", "mode")),
    "dbus-run-session": _Wrapper(),
    "firejail": _Wrapper(),
    "caffeinate": _Wrapper("tw"),
    "arch": _Wrapper(),
    "busybox": _Wrapper(),
    "toybox": _Wrapper(),
    "proot": _Wrapper("rbwq"),
    "faketime": _Wrapper("f", operands=1),
    "torsocks": _Wrapper(),
    "proxychains": _Wrapper("f"),
    "proxychains4": _Wrapper("f"),
    "dotenv": _Wrapper("fe"),
    "dotenvx": _Wrapper("f"),
    "aws-vault": _Wrapper(operands=2),
    "op": _Wrapper("", ("env-file",)),
    "rlwrap": _Wrapper("aC"),
    "winpty": _Wrapper(),
    "hyperfine": _Wrapper(
        "wmMrspn", ("warmup", "runs", "export-json", "export-markdown", "prepare", "setup", "cleanup")
    ),
    "entr": _Wrapper(adds_arguments=True),
    "cross-env": _Wrapper(),
    "npx": _Wrapper("pc", ("package", "call")),
    "bunx": _Wrapper(),
    "pnpx": _Wrapper(),
    "uvx": _Wrapper("p", ("from", "with", "python")),
}
_SUBCOMMAND_WRAPPERS = {
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("conda", "run"),
    ("pixi", "run"),
    ("pnpm", "exec"),
    ("yarn", "exec"),
    ("npm", "exec"),
    ("bundle", "exec"),
    ("rbenv", "exec"),
    ("pyenv", "exec"),
    ("mise", "exec"),
    ("mise", "x"),
    ("asdf", "exec"),
    ("nvm", "exec"),
    ("direnv", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "dlx"),
    ("doppler", "run"),
    ("op", "run"),
    ("infisical", "run"),
    ("chamber", "exec"),
    ("dotenvx", "run"),
    ("devbox", "run"),
    ("cargo", "watch"),
    ("lerna", "exec"),
    ("turbo", "exec"),
    ("bazel", "run"),
}
_LINE_OPTIONS = {
    "su": ("-c", "--command"),
    "script": ("-c", "--command"),
    "watch": (),
    "flock": ("-c", "--command"),
    "nix-shell": ("--run", "--command"),
    "nix": ("-c", "--command"),
    "wsl": ("-e", "--exec", "--"),
    "sg": ("-c",),
    "runuser": ("-c", "--command"),
    "npx": ("-c", "--call"),
    "screen": (),
    "ssh-agent": (),
    "vim": (),
    "expect": ("-c",),
}
_CONTAINERS = frozenset(
    {
        "docker",
        "podman",
        "nerdctl",
        "docker-compose",
        "kubectl",
        "oc",
        "lxc",
        "incus",
        "multipass",
        "vagrant",
        "ssh",
        "mosh",
        "limactl",
        "toolbox",
        "distrobox",
    }
)


def is_shell(name: str) -> bool:
    return name in SHELLS


def is_interpreter(name: str) -> bool:
    return name in INTERPRETERS or _VERSIONED.fullmatch(name) is not None


def is_code_runner(name: str) -> bool:
    """A program that runs a text as code: a shell, an interpreter, ``eval``, ``source``."""
    return is_shell(name) or is_interpreter(name) or name in _RUNS_CODE


def started_by(words: tuple[ShellWord, ...]) -> list[Started]:
    """What a command starts itself; several for ``find`` with two ``-exec``."""
    if len(words) < 2:
        return []
    name = program_name(words[0].text)
    rest = words[1:]
    if is_shell(name):
        return _shell_line(rest)
    if name == "env":
        return _env(rest)
    if name in ("eval", "trap"):
        return _joined(name, rest)
    if name in ("find", "gfind", "fd", "fdfind"):
        return _find(name, rest)
    if name == "git":
        return _git(rest)
    if name in _CONTAINERS:
        return _inside(name, rest)
    if (name, rest[0].text) in _SUBCOMMAND_WRAPPERS:
        return _after_options(_Wrapper(), rest[1:], skip_assignments=True)
    if name in _LINE_OPTIONS and (found := _line_option(name, rest)):
        return found
    if name in ("tmux", "screen"):
        return [Started(line=word.text) for word in rest if " " in word.text]
    if name == "watch":
        return [Started(line=" ".join([word.text for word in rest if not word.text.startswith("-")]))]
    if name in ("hyperfine", "concurrently", "npm-run-all", "run-p", "run-s", "chronic", "nodemon"):
        return [Started(line=word.text) for word in rest if " " in word.text]
    if name == "command" and rest[0].text in ("-v", "-V"):
        return []
    if (wrapper := _WRAPPERS.get(name)) is not None:
        return _after_options(wrapper, rest, skip_assignments=name in ("sudo", "doas", "cross-env", "systemd-run"))
    return []


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
            return [Started(line=text)] if takes_line else []
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


def _joined(name: str, rest: Sequence[ShellWord]) -> list[Started]:
    words = [word.text for word in rest if word.text != "--"]
    if name == "trap":
        return [Started(line=words[0])] if len(words) > 1 and words[0] not in ("-", "") else []
    return [Started(line=" ".join(words))]


def _find(name: str, rest: Sequence[ShellWord]) -> list[Started]:
    started = []
    flags = (
        ("-exec", "-execdir", "-ok", "-okdir")
        if name.endswith("find") and name != "fdfind"
        else ("-x", "-X", "--exec", "--exec-batch")
    )
    for number, word in enumerate(rest):
        if word.text not in flags:
            continue
        end = next(
            (place for place in range(number + 1, len(rest)) if rest[place].text in (";", "+", "\\;")), len(rest)
        )
        started.append(Started(words=tuple(rest[number + 1 : end]), adds_arguments=True))
    return [one for one in started if one.words]


def _git(rest: Sequence[ShellWord]) -> list[Started]:
    """Aliases that start a shell, and the subcommands that run a command line."""
    texts = [word.text for word in rest]
    started = []
    for number, text in enumerate(texts):
        value = text.partition("=")[2]
        if number and texts[number - 1] == "-c" and text.lower().startswith("alias.") and value.startswith("!"):
            started.append(Started(line=value[1:]))
        if text in (
            "--exec",
            "-x",
            "--tree-filter",
            "--index-filter",
            "--msg-filter",
            "--env-filter",
            "--commit-filter",
        ) and number + 1 < len(texts):
            started.append(Started(line=texts[number + 1]))
        elif text.startswith("--exec="):
            started.append(Started(line=value))
    if texts[:2] == ["bisect", "run"]:
        started.append(Started(words=tuple(rest[2:])))
    if texts[:2] == ["submodule", "foreach"]:
        started.append(Started(line=" ".join([text for text in texts[2:] if text != "--recursive"])))
    return started


def _inside(name: str, rest: Sequence[ShellWord]) -> list[Started]:
    """The command that runs in a container or on another machine, if the line says which."""
    texts = [word.text for word in rest]
    if name in ("ssh", "mosh"):
        place = _first_operand(texts, "bcDEeFIiJLlmOopQRSWw")
        return [Started(line=" ".join(texts[place + 1 :]), is_isolated=True)] if place + 1 < len(texts) else []
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
    if "exec" in texts[:3]:
        start = texts.index("exec") + 1
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


def _line_option(name: str, rest: Sequence[ShellWord]) -> list[Started]:
    texts = [word.text for word in rest]
    for number, text in enumerate(texts[:-1]):
        if text in _LINE_OPTIONS[name]:
            return [Started(line=" ".join(texts[number + 1 :]) if name in ("wsl", "nix") else texts[number + 1])]
    if name == "flock" and len(texts) > 1:
        place = _first_operand(texts, "wE")
        return [Started(words=tuple(rest[place + 1 :]))] if place + 1 < len(texts) else []
    return []


def _after_options(wrapper: _Wrapper, rest: Sequence[ShellWord], *, skip_assignments: bool = False) -> list[Started]:
    assignments: list[tuple[str, str]] = []
    number, operands = 0, wrapper.operands
    while number < len(rest):
        text = rest[number].text
        if text == "--":
            number += 1
            break
        if text.startswith("-") and len(text) > 1:
            number += 2 if _takes_next(wrapper, text) else 1
        elif skip_assignments and (match := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", text, re.DOTALL)) is not None:
            assignments.append((match[1], match[2]))
            number += 1
        elif operands:
            operands -= 1
            number += 1
        else:
            break
    words = tuple(rest[number:])
    return (
        [Started(words=words, adds_arguments=wrapper.adds_arguments, assignments=tuple(assignments))] if words else []
    )


def _takes_next(wrapper: _Wrapper, option: str) -> bool:
    if option.startswith("--"):
        return "=" not in option and option[2:] in wrapper.long_values
    return option[-1] in wrapper.values and option[1:].isalpha()
