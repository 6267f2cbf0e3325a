"""The tools of an agent hook's model: they read the project, and run allowed programs in it.

Every path is resolved with its symbolic links and must then be in the project's folder. A tool returns text, also when
it refuses; long text is cut, because every token costs.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path, PureWindowsPath
from typing import Any

from msgspec import Struct

from anyhook.dialects.profile import MatchMode
from anyhook.dialects.translation.tools import kinds_of
from anyhook.engine.match import compile_pattern
from anyhook.engine.models.models import ModelTool
from anyhook.engine.raw import Limits

if sys.platform == "win32":
    from anyhook.engine.executors.process_portable import run_process
else:
    from anyhook.engine.executors.process import run_process

MAX_ANSWER_LENGTH = 50_000
"""Characters of one tool's answer."""
MAX_FILES = 200
MAX_LINES = 100
MAX_LINE_LENGTH = 300
MAX_SEARCHED_FILE_BYTES = 1024 * 1024
"""Larger files are not searched."""
MAX_SEARCH_SECONDS = 5.0
MAX_COMMAND_SECONDS = 30.0


class RefusedToolUseError(Exception):
    """The model may not do this; the text tells it why."""


class ProjectTools(Struct, frozen=True):
    """Tools that are confined to one project."""

    root: Path
    """Without symbolic links."""
    commands: tuple[str, ...]
    """Words at the beginning of an allowed command line; ``*`` at the end: with any options."""
    environment: Mapping[str, str]

    def offered(self, names: Sequence[str], dialect: str) -> tuple[ModelTool, ...]:
        """The tools that a hook names in its client's terms; all of them when it names none."""
        kinds = {kind for name in names for kind in (name, *kinds_of(_bare(name), dialect))}
        return tuple(tool for kind, tool in self._by_kind().items() if not names or {kind, tool.name} & kinds)

    def _by_kind(self) -> dict[str, ModelTool]:
        listed = ", ".join(self.commands)
        return {
            "read": self._tool(self.read_file, "Read a text file of the project.", path="Path in the project."),
            "glob": self._tool(self.glob, "List files of the project.", pattern="Such as src/**/*.py"),
            "grep": self._tool(
                self.grep,
                "Search the files of the project for a regular expression (RE2).",
                pattern="The expression.",
                files="Which files, such as **/*.py",
            ),
            "shell": self._tool(
                self.run_command,
                f"Run a program in the project, without a shell. Allowed are: {listed}.",
                command="The command line.",
            ),
        }

    def _tool(self, function: Callable[..., Any], description: str, **parameters: str) -> ModelTool:
        async def call(arguments: Mapping[str, Any]) -> str:
            values = {name: arguments.get(name) for name in parameters}
            if not all(isinstance(value, str) for value in values.values()):
                return f"Refused: it takes {', '.join(parameters)}, each as text."
            try:
                answer = await function(**values)
            except RefusedToolUseError as refused:
                return f"Refused: {refused}."
            except (OSError, ValueError, RuntimeError) as error:
                return f"Failed: {getattr(error, 'strerror', None) or error}."
            return _cut(answer)

        properties = {name: {"type": "string", "description": text} for name, text in parameters.items()}
        schema = {"type": "object", "properties": properties, "required": list(parameters)}
        return ModelTool(function.__name__, description, schema, call)

    # --- files

    async def read_file(self, path: str) -> str:
        file = self._inside(path)
        if not file.is_file():
            raise RefusedToolUseError(f"{path} is not a file")
        with file.open("rb") as opened:
            return opened.read(4 * MAX_ANSWER_LENGTH).decode("utf-8", "replace")

    async def glob(self, pattern: str) -> str:
        return await asyncio.to_thread(self._glob, pattern)

    def _glob(self, pattern: str) -> str:
        names = []
        for name, _ in self._files(pattern):
            names.append(name)
            if len(names) == MAX_FILES:
                names.append("[there are more]")
                break
        return "\n".join(names) or "[no file matches]"

    async def grep(self, pattern: str, files: str) -> str:
        return await asyncio.to_thread(self._grep, pattern, files)

    def _grep(self, pattern: str, files: str) -> str:
        matches = compile_pattern(pattern, MatchMode(flavour="re2"))[0].search  # linear time, whatever the pattern
        found: list[str] = []
        for name, file in self._files(files):
            if file.stat().st_size > MAX_SEARCHED_FILE_BYTES:
                continue
            lines = file.read_bytes().decode("utf-8", "replace").splitlines()
            found += [f"{name}:{n}: {line[:MAX_LINE_LENGTH]}" for n, line in enumerate(lines, 1) if matches(line)]
            if len(found) > MAX_LINES:
                return "\n".join((*found[:MAX_LINES], "[there are more]"))
        return "\n".join(found) or "[nothing matches]"

    def _files(self, pattern: str) -> Iterator[tuple[str, Path]]:
        """Regular files whose path in the project matches, each with that path. Stops when it takes too long."""
        ends = time.monotonic() + MAX_SEARCH_SECONDS
        anywhere = pattern.replace("**/", "")
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != ".git")
            for name in sorted(names):
                if time.monotonic() > ends:
                    raise RefusedToolUseError(f"the search took more than {MAX_SEARCH_SECONDS:.0f} seconds")
                path = Path(folder, name)
                relative = path.relative_to(self.root).as_posix()
                if not (fnmatch(relative, pattern) or fnmatch(relative, anywhere)):
                    continue
                target = path.resolve()
                if target.is_relative_to(self.root) and target.is_file():
                    yield relative, target

    def _inside(self, path: str) -> Path:
        """The file that a path leads to, with its symbolic links. Refused when that is outside the project."""
        target = (self.root / path).resolve()
        if not target.is_relative_to(self.root):
            raise RefusedToolUseError(f"{path} is outside the project")
        return target

    # --- programs

    async def run_command(self, command: str) -> str:
        argv = shlex.split(command)
        if not any(_allows(entry, argv) for entry in self.commands):
            raise RefusedToolUseError(f"{command} is not on the list of allowed commands: {', '.join(self.commands)}")
        for argument in argv[1:]:
            for path in _paths_in(argument):
                self._inside(path)
        limits = Limits(timeout=MAX_COMMAND_SECONDS, kept_bytes=4 * MAX_ANSWER_LENGTH)
        # git must not find a repository above the project, nor ask for a password.
        git = {"GIT_CEILING_DIRECTORIES": str(self.root.parent), "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
        raw = await run_process(argv, b"", {**self.environment, **git}, str(self.root), limits)
        if raw.error or raw.timed_out:
            return f"Failed: {raw.error or 'it took too long'}."
        printed = (raw.stdout + raw.stderr).decode("utf-8", "replace")
        return f"Exit status {raw.exit_code}\n{printed}"


def commands_of_tools(tools: Sequence[str], dialect: str) -> tuple[str, ...]:
    """Commands that a hook's own list of tools allows: ``Bash(npm test)``, ``Bash(npm run *)``."""
    found = (re.fullmatch(r"(\w+)\((.+)\)", tool) for tool in tools)
    return tuple(each[2].replace(":*", " *") for each in found if each and "shell" in kinds_of(each[1], dialect))


def _bare(tool: str) -> str:
    return tool.partition("(")[0]


def _allows(entry: str, argv: Sequence[str]) -> bool:
    """Whether an entry allows a command line: options must be in the entry, unless it ends with ``*``."""
    words = entry.split()
    takes_anything = words[-1:] == ["*"]
    words = words[:-1] if takes_anything else words
    rest = argv[len(words) :]
    if not words or list(argv[: len(words)]) != words:
        return False
    return takes_anything or not any(argument.startswith("-") and argument != "--" for argument in rest)


def _paths_in(argument: str) -> Iterator[str]:
    """What a program might read as a path: the argument, the value of an option, the rest of a short option."""
    yield argument
    if argument.startswith("-"):
        yield argument.partition("=")[2]
        yield argument[2:]
    if PureWindowsPath(argument).drive:
        raise RefusedToolUseError(f"{argument} is outside the project")


def _cut(text: str) -> str:
    if len(text) <= MAX_ANSWER_LENGTH:
        return text
    return f"{text[:MAX_ANSWER_LENGTH]}\n[{len(text) - MAX_ANSWER_LENGTH} characters cut]"
