"""One situation to play to a client: files, hooks, prompts and the model's script."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.prove.script import Script, ScriptError, read_script

DEFAULT_PROMPT = "do the task"


class WrittenFile(Struct, frozen=True):
    """A file that is written before the client starts."""

    text: str
    mode: int | None = None
    link: str = ""
    """If it is a link: where it leads, as it is written in the link."""


class Situation(Struct, frozen=True, kw_only=True):
    """What a client is given.

    ``@RECORD@ NAME`` is a hook command that records its call and then behaves as ``hooks[NAME]`` says; ``@PROJECT@``
    and ``@HOME@`` are the folders of the run. They are replaced in every text, also in the copied folders' small files.
    """

    script: Script
    prompts: tuple[str, ...] = (DEFAULT_PROMPT,)
    """Several are given to one start of a client that can take them."""
    files: Mapping[str, WrittenFile] = {}
    home_files: Mapping[str, WrittenFile] = {}
    project: Path | None = None
    """A folder whose copy the client works in."""
    home: Path | None = None
    """A folder whose copy is the home folder."""
    without: tuple[str, ...] = ()
    """Files that are left out of the copy of the project."""
    keeps_path: bool = False
    """Whether the copy is at the project's own path for the client, where mounts are allowed."""
    hooks: Mapping[str, Any] = {}
    """The behaviour of each recorded hook, or a list with one for each call; see :mod:`anyhook.prove.recorder`."""
    environment: Mapping[str, str | None] = {}
    """Variables for the client; None removes one."""
    case_environment: Mapping[str, str] = {}
    """Variables that replace none of those with which the client is driven: its home folder, model and key."""
    arguments: tuple[str, ...] = ()
    """Further arguments for the client."""
    seconds: float = 60.0
    """How long the client may take."""
    approve: bool = True
    """Whether the client is told to approve every tool call."""
    trust: bool = True
    """Whether the client is told to trust the project and its hooks."""


_KEYS = {"prompt", "prompts", "script", "files", "home_files", "hooks", "env", "args", "timeout", "approve", "trust"}


def read_situation(value: Any) -> Situation:
    """A situation from its JSON: a script, or an object with a script and further keys. Raises ScriptError."""
    if isinstance(value, list):
        value = {"script": value}
    if not isinstance(value, Mapping) or not value.keys() <= _KEYS:
        raise ScriptError(f"a situation is a script, or an object with {', '.join(sorted(_KEYS))}")
    prompts = value.get("prompts") or [value.get("prompt", DEFAULT_PROMPT)]
    return Situation(
        script=read_script(value.get("script", [])),
        prompts=tuple(prompts),
        files=read_files(value.get("files", {})),
        home_files=read_files(value.get("home_files", {})),
        hooks=value.get("hooks", {}),
        environment=value.get("env", {}),
        arguments=tuple(value.get("args", ())),
        seconds=value.get("timeout", 60.0),
        approve=value.get("approve", True),
        trust=value.get("trust", True),
    )


def read_files(files: Mapping[str, Any]) -> dict[str, WrittenFile]:
    """Files by their paths: text, a JSON value, ``{"text": ..., "mode": "755"}`` or ``{"link": "../target"}``."""
    return {path: _read_file(content) for path, content in files.items()}


def _read_file(content: Any) -> WrittenFile:
    if isinstance(content, WrittenFile):
        return content
    if isinstance(content, str):
        return WrittenFile(content)
    if isinstance(content, Mapping) and "text" in content and content.keys() <= {"text", "mode"}:
        mode = content.get("mode")
        return WrittenFile(content["text"], int(mode, 8) if mode else None)
    if isinstance(content, Mapping) and content.keys() == {"link"}:
        return WrittenFile("", link=content["link"])
    return WrittenFile(msgspec.json.format(msgspec.json.encode(content), indent=2).decode())


def encode_situation(situation: Situation) -> bytes:
    return msgspec.json.encode(situation, enc_hook=str)


def decode_situation(data: bytes) -> Situation:
    """What :func:`encode_situation` made."""
    return msgspec.json.decode(data, type=Situation, dec_hook=lambda _, value: Path(value))
