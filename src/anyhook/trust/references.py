"""The other files that a command or a script names, read from its text. Nothing is ever run or imported.

This sees more than will be used (a path in a string may be a message) and cannot see everything (a path that is put
together while the script runs). The caller checks which of the named files exist. docs/trust.md has the table of what
counts.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Literal

import msgspec
from msgspec import Struct

from anyhook.model.hooks import Action, Command
from anyhook.sources.scripts_of import is_interpreter, script_of
from anyhook.sources.shell_text import MAX_LENGTH, UNKNOWN, ShellCommand, is_assignment, scan
from anyhook.trust.seen_files import TooMuchError, storable
from anyhook.trust.used_files import MAX_LOOKUPS, Language, Reference

_MAX_PATH_LENGTH = 4096
"""No system opens a longer one."""
_MAX_NESTING = 3
_MAX_OPTIONS = 64
"""Arguments of an interpreter among which its script, module or code is searched for."""
_RUN_FILES: Mapping[str, tuple[str, ...]] = {
    # Programs that find what they run in a file of the folder that they are started in.
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json", ".npmrc", ".yarnrc.yml", "bunfig.toml")),
    "deno": ("deno.json", "deno.jsonc"),
    "rake": ("Rakefile", "rakefile", "Rakefile.rb"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    **dict.fromkeys(("invoke", "inv"), ("tasks.py",)),
    "nox": ("noxfile.py",),
    "tox": ("tox.ini",),
    "pre-commit": (".pre-commit-config.yaml",),
    "lefthook": ("lefthook.yml", "lefthook.yaml"),
    "direnv": (".envrc",),
    "mise": ("mise.toml", ".mise.toml"),
    "composer": ("composer.json",),
    **dict.fromkeys(("gradle", "gradlew"), ("build.gradle", "build.gradle.kts", "settings.gradle")),
    "ant": ("build.xml",),
}
_RUNNERS = frozenset(
    {
        # Besides interpreters: programs that run what their arguments name, whatever it is called.
        "fish", "awk", "gawk", "mawk", "nawk", "sed", "jq", "make", "gmake", "just", "npm", "pnpm", "yarn", "run-parts",
        "find", "xargs", "parallel", "for", "lua", "luajit", "Rscript", "julia", "tclsh", "expect", "osascript", "pwsh",
        "powershell", "csh", "tcsh", "busybox", "elvish", "nu", "eval", "trap", "gdb", "vim", "nvim", "emacs", "ed",
        "sqlite3", "psql", "php", "java", "groovy", "scala", "kotlin", "swift", "elixir", "erl", "guile", "racket",
        "clojure", "bb", "runghc", "ocaml", "dotnet", "cscript", "wscript", "script", "watch", "entr", "setpriv", "uv",
        "poetry", "pipenv", "env", "rake", "task", "invoke", "ld.so",
    }
)  # fmt: skip
_TAKES_FOLDERS = frozenset({"run-parts", "find", "for", "fish", "lua", "php", "java", "deno", "bun"})
"""A bare word after these may be a folder; after others (``npm test``) it is the name of something else."""
_FOLDER_OPTIONS = frozenset(
    {
        "-C",
        "--prefix",
        "--dir",
        "--directory",
        "--cwd",
        "--project",
        "-I",
        "-d",
        "--chdir",
        "--include-dir",
    }
)
_DATA_PROGRAMS = frozenset(
    {
        # Programs that run nothing of what they are given. What they print may be run: only then it counts.
        ":", "[", "[[", "basename", "cat", "date", "dirname", "echo", "exit", "export", "false", "grep", "head", "jq",
        "ls", "mkdir", "printf", "pwd", "read", "readlink", "realpath", "return", "rg", "rm", "stat", "tail", "tee",
        "test", "touch", "true", "tr", "unset", "wc",
    }
)  # fmt: skip
_PROJECT_TOOLS = frozenset(
    {
        # They check, build or test the project itself, which changes all the time. Their files cannot be trusted.
        "bandit", "biome", "black", "cargo", "clang-format", "dprint", "eslint", "flake8", "git", "go", "gofmt",
        "golangci-lint", "isort", "jest", "mypy", "oxlint", "prettier", "pylint", "pyright", "pytest", "rubocop",
        "ruff", "rustfmt", "shellcheck", "shfmt", "stylelint", "tsc", "ty", "unittest", "vitest",
    }
)  # fmt: skip
_FOLDER_CHANGES = frozenset({"cd", "pushd"})
_DOWNLOADS = frozenset({"curl", "wget", "fetch", "http", "xh"})
_LOADERS = re.compile(
    r"(?:BASH_)?ENV|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME|INSPECT|WARNINGS|BREAKPOINT|USERBASE|EXECUTABLE)"
    r"|PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|R_(?:PROFILE|ENVIRON|LIBS)\w*|JULIA_\w+|DOTNET_STARTUP_HOOKS"
    r"|ERL_\w*FLAGS|ELIXIR_ERL_OPTIONS|TCLLIBPATH|GUILE_LOAD_PATH|EMACSLOADPATH|VIMINIT|RUSTC_\w*WRAPPER"
    r"|LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|PATH|ZDOTDIR|FPATH|CDPATH|LUA_(?:PATH|CPATH|INIT)\w*|AWKPATH|PHPRC|PHP_INI_SCAN_DIR"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH|MAKEFILES|MAKEFLAGS|SHELL|EDITOR|PAGER|GIT_\w+|npm_config_\w+|PROMPT_COMMAND|HOME"
    r"|XDG_\w+|DENO_DIR|BUN_OPTIONS|PYTEST_\w+|GEM_\w+|BUNDLE_\w+"
)
"""Variables that make programs load files."""
_CODE_SUFFIX = re.compile(
    r".*\.(?:sh|bash|zsh|ksh|fish|py|pyw|js|mjs|cjs|jsx|ts|mts|cts|tsx|rb|pl|pm|php|lua|awk|jq|mk|ps1|psm1|bat|cmd|exe|so)",
    re.IGNORECASE,
)
_VARIABLE_SIGNS = ("$", "`", "{", "}", "%", UNKNOWN)
_quoted = re.compile(r"""["'`]([^"'`\\\n]{1,300})(?=["'`])""").finditer
_node_module = re.compile(
    r"""(?:\brequire(?:\.resolve)?|\bimport|\bfrom)\s*(?:\(\s*)?["'`](\.{1,2}(?:/[^"'`\n]{0,300})?)["'`]"""
).finditer
_import_line = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w.]+))", re.MULTILINE).finditer
_loaded = re.compile(
    r"""(?:\brequire_relative|\brequire(?:_once)?|\binclude(?:_once)?|\bload(?:file|script)?|\bdofile|\bdo|\buse\s+lib"""
    r"""|\bimport|\bautoload|@include|\bsource|(?<!\w)\.)[\s(]*(?:__DIR__\s*\.\s*)?["']([^"'\n]{1,300})["']"""
).finditer
_include_line = re.compile(r"^[ \t]*-?(?:s?include|import\??|mod\??)[ \t]+(.+)$", re.MULTILINE).finditer
_long_name = re.compile(r"(?:\.[\s\\]*+\w++[\s\\]*+){200}").search
"""A dotted name of which Python's parser would copy every beginning."""
_windows_word = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'|([^\s\"';|&(),]+)").finditer
_windows_text = re.compile(r"\\|\$env:|%\w+%|\b(?:powershell|pwsh|cmd)\b", re.IGNORECASE).search
_module_option = re.compile(r"-[A-Za-z]*?m(.*)", re.DOTALL).fullmatch
_code_option = re.compile(r"-[A-Za-z]*?[ce](.*)|-p|-pe|--eval|--print|--command", re.DOTALL).fullmatch
_preload_option = re.compile(r"-[rMm]-?(.+)").fullmatch
_LOADING_FUNCTIONS = frozenset(
    {
        "run_path", "exec", "eval", "compile", "spec_from_file_location", "SourceFileLoader", "addsitedir", "CDLL",
        "LoadLibrary", "execfile",
    }
)  # fmt: skip
_TAKES_VALUE = frozenset({"-W", "-X", "-o", "-O", "-n", "-u", "--check-hash-based-pycs"})


