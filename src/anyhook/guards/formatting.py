"""The guard ``format``: formats the files that an agent has edited, with what the project uses."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from anyhook.guards.asked import asked_effects, paths_with
from anyhook.guards.call import GuardCall, is_excepted
from anyhook.guards.effects.model import Verb
from anyhook.model.functions import context
from anyhook.model.output import Reply
from anyhook.paths import matches_any, relative_path

_SECONDS = 20


class _Formatter(Struct, frozen=True):
    program: str
    arguments: tuple[str, ...]
    suffixes: tuple[str, ...]
    files: tuple[str, ...]
    """One of these in the project's folder says that the project uses it."""
    mark: str = ""
    """A text that must be in the file, too."""


_FORMATTERS = (
    _Formatter("ruff", ("format", "--quiet"), (".py", ".pyi"), ("ruff.toml", ".ruff.toml")),
    _Formatter("ruff", ("format", "--quiet"), (".py", ".pyi"), ("pyproject.toml",), "[tool.ruff"),
    _Formatter("black", ("--quiet",), (".py", ".pyi"), ("pyproject.toml",), "[tool.black"),
    _Formatter("gofmt", ("-w",), (".go",), ("go.mod",)),
    _Formatter("rustfmt", ("--edition", "2021"), (".rs",), ("Cargo.toml", "rustfmt.toml", ".rustfmt.toml")),
    _Formatter("clang-format", ("-i",), (".c", ".h", ".cc", ".cpp", ".hpp", ".m"), (".clang-format",)),
    _Formatter(
        "biome",
        ("format", "--write"),
        (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".json", ".css"),
        ("biome.json", "biome.jsonc"),
    ),
)
"""No formatter whose settings can name code of the project (prettier): that code is not part of what is trusted."""


def judge(call: GuardCall) -> Reply | None:
    """Format what was edited; never fails the edit, and says what it did."""
    said = [text for path in written_files(call) for text in _format(call, path)]
    return context(" ".join(said)) if said else None


def written_files(call: GuardCall) -> tuple[str, ...]:
    """The files that a call writes, moves or deletes, as far as its input tells."""
    return paths_with(asked_effects(call)[0], Verb.WRITES, Verb.DELETES)


def _format(call: GuardCall, path: str) -> Iterator[str]:
    inside = relative_path(path, call.project)
    file = call.project / inside
    if inside.startswith(("/", "~")) or matches_any(path, call.settings.get("skip", ()), call.project):
        return
    if is_excepted(call, path):
        return
    formatter = next(
        (each for each in _FORMATTERS if file.suffix in each.suffixes and _is_used(each, call.project)), None
    )
    if formatter is None or not file.is_file() or file.is_symlink():
        return
    program = installed(call, formatter.program)
    if program is None:
        return
    before = file.read_bytes()
    why = _run([program, *formatter.arguments, str(file)], call)
    if why:
        yield f"{formatter.program} could not format {inside}: {why}."
    elif file.read_bytes() != before:
        yield f"{inside} was formatted with {formatter.program}: read it again before you change it."


def _is_used(formatter: _Formatter, project: Path) -> bool:
    for name in formatter.files:
        try:
            file = project / name
            if file.is_file() and formatter.mark in file.read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return False


def installed(call: GuardCall, program: str) -> str | None:
    """The program on the PATH; one inside the project is not trusted."""
    found = shutil.which(program, path=call.environment.get("PATH"))
    if found is None or Path(found).resolve().is_relative_to(call.project.resolve()):
        return None
    return found


def _run(command: list[str], call: GuardCall) -> str:
    """Why it did not work; empty: it did."""
    try:
        done = subprocess.run(
            command,
            cwd=call.project,
            env=dict(call.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {_SECONDS} s"
    except OSError as error:
        return error.strerror or str(error)
    text = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return "" if done.returncode == 0 else (text[0][:200] if text else f"exit status {done.returncode}")
