"""Whether a step of the script took effect in the project, seen in its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from anyhook.prove.script import EditStep, ReadStep, ShellStep, Step, ToolStep, WriteStep, files_made_by

_State = tuple[int, int, int]


class Watch(Struct, frozen=True):
    """What the files of a step were before it was given to the client."""

    step: Step
    project: Path
    before: Mapping[str, _State | None]

    def changed(self) -> dict[str, bool]:
        """For each file of the step, whether it was made or changed since."""
        return {name: _state(self.project / name) not in (None, state) for name, state in self.before.items()}

    def took_effect(self, model_saw: str | None) -> bool | None:
        """Whether the step did what it says; None: nothing can tell."""
        if isinstance(self.step, ReadStep):
            lines = (line.strip() for line in _text(self.project / self.step.path).splitlines())
            first = next((line for line in lines if line), "")
            return bool(first and model_saw and first in model_saw)
        changed = all(self.changed().values()) if self.before else None
        match self.step:
            case WriteStep(path=path, content=content) if changed:
                return _tidy(_text(self.project / path)) == _tidy(content)
            case EditStep(path=path, new=new) if changed:
                return _tidy(new) in _tidy(_text(self.project / path))
        return changed


def watch(step: Step, project: Path) -> Watch:
    """Look at a step's files, before the client gets the step."""
    return Watch(step, project, {name: _state(project / name) for name in _files_of(step)})


def _files_of(step: Step) -> tuple[str, ...]:
    match step:
        case ShellStep(command=command, marker=marker):
            return files_made_by(command) if marker is None else marker
        case WriteStep(path=path) | EditStep(path=path):
            return (path,)
        case ToolStep(marker=marker):
            return marker
    return ()


def _state(path: Path) -> _State | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _tidy(text: str) -> str:
    """A text without blanks at the ends of lines: Claude Code 2.1.325 does not write them."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