def references_of_action(action: Action) -> tuple[Reference, ...]:
    """What a hook's command lines, arguments and variables name, for every operating system."""
    if not isinstance(action, Command):
        return ()
    return _bounded(_of_action(action))


def _of_action(action: Command) -> Iterator[Reference]:
    if action.args is None:
        for text in action.commands():
            yield from _of_shell(text, is_hook=True)
            yield from _of_windows(text)
    else:
        for program in action.commands():
            yield from _of_words([program, *action.args], is_hook=True)
    for name, value in action.env.items():  # BASH_ENV=./x.sh, NODE_OPTIONS="--require ./x.js"
        yield from _of_variable(name, value, is_hook=True)


def references_of_code(language: Language, text: str) -> tuple[Reference, ...]:
    """What a script names, by the language it is written in."""
    readers = {
        "python": _of_python,
        "node": _of_node,
        "package": _of_package,
        "shell": _of_shell,
        "make": _of_makefile,
        "data": _of_nothing,
    }
    return _bounded(chain(_of_first_line(text), readers.get(language, _of_other)(text)))


def _bounded(found: Iterable[Reference]) -> tuple[Reference, ...]:
    """Each reference once; in place of one with half a character, which no record can hold, a doubt.

    Raises TooMuchError for a text that was made to be hard to read.
    """
    doubt = Reference("doubt", "a file whose name is not UTF-8")
    references: dict[Reference, None] = {}
    try:
        for one in found:
            references[one if storable(one.text) == one.text else doubt] = None
            if len(references) > MAX_LOOKUPS:
                raise TooMuchError(f"a script of the hooks names more than {MAX_LOOKUPS:,} files")
    except (RecursionError, MemoryError):
        raise TooMuchError("a script of the hooks is nested too deeply") from None
    return tuple(references)


