"""The files that command lines and shell scripts name, read from their text. Nothing is ever run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from anyhook.sources.scripts_of import is_interpreter, is_wrapper, script_of, without_wrappers
from anyhook.sources.shell_text import MAX_LENGTH, UNKNOWN, ShellCommand, is_assignment, scan
from anyhook.trust.code_references import of_node, of_other, of_python
from anyhook.trust.command_words import (
    ends_in_variable,
    git_options,
    has_option,
    installed_in_project,
    is_descriptor,
    is_plain_git,
    is_runnable,
    program_of,
    runs_project,
    shown_line,
)
from anyhook.trust.path_references import any_word, of_path, of_word
from anyhook.trust.programs import (
    COPIERS,
    DATA_PROGRAMS,
    DECLARATIONS,
    DOWNLOADS,
    FILTERS,
    FOLDER_CHANGES,
    FOLDER_OPTIONS,
    LAUNCHERS,
    LOADERS,
    PROJECT_RUNNERS,
    PROJECT_RUNS,
    PROJECT_TOOLS,
    RUN_FILES,
    RUNNERS,
    TAKES_FOLDERS,
)
from anyhook.trust.used_files import Reference

_MAX_NESTING = 3
_MAX_STEPS = 20
"""For each command, on the way back to the starts of groups; beyond that every command counts as one of a group."""
_MAX_OPTIONS = 64
"""Arguments of an interpreter among which its script, module or code is searched for."""
_module_option = re.compile(r"-[A-Za-z]*?m(.*)", re.DOTALL).fullmatch
_code_option = re.compile(r"-[A-Za-z]*?[ce](.*)|-p|-pe|--eval|--print|--command", re.DOTALL).fullmatch
_preload_option = re.compile(r"-[rMm]-?(.+)").fullmatch
_TAKES_VALUE = frozenset({"-W", "-X", "-o", "-O", "-n", "-u", "--check-hash-based-pycs"})


def of_shell(text: str, *, is_hook: bool = False, depth: int = 0) -> Iterator[Reference]:
    for piece in _pieces(text):
        has_python, has_node = "python" in piece, "node" in piece
        for part in scan(piece).everything():
            evaluates = any(_evaluates(command) for command in part.commands)
            for command, following, is_run in _with_use(part.commands):
                counts = is_hook or (evaluates and command.depth > 0)
                yield from _of_command(command, following, counts, is_run, depth)
            yield from _of_input(part.commands)
            for body in part.heredocs if depth < _MAX_NESTING else ():
                yield from of_shell(body, depth=depth + 1)
                if has_python:
                    yield from of_python(body, of_started)
                if has_node:
                    yield from of_node(body)


def _with_use(commands: Sequence[ShellCommand]) -> Iterator[tuple[ShellCommand, ShellCommand | None, bool]]:
    """Each command, the one behind it, and whether what it prints or writes is run, however far behind."""
    given = [[word.text for word in command.argument_words()] for command in commands]
    started = {words[0] for words in given if words and "/" in words[0]}
    started |= {word for words in given if is_runnable(words) for word in words[1:]}
    started |= {folder for word in started if (folder := word.rpartition("/")[0])}  # cp f d; bash d/f
    runs = [False] * len(commands)
    reader: int | None = None
    for index, command in enumerate(commands):
        if reader is not None and command.depth > reader:  # source <(cat f)
            runs[index] = True
        else:
            reader = command.depth if _reads_code(given[index]) else None
        targets = [one.target for one in command.redirections if ">" in one.operator]
        if given[index] and given[index][0].rpartition("/")[2] in COPIERS:
            targets += given[index][-1:]
        runs[index] = runs[index] or any(target.rstrip("/") in started for target in targets if target)
    steps = _MAX_STEPS * len(commands)
    for index in range(len(commands) - 1, -1, -1):
        if commands[index].before in {"|", "|&"} and (runs[index] or _reads_code(given[index])):
            source = _source(commands, index) if steps > 0 else 0
            steps -= index - source
            runs[source:index] = [True] * (index - source)
        if steps <= 0:  # made to be hard
            runs[:index] = [True] * index
            break
    return zip_longest(commands, commands[1:], runs)


def _source(commands: Sequence[ShellCommand], index: int) -> int:
    """Where that starts which is piped into a command: with the one before it, or with its group or subshell."""
    open_groups = 0
    for before in range(index - 1, -1, -1):
        words = [word.text for word in commands[before].words[:2]]
        open_groups += sum(word in {"}", "done", "fi", "esac"} for word in words[:1])
        open_groups -= sum(word in {"{", "for", "while", "until", "if", "case"} for word in words)
        if open_groups <= 0 and commands[before].depth <= commands[index].depth:
            return before
    return 0


def _reads_code(words: Sequence[str]) -> bool:
    """Whether a program runs what it reads: a shell without a script, ``python3 -``, ``xargs sh``, ``. /dev/stdin``."""
    words, _ = without_wrappers(words)
    names = [word.rpartition("/")[2] for word in words]
    if names and names[0] in {"xargs", "parallel"}:
        return is_runnable(words[1:])
    if not names or not is_interpreter(names[0]):
        return False
    for word in words[1:]:
        if word == "-" or re.fullmatch(r"-[a-z]*s", word) or is_descriptor(word):
            return True
        if not word.startswith(("-", "+")) or _code_option(word) or _module_option(word):
            return False
    return True


def _of_input(commands: Sequence[ShellCommand]) -> Iterator[Reference]:
    """Files that a program which runs what it reads may have as its input: ``exec < f`` and then ``bash``."""
    if not any(_reads_code([word.text for word in command.argument_words()]) for command in commands):
        return
    for command in commands:
        for redirection in command.redirections:
            if redirection.operator in {"<", "<>"}:
                yield from of_path("path", redirection.target)


def _evaluates(command: ShellCommand) -> bool:
    """Whether the output of a command is run: ``eval "$(...)"``, ``bash -c "$(...)"``."""
    words = [word.text for word in command.argument_words()]
    is_code = bool(words) and (words[0] == "eval" or any(re.fullmatch(r"-[a-z]*c", word) for word in words))
    return is_code and any(UNKNOWN in word for word in words)


def _pieces(text: str) -> Iterator[str]:
    """The whole text in pieces as long as are scanned, divided at the ends of lines."""
    while len(text) > MAX_LENGTH:
        end = text.rfind("\n", 0, MAX_LENGTH) + 1 or MAX_LENGTH
        yield text[:end]
        text = text[end:]
    yield text


def _of_command(
    command: ShellCommand, following: ShellCommand | None, is_hook: bool, is_run: bool, depth: int
) -> Iterator[Reference]:
    """``is_run``: what it prints or writes is run further on."""
    words = [word.text for word in command.argument_words()]
    is_piped = following is not None and following.before in {"|", "|&"}
    if following is not None and is_piped:
        is_run = is_run or is_runnable([word.text for word in following.argument_words()])
    for word in command.words[: len(command.words) - len(words)]:
        if is_assignment(word.text):
            name, _, value = word.text.partition("=")
            yield from of_variable(name, value, is_hook=is_hook)
    for redirection in command.redirections:
        if redirection.operator.startswith("<") and redirection.operator != "<<" and redirection.operator != "<<-":
            yield from of_path("path" if is_hook or is_runnable(words) else "word", redirection.target)
    if is_run and words and words[0].rpartition("/")[2] in DOWNLOADS:
        yield Reference("doubt", f"{' '.join(words)[:120]}: what is downloaded is run")
    elif following is not None and is_piped and words and _is_unknown_source(words, following):
        yield Reference("doubt", f"{shown_line(words)}: what it prints is run")
    if words:
        is_shown = command.depth == 0 and not is_piped and not is_run
        yield from of_words(words, is_hook=is_hook or is_run, is_shown=is_shown, depth=depth)


def _is_unknown_source(words: Sequence[str], following: ShellCommand) -> bool:
    """Whether a program of which nothing is known, such as a function, prints code for the command behind it."""
    name = words[0].rpartition("/")[2]
    known = name in DATA_PROGRAMS | FILTERS | COPIERS or name in {"}", "done", "fi", "esac"}
    return not known and not is_runnable(words) and _reads_code([word.text for word in following.argument_words()])


def of_started(words: Sequence[str], line: str) -> Iterator[Reference]:
    """A command of a script in another language, if it may be one: its words, or the whole line."""
    if is_runnable(words[:1]):
        yield from of_shell(line) if line else of_words(words)


def of_words(
    words: Sequence[str], *, is_hook: bool = False, is_shown: bool = True, depth: int = 0
) -> Iterator[Reference]:
    """What a program is given to run: a script, a module, a piece of code, or a target of a file it looks for.

    ``is_hook``: the line is a hook's own or is run by another program, so everything that it names counts.
    ``is_shown``: what it prints is not run.
    """
    names = [word.rpartition("/")[2] for word in words]
    if not words:
        return
    if script := script_of(words):
        yield from of_path("script", script.path)
    if names[0] in FOLDER_CHANGES and len(words) > 1:
        yield from of_path("folder", words[-1])
    for name in names:
        for file in RUN_FILES.get(name, ()):
            yield Reference("path", file[:-1]) if file.endswith("/") else Reference("file", file)
    yield from _unknown(words, names)
    if names[0] in DECLARATIONS:
        yield from _of_declaration(words, is_hook=is_hook)
        return
    if is_shown and names[0] in DATA_PROGRAMS and not (names[0] == "jq" and has_option(words, "f")):
        yield from (found for word in words for found in of_word(word))
        return
    tool = next((name for name in names if name in PROJECT_TOOLS and name != "git"), "")
    if is_hook and tool:
        yield Reference("doubt", f"what {tool} reads in the project, its settings too")
    if not tool:
        yield from _of_project_runner(words)
    program = program_of(words)
    if "git" in names and not is_plain_git(words[names.index("git") :]):
        yield from _of_git(words[names.index("git") :])
        is_hook = True
    elif program in PROJECT_TOOLS:
        for index, name in enumerate(names):
            if is_interpreter(name):
                yield from _of_interpreter(name, words[index + 1 : index + 1 + _MAX_OPTIONS])
        yield from (found for word in words for found in of_word(word))
        return
    runs = takes_folders = False
    for index, word in enumerate(words):
        name = names[index]
        before = words[index - 1] if index else ""
        is_folder = "/" in word or takes_folders or {before, word.partition("=")[0]} & FOLDER_OPTIONS
        if is_hook or runs:
            yield from any_word(word, "path" if is_folder else "file")
        else:
            yield from of_word(word)
        if is_assignment(word) and LOADERS.fullmatch(word.partition("=")[0]):  # env PATH=d:$PATH x
            yield from of_variable(word.partition("=")[0], word.partition("=")[2], is_hook=is_hook)
        runs = runs or is_interpreter(name) or name in RUNNERS
        takes_folders = takes_folders or is_interpreter(name) or name in TAKES_FOLDERS
        if is_interpreter(name):
            yield from _of_interpreter(name, words[index + 1 : index + 1 + _MAX_OPTIONS])
        if depth < _MAX_NESTING and index and any(blank in word for blank in " \t\n"):
            yield from of_shell(word, is_hook=is_hook or runs, depth=depth + 1)
        elif word.startswith("-S") and len(word) > 2 and depth < _MAX_NESTING:
            yield from of_shell(word[2:], is_hook=True, depth=depth + 1)


def _of_declaration(words: Sequence[str], *, is_hook: bool) -> Iterator[Reference]:
    """``export PATH=d:$PATH``, ``declare -x BASH_ENV=f``; fish ``set -x PATH d $PATH``; csh ``setenv PATH d``."""
    for word in words[1:]:
        name, is_set, value = word.partition("=")
        if is_set:
            yield from of_variable(name.rstrip("+"), value, is_hook=is_hook)
    if words[0] in {"set", "setenv"}:
        name, *values = [word for word in words[1:] if not word.startswith("-")] or [""]
        for value in values if LOADERS.fullmatch(name) else ():
            yield from of_variable(name, value, is_hook=is_hook)


def _of_project_runner(words: Sequence[str]) -> Iterator[Reference]:
    """A doubt about programs that run what is built from the project or installed for it."""
    names = [word.rpartition("/")[2] for word in words]
    for index, name in enumerate(names):
        if name in PROJECT_RUNNERS or (name in PROJECT_RUNS and runs_project(name, words[index + 1 :])):
            yield Reference("doubt", f"{shown_line(words)}: what {name} runs of the project or installs")
            return
        if installed_in_project(words[index]) and (index == 0 or is_runnable(words[:index]) or is_interpreter(name)):
            yield Reference("doubt", f"{shown_line(words)}: what is installed in the project")
            return
        is_before = is_wrapper(name) or name in LAUNCHERS or is_interpreter(name) or is_assignment(words[index])
        if not (is_before or name.startswith("-") or name.rstrip("smhd").isdigit()):
            return  # the program itself: what follows are its arguments


def _of_git(words: Sequence[str]) -> Iterator[Reference]:
    """What git is told to run: ``-c alias.x=!./f``, ``-c core.hooksPath=d``, ``--exec-path=d``, ``hook run x``."""
    yield Reference("doubt", f"{shown_line(words)}: what git runs by its settings")
    for word in git_options(words):
        value = word.partition("=")[2]
        yield from any_word(value.lstrip("!"), "path")
        yield from of_shell(value.lstrip("!"), is_hook=True)


def _unknown(words: Sequence[str], names: Sequence[str]) -> Iterator[Reference]:
    """What is run cannot be found beforehand: a variable names it, or a command's output is it."""
    line = shown_line(words)
    if names[0] == "eval" and any(sign in word for word in words[1:] for sign in ("$", UNKNOWN)):
        yield Reference("doubt", f"{line}: what is evaluated is only known when it runs")
    elif ends_in_variable(words[0]):
        yield Reference("doubt", f"{line}: what is run is only known when it runs")
    elif is_interpreter(names[0]):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        if ends_in_variable(script) or script.startswith(("/tmp/", "/var/tmp/", "/dev/shm/")) or is_descriptor(script):
            yield Reference("doubt", f"{line}: what {names[0]} runs is only known when it runs")


