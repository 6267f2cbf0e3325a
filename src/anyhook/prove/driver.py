"""What is particular to a client that is driven: its package, its command line, its environment, its tools.

One module of :mod:`anyhook.prove.clients` for each client, with a ``DRIVER``. A driver has no state: what belongs to
one start of the client is a :class:`Start`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from anyhook.prove.model_server.messages import Message
from anyhook.prove.script import EditStep, ReadStep, ShellStep, Step, ToolStep, WriteStep
from anyhook.prove.workspace import Workspace

Conversation = Generator[bytes, bytes, None]
"""Talks to a client that reads prompts from stdin: yields what to write, is sent each line that the client prints."""


class Package(Struct, frozen=True, kw_only=True):
    """Where a client comes from."""

    registry: Literal["npm", "PyPI"]
    name: str
    version: str
    """The release that is installed unless another one is asked for."""
    programs: str
    """A pattern for the program in the installed package; of several (builds for another libc) the one that runs is
    taken."""
    command: str
    """The name of the program on PATH."""


class Start(Struct, frozen=True, kw_only=True):
    """One start of a client."""

    workspace: Workspace
    project: Path
    """The folder in which the client runs: the workspace's, or the path over which it is mounted."""
    url: str
    """The model server."""
    installation: Path | None
    """The folder that the client was installed to; None: a client on PATH."""
    prompts: tuple[str, ...]
    trust: bool = True
    """Whether the client is told to trust the project and its hooks."""


class Driver(ABC):
    """Drives one client."""

    package: Package
    approval: tuple[str, ...] = ()
    """Arguments that approve every tool call."""
    absolute_paths: bool = True
    """Whether the model names files by their whole path."""
    shell_ran: str
    """A pattern for the result of a shell call that ran, to tell it from one that was refused."""
    trust_files: tuple[str, ...] = ()
    """Files of the home folder in which the client keeps whom the user trusts."""

    def prepare(self, start: Start) -> None:  # noqa: B027 - most clients need nothing
        """Write the files that the client needs besides those of the situation."""

    @abstractmethod
    def arguments(self, start: Start) -> Sequence[str]:
        """The command line after the program; with several prompts, the one for :meth:`conversation`."""

    @abstractmethod
    def environment(self, start: Start) -> Mapping[str, str]: ...

    def conversation(self, start: Start) -> Conversation | None:
        """How several prompts are given to one start of the client; None: it cannot be done."""
        return None

    def trust_in(self, files: Mapping[str, str]) -> Mapping[str, str]:
        """Of the texts of the user's ``trust_files``, only what says whom the user trusts."""
        return files

    def version_environment(self, installation: Path) -> Mapping[str, str]:
        """Variables for ``--version`` of a new installation."""
        return {}

    def is_aside(self, messages: Sequence[Message]) -> bool:
        """Whether a request that offers tools is none of the agent's turns: the client works for itself."""
        return False

    @abstractmethod
    def shell(self, command: str) -> ToolStep: ...

    @abstractmethod
    def write(self, path: str, content: str) -> ToolStep: ...

    @abstractmethod
    def edit(self, path: str, old: str, new: str) -> ToolStep: ...

    @abstractmethod
    def read(self, path: str) -> ToolStep: ...

    def tool_use(self, step: Step, project: Path) -> ToolStep | None:
        """The client's own tool and its input for a step; None: the step is no tool call."""
        match step:
            case ShellStep(command=command):
                return self.shell(command)
            case WriteStep(path=path, content=content):
                return self.write(self._named(path, project), content)
            case EditStep(path=path, old=old, new=new):
                return self.edit(self._named(path, project), old, new)
            case ReadStep(path=path):
                return self.read(self._named(path, project))
            case ToolStep():
                return step
        return None

    def _named(self, path: str, project: Path) -> str:
        return str(project / path) if self.absolute_paths else path


def merged(below: Any, above: Any) -> Any:
    """Two JSON values as one; where they differ, ``above`` wins."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return {**below, **{key: merged(below.get(key), value) for key, value in above.items()}}


def folder_trust(settings: str) -> str:
    """Of a settings file, only whether the client asks for trust in folders."""
    try:
        security = json.loads(settings).get("security", {})
    except (ValueError, AttributeError):
        return "{}"
    return json.dumps({"security": {"folderTrust": security.get("folderTrust", {})}})