def _of_nothing(_text: str) -> Iterator[Reference]:
    return iter(())


def _of_first_line(text: str) -> Iterator[Reference]:
    """The interpreter of a script: ``#!tools/interp``, ``#!/usr/bin/env -S bash impl``."""
    if text.startswith("#!"):
        words = text[2:].partition("\n")[0].split()
        yield from _of_words(words[words[0].startswith("/") :] if words else [], is_hook=True)


# ---------------------------------------------------------------------------------------------------------------- shell


def _of_shell(text: str, *, is_hook: bool = False, depth: int = 0) -> Iterator[Reference]:
    for piece in _pieces(text):
        has_python, has_node = "python" in piece, "node" in piece
        for part in scan(piece).everything():
            evaluates = any(_evaluates(command) for command in part.commands)
            for command, following in zip_longest(part.commands, part.commands[1:]):
                yield from _of_command(command, following, is_hook or (evaluates and command.depth > 0), depth)
            for body in part.heredocs if depth < _MAX_NESTING else ():
                yield from _of_shell(body, depth=depth + 1)
                if has_python:
                    yield from _of_python(body)
                if has_node:
                    yield from _of_node(body)


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
    command: ShellCommand, following: ShellCommand | None, is_hook: bool, depth: int
) -> Iterator[Reference]:
    words = [word.text for word in command.argument_words()]
    is_piped = following is not None and following.before in {"|", "|&"}
    is_run = following is not None and is_piped and _runs([word.text for word in following.argument_words()])
    for word in command.words[: len(command.words) - len(words)]:
        if is_assignment(word.text):
            name, _, value = word.text.partition("=")
            yield from _of_variable(name, value, is_hook=is_hook)
    for redirection in command.redirections:
        if redirection.operator.startswith("<") and redirection.operator != "<<" and redirection.operator != "<<-":
            yield from _path("path" if is_hook or _runs(words) else "word", redirection.target)
    if is_run and words and words[0].rpartition("/")[2] in _DOWNLOADS:
        yield Reference("doubt", f"{' '.join(words)[:120]}: what is downloaded is run")
    if words:
        is_shown = command.depth == 0 and not is_piped
        yield from _of_words(words, is_hook=is_hook or is_run, is_shown=is_shown, depth=depth)