def _of_interpreter(program: str, arguments: Sequence[str]) -> Iterator[Reference]:
    is_python = program.startswith(("python", "pypy"))
    skips = False
    for index, option in enumerate(arguments):
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        if skips:
            skips = False
        elif option in {"-r", "--require"}:
            skips = True
            yield from of_path("file", f"{following}.rb")
            yield Reference("node", following)
        elif option in _TAKES_VALUE:
            skips = is_python or option in {"-o", "-O"}
        elif is_python and not option.startswith("--") and (found := _module_option(option)):
            module = found[1] or following
            yield Reference("beside", ".")
            yield from (Reference("python", name) for name in (module, f"{module}.__main__"))
            return
        elif (not option.startswith("--") and (found := _code_option(option))) or option in {"--eval", "--print"}:
            code = (found[1] if found else "") or following
            if is_python:
                yield Reference("beside", ".")
                yield from of_python(code, of_started)
            else:
                yield from of_node(code)
                yield from of_other(code)
            return
        elif not option.startswith("-"):
            if is_python or program in {"node", "nodejs", "deno", "bun", "tsx", "ts-node"}:
                yield from of_path("path", option)
                if program != "node" and not is_python:
                    return
                yield from (Reference("node", option if option.startswith(".") else f"./{option}"),) * (not is_python)
            yield from of_path("file", option)  # whatever its name, the interpreter runs it
            return
    if len(arguments) == _MAX_OPTIONS:
        yield Reference("doubt", f"{program} with more than {_MAX_OPTIONS} options: what it runs is not searched for")


