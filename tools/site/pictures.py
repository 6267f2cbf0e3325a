"""Draws the pictures of the README: what commands really print, as SVG. Run by ``make docs``."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"
COLUMNS = 92


class Picture(NamedTuple):
    """Commands whose output is shown, after others that prepare the folder in which they run."""

    name: str
    title: str
    before: tuple[str, ...]
    shown: tuple[str, ...]


PICTURES = (
    Picture(
        "matrix",
        "Two guards, and what each client makes of them",
        (f"cp -r {shlex.quote(str(ROOT / 'examples/hooks-package'))}/. .",),
        ("anyhook matrix --native --client claude,codex,gemini --case silent-exit-2 --case json-deny",),
    ),
    Picture(
        "blocked",
        "A command that Codex would not run",
        (
            "anyhook init",
            "anyhook deploy --client codex --yes",
            """echo '{"tool_name": "Bash", "tool_input": {"command": "cd / && rm -rf *"}}' > event.json""",
        ),
        ("cat event.json", "anyhook fire --client codex --event PreToolUse < event.json", "anyhook log"),
    ),
)

_background, _foreground = (24, 27, 34), (222, 226, 233)
_red, _green, _yellow, _blue = (255, 123, 114), (126, 211, 133), (240, 185, 92), (121, 172, 255)
_magenta, _cyan = (210, 168, 255), (118, 214, 228)
THEME = TerminalTheme(
    _background,
    _foreground,
    [_background, _red, _green, _yellow, _blue, _magenta, _cyan, _foreground],
)
_font_face = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_fonts = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'


def pictures() -> dict[Path, str]:
    """Every picture, and its SVG."""
    return {FOLDER / f"{picture.name}.svg": svg(printed(picture), picture) for picture in PICTURES}


def printed(picture: Picture) -> str:
    """The commands and what they print in a new project, with colours; without times, which vary."""
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        project, programs = Path(home, "project"), Path(home, "bin")
        project.mkdir()
        programs.mkdir()
        client = ROOT / "src/anyhook/serve/client/launcher.py"
        for name, words in {"anyhook": ["-m", "anyhook"], "anyhook-client": [str(client)], "python3": []}.items():
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-P", *words])} "$@"\n')
            program.chmod(0o755)
        environment = {
            "ANYHOOK_DAEMON": "0",
            "COLUMNS": str(COLUMNS),
            "FORCE_COLOR": "1",
            "HOME": home,
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join([str(programs), os.defpath]),
            "PYTHONPATH": str(ROOT / "src"),
            "TERM": "xterm-256color",
        }

        def run(command: str) -> str:
            done = subprocess.run(["sh", "-c", command], cwd=project, env=environment, capture_output=True, text=True)
            assert done.returncode in {0, 1}, done.stderr
            return done.stdout

        for command in picture.before:
            run(command)
        texts = [f"\x1b[1m$ {command}\x1b[0m\n{run(command)}" for command in picture.shown]
    return steady("\n".join(texts).rstrip("\n") + "\n")


def steady(text: str) -> str:
    """The output without days, times and durations: the same picture from every run."""
    text = re.sub(r"^(\x1b\[[\d;]*m)?\d{4}-\d\d-\d\d(\x1b\[0m)?\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\b\d\d:\d\d:\d\d ", "", text)
    return re.sub(r" +(?:\(\d+ (?:ms|s|h)\)|\d+ (?:ms|s |h )(?= ))", "", text)


def svg(text: str, picture: Picture) -> str:
    """A terminal with this text. Rich loads a font from another host; every run has its width, so any font will do."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, force_terminal=True, file=nowhere)
        for line in text.splitlines():
            console.print(_wrapped(Text.from_ansi(line), console))
        drawn = console.export_svg(title=picture.title, theme=THEME, unique_id=f"picture-{picture.name}")
    drawn = _font_face.sub("", drawn).replace("font-family: Fira Code, monospace", f"font-family: {_fonts}")
    return "\n".join(line.rstrip() for line in drawn.splitlines() if line.strip()) + "\n"


def _wrapped(line: Text, console: Console) -> Text:
    """A long line goes on below, indented."""
    indent = len(line.plain) - len(line.plain.lstrip()) or 2
    if len(line.plain) <= COLUMNS:
        return line
    first = line.wrap(console, COLUMNS)[0]
    rest = line[len(first.plain) :]
    while rest.plain.startswith(" "):
        rest = rest[1:]
    return Text("\n").join([first, *(Text(" " * indent) + part for part in rest.wrap(console, COLUMNS - indent))])


def words(drawn: str) -> list[str]:
    """The words in a picture, to compare it with what the commands print."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", drawn)
    return " ".join(found).replace("&#160;", " ").split()