def _runs(words: Sequence[str]) -> bool:
    names = [word.rpartition("/")[2] for word in words]
    return any(is_interpreter(name) or name in _RUNNERS for name in names)


def _of_words(
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
        yield from _path("script", script.path)
    if names[0] in _FOLDER_CHANGES and len(words) > 1:
        yield from _path("folder", words[-1])
    for name in names:
        for file in _RUN_FILES.get(name, ()):
            yield Reference("file", file)
    yield from _unknown(words, names)
    if is_shown and names[0] in _DATA_PROGRAMS and not (names[0] == "jq" and _has_option(words, "f")):
        yield from (found for word in words for found in _of_word(word))
        return
    if tool := next((name for name in names if name in _PROJECT_TOOLS), ""):
        if is_hook and tool != "git":
            yield Reference("doubt", f"what {tool} reads in the project, its settings too")
        for index, name in enumerate(names):
            if is_interpreter(name):
                yield from _of_interpreter(name, words[index + 1 : index + 1 + _MAX_OPTIONS])
        yield from (found for word in words for found in _of_word(word))
        return
    runs = takes_folders = False
    for index, word in enumerate(words):
        name = names[index]
        before = words[index - 1] if index else ""
        is_folder = "/" in word or takes_folders or {before, word.partition("=")[0]} & _FOLDER_OPTIONS
        if is_hook or runs:
            yield from _any_word(word, "path" if is_folder else "file")
        else:
            yield from _of_word(word)
        runs = runs or is_interpreter(name) or name in _RUNNERS
        takes_folders = takes_folders or is_interpreter(name) or name in _TAKES_FOLDERS
        if is_interpreter(name):
            yield from _of_interpreter(name, words[index + 1 : index + 1 + _MAX_OPTIONS])
        if depth < _MAX_NESTING and index and any(blank in word for blank in " \t\n"):
            yield from _of_shell(word, is_hook=is_hook or runs, depth=depth + 1)
        elif word.startswith("-S") and len(word) > 2 and depth < _MAX_NESTING:
            yield from _of_shell(word[2:], is_hook=True, depth=depth + 1)


def _has_option(words: Sequence[str], letter: str) -> bool:
    return any(re.match(rf"-[a-zA-Z]*{letter}|--from-file", word) for word in words[1:])


def _unknown(words: Sequence[str], names: Sequence[str]) -> Iterator[Reference]:
    """What is run cannot be found beforehand: a variable names it, or a command's output is it."""
    line = " ".join(words)[:120].replace(UNKNOWN, "$(...)").replace("\n", " ")
    if names[0] == "eval" and any(sign in word for word in words[1:] for sign in ("$", UNKNOWN)):
        yield Reference("doubt", f"{line}: what is evaluated is only known when it runs")
    elif _is_variable(words[0]):
        yield Reference("doubt", f"{line}: what is run is only known when it runs")
    elif is_interpreter(names[0]):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        if _is_variable(script):
            yield Reference("doubt", f"{line}: what {names[0]} runs is only known when it runs")


def _is_variable(word: str) -> bool:
    """Whether the end of a path, which tells one file from another, is a variable."""
    last = word.rpartition("/")[2]
    return ("$" in last or UNKNOWN in last or "`" in last) and last not in {"$@", "$*"}


def _of_interpreter(program: str, arguments: Sequence[str]) -> Iterator[Reference]:
    is_python = program.startswith(("python", "pypy"))
    skips = False
    for index, option in enumerate(arguments):
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        if skips:
            skips = False
        elif option in {"-r", "--require"}:
            skips = True
            yield from _path("file", f"{following}.rb")
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
                yield from _of_python(code)
            else:
                yield from _of_node(code)
                yield from _of_other(code)
            return
        elif not option.startswith("-"):
            if is_python or program in {"node", "nodejs", "deno", "bun", "tsx", "ts-node"}:
                yield from _path("path", option)
                if program != "node" and not is_python:
                    return
                yield from (Reference("node", option if option.startswith(".") else f"./{option}"),) * (not is_python)
            yield from _path("file", option)  # whatever its name, the interpreter runs it
            return
    if len(arguments) == _MAX_OPTIONS:
        yield Reference("doubt", f"{program} with more than {_MAX_OPTIONS} options: what it runs is not searched for")


def _of_variable(name: str, value: str, *, is_hook: bool) -> Iterator[Reference]:
    """What a variable names: all of it if programs load what is in it, or if it is a hook's."""
    loads = _LOADERS.fullmatch(name) is not None
    if not loads and not is_hook:
        yield from _of_word(value)
        return
    for word in re.split(r"[\s:;,]+", value):
        if (module := word.rpartition("=")[2]).startswith("."):
            yield Reference("node", module)
        yield from _any_word(word, "path" if loads or "/" in word else "file")
        yield from _of_preload(name, word)
    if name.endswith("PATH"):
        for folder in value.split(":"):
            if not folder.startswith("/"):  # the system's folders are full of programs
                yield from _path("folder", folder)
    yield from _of_shell(value, is_hook=is_hook)


def _of_preload(name: str, word: str) -> Iterator[Reference]:
    """A module that an interpreter loads first: RUBYOPT=-rpre, PERL5OPT=-Mpre, PYTHONWARNINGS=error::pre.X."""
    if name.startswith("PYTHON") and re.fullmatch(r"[\w.]+", word):
        yield Reference("python", word)
    elif found := _preload_option(word):
        module = found[1].replace("::", "/").partition("=")[0]
        for suffix in (".rb", ".pm", ".pl", ".lua"):
            yield from _path("file", f"{module}{suffix}")


def _any_word(word: str, kind: Literal["path", "file"]) -> Iterator[Reference]:
    """A word of a line in which every existing file counts: the whole, or what follows ``NAME=``, ``-f`` or ``@``."""
    if "://" in word:
        return
    texts = {word, word.rpartition("=")[2], word.lstrip("@"), *word.split(":"), *word.split(",")}
    if re.match(r"-[A-Za-z].", word):  # -ffile, -I./folder
        texts.add(word[2:])
    for text in sorted(texts):
        if text and not text.startswith("-"):
            yield from _path("path" if "/" in text.rstrip("/") or _is_glob(text) else kind, text)


def _is_glob(text: str) -> bool:
    return any(sign in text for sign in "*?[")


def _of_word(word: str) -> Iterator[Reference]:
    """A word that may be a path: as a whole, or after ``NAME=`` or ``--option=``."""
    for text in {word, word.rpartition("=")[2]}:
        if "://" not in text and ("/" in text or _CODE_SUFFIX.fullmatch(text)):
            yield from _path("word", text)


def _path(kind: Literal["script", "file", "path", "word", "folder"], text: str) -> Iterator[Reference]:
    if not text or len(text) > _MAX_PATH_LENGTH or "\0" in text or "\n" in text:
        return
    if text in {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"}:
        return
    if kind == "path" and text.endswith("}") and "{" in text and "$" not in text:  # d/{a,b}
        text = text.partition("{")[0] + "*"
    last = max(text.rfind(sign) for sign in _VARIABLE_SIGNS)
    if last < 0:
        yield Reference(kind, text)
    elif rest := text[last:].partition("/")[2].lstrip("/"):
        yield Reference(kind, rest, is_rooted=True)
    elif kind == "path" and "/" in text[:last] and "$" not in text[:last]:  # d/$name: anything in d
        folder = text[:last].rpartition("/")[0]
        if folder.strip("./"):
            yield Reference(kind, folder)


def _of_windows(text: str) -> Iterator[Reference]:
    """Paths of a command for PowerShell or cmd, with their separators turned round."""
    if not _windows_text(text):
        return
    for found in _windows_word(text):
        yield from _of_word(next(part for part in found.groups() if part).replace("\\", "/"))


def _of_makefile(text: str) -> Iterator[Reference]:
    for found in _include_line(text):
        for word in found[1].split():
            yield from _any_word(word.strip("'\""), "file")
    yield from _of_shell(re.sub(r"^[\t@+-]+", "", text, flags=re.MULTILINE).replace("$(", "${").replace("$$", "$"))


# ------------------------------------------------------------------------------------------------------ other languages


def _of_python(text: str) -> Iterator[Reference]:
    text = text.replace("\0", "\n")
    try:
        if _long_name(text):
            raise RecursionError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about code that is only read
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # another Python's, or made to be hard
        yield from (Reference("python", found[1] or found[2]) for found in _import_line(text))
        yield from _of_strings(text)
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (Reference("python", name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = "." * level + (module or "")
                yield Reference("python", base)
                joint = "" if base.endswith(".") or not base else "."
                yield from (Reference("python", f"{base}{joint}{name.name}") for name in names if name.name != "*")
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if _imports(func):
                yield Reference("python", name)
            case ast.Call(func=func, args=arguments) if _loads(func):
                for found in (inner for argument in arguments for inner in ast.walk(argument)):
                    if isinstance(found, ast.Constant) and isinstance(found.value, str):
                        yield from _path("folder", found.value)
                        yield from _path("file", found.value.lstrip("/"))
            case (
                ast.List(elts=[ast.Constant(value=str(program)), *others])
                | ast.Tuple(elts=[ast.Constant(value=str(program)), *others])
            ) if _runs([program]):
                words = [other.value if isinstance(other, ast.Constant) else "$x" for other in others]
                yield from _of_words([program, *(str(word) for word in words)])
            case ast.Constant(value=str(value)) if len(value) <= _MAX_PATH_LENGTH:
                yield from _of_string(value)
                if " " in value and _runs(value.split()[:1]):
                    yield from _of_shell(value)


def _imports(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"import_module", "__import__", "run_module"}


def _loads(function: ast.expr) -> bool:
    """Whether a function runs a file, or adds a folder of modules."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name in {"insert", "append", "extend"}:
        return isinstance(function, ast.Attribute) and getattr(function.value, "attr", "") == "path"
    return name in _LOADING_FUNCTIONS


def _of_node(text: str) -> Iterator[Reference]:
    yield from (Reference("node", found[1]) for found in _node_module(text))
    yield from _of_strings(text)


def _of_package(text: str) -> Iterator[Reference]:
    """The commands of a package.json, and the modules that it names."""
    try:
        package = msgspec.json.decode(text.encode("utf-8", "replace"), type=_PackageJson)
    except msgspec.MsgspecError:
        return
    for script in package.scripts.values():
        if isinstance(script, str):
            yield from _of_shell(script, is_hook=True)
    waiting: list[object] = [package.main, package.module, package.exports, package.imports, package.bin]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield Reference("node", value if value.startswith(".") else f"./{value}")
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value


class _PackageJson(Struct):
    scripts: dict[str, object] = {}
    main: object = None
    module: object = None
    exports: object = None
    imports: object = None
    bin: object = None


def _of_other(text: str) -> Iterator[Reference]:
    """What a script in another language loads, with and without the suffix, and the scripts in its strings."""
    for found in _loaded(text):
        name = found[1].lstrip("/") if found[1].startswith("/") else found[1]
        for suffix in ("", ".rb", ".lua", ".pm", ".jq", ".php"):
            yield from _path("file", f"{name}{suffix}")
        yield from _path("folder", name)
    yield from _of_strings(text)


def _of_strings(text: str) -> Iterator[Reference]:
    for found in _quoted(text):
        yield from _of_string(found[1])


def _of_string(value: str) -> Iterator[Reference]:
    """A string of a program, if it ends like a script's name."""
    if _CODE_SUFFIX.fullmatch(value) and "://" not in value:
        yield from _path("word", value)
        if value.startswith("/"):  # __dirname + "/lib.js"
            yield from _path("word", f"${value}")