def of_variable(name: str, value: str, *, is_hook: bool) -> Iterator[Reference]:
    """What a variable names: all of it if programs load what is in it, or if it is a hook's."""
    loads = LOADERS.fullmatch(name) is not None
    if loads and any(installed_in_project(part) for part in value.split(":")):
        yield Reference("doubt", f"{name}={shown_line([value])}: what is installed in the project")
    if not loads and not is_hook:
        yield from of_word(value)
        return
    for word in re.split(r"[\s:;,]+", value):
        if (module := word.rpartition("=")[2]).startswith("."):
            yield Reference("node", module)
        yield from any_word(word, "path" if loads or "/" in word else "file")
        yield from _of_preload(name, word)
    if name.endswith("PATH"):
        for folder in value.split(":"):
            if not folder.startswith("/"):  # the system's folders are full of programs
                yield from of_path("folder", folder)
    yield from of_shell(value, is_hook=is_hook)


def _of_preload(name: str, word: str) -> Iterator[Reference]:
    """A module that an interpreter loads first: RUBYOPT=-rpre, PERL5OPT=-Mpre, PYTHONWARNINGS=error::pre.X."""
    if name.startswith("PYTHON") and re.fullmatch(r"[\w.]+", word):
        yield Reference("python", word)
    elif found := _preload_option(word):
        module = found[1].replace("::", "/").partition("=")[0]
        for suffix in (".rb", ".pm", ".pl", ".lua"):
            yield from of_path("file", f"{module}{suffix}")
