"""A project and a home folder with the hook files of one dialect, and events that really run what is in them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anyhook.dialects import profile
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.engine.engine import Engine
from anyhook.engine.models.models import AskModel, ModelRequest
from anyhook.model.hooks import HookSet
from anyhook.model.outcome import Outcome
from anyhook.project.inventory import hooks_for_project
from anyhook.sources.discover import Roots


class Project:
    """Files by their path, ``~/`` for the home folder. What is not text is written as JSON; a script can be started."""

    def __init__(self, folder: Path, client: str, files: Mapping[str, Any]) -> None:
        self.client = client
        self.roots = Roots(folder / "project", folder / "home", folder / "system")
        self.roots.project.mkdir()
        self.roots.home.mkdir()
        for name, content in files.items():
            path = self.roots.home / name[2:] if name.startswith("~/") else self.roots.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
            if isinstance(content, str) and content.startswith("#!"):
                path.chmod(0o755)

    @property
    def hooks(self) -> HookSet:
        return hooks_for_project(self.client, self.roots)

    def engine(self, model: AskModel | None = None) -> Engine:
        return Engine(self.hooks, project=self.roots.project, home=self.roots.home, model=model)

    def fire(self, payload: Mapping[str, Any], model: AskModel | None = None) -> Outcome:
        """What comes of the event that the client would tell like this, and of what a model says to it."""
        read, problems = decode_payload(profile(self.client), payload)
        assert problems == ()
        return self.engine(model).fire_sync(read)

    def text(self, name: str) -> str:
        """What is in a file of the project; nothing when no hook wrote it."""
        path = self.roots.project / name
        return path.read_text(encoding="utf-8").strip() if path.exists() else ""

    @property
    def ran(self) -> list[str]:
        """The names of the hooks that left a mark, in the order in which they did."""
        return self.text(MARKS).split()


class Model:
    """A model that always answers the same, and what it was asked."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> str:
        self.requests.append(request)
        return self.answer

    @property
    def prompt(self) -> str:
        """What it was asked last, without the marks around the data of the event."""
        return re.sub(r"</?event-data-\w+>", "", self.requests[-1].prompt)


MARKS = "ran.txt"


def hook(command: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": command, **more}


def group(*commands: str, matcher: str | None = None) -> dict[str, Any]:
    """A matcher and the hooks that run when it matches."""
    return {**({} if matcher is None else {"matcher": matcher}), "hooks": [hook(command) for command in commands]}


def mark(name: str) -> str:
    """A command that says that it ran."""
    return f"echo {name} >> {MARKS}"


def answer(output: Mapping[str, Any]) -> str:
    """A command that prints an answer."""
    return f"printf %s {shlex.quote(json.dumps(output))}"


def nested(event: str, **fields: Any) -> dict[str, Any]:
    """An answer that is about one event only."""
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}
