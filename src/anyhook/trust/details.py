"""What a hook does besides its one line: what other systems run, and what it runs with, where, and to whom it sends."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from anyhook.model.hooks import Action, Command, FateState, Http

_SYSTEMS = {"windows": "win32", "linux": "linux", "macos": "darwin"}
_VARIABLE = r"\$\{?([A-Za-z_]\w*)"


def details_of(action: Action) -> Iterator[str]:
    """One line for each thing that a user should see before trusting a hook."""
    if action.fate.state is not FateState.ACTIVE:
        yield f"{action.fate.state}: {action.fate.why}" if action.fate.why else str(action.fate.state)
    if isinstance(action, Command):
        yield from _of_command(action)
    elif isinstance(action, Http):
        yield from _of_request(action)


def _of_command(action: Command) -> Iterator[str]:
    if not action.line():
        yield "this system runs nothing"
    for system, platform in _SYSTEMS.items():
        own: str | None = getattr(action.by_os, system)
        if own and platform != sys.platform:
            yield f"on {system}: {own}"
    if action.command and action.command != action.line():
        yield f"elsewhere: {action.command}"
    if action.shell:
        yield f"shell: {action.shell}"
    if action.cwd:
        yield f"in the folder {action.cwd}"
    for name, value in action.env.items():
        yield f"with {name}={value}"


def _of_request(action: Http) -> Iterator[str]:
    for name, value in action.headers.items():
        yield f"header {name}: {value}"
    texts = (action.url, *action.headers.values())
    named = {found for text in texts for found in re.findall(_VARIABLE, text, re.ASCII)}
    sent = [name for name in action.allowed_env if name in named]
    if sent:
        yield f"sends {', '.join(f'${name}' for name in sent)} to {action.url}"
    if unused := [name for name in action.allowed_env if name not in named]:
        yield f"may send {', '.join(f'${name}' for name in unused)} to {action.url}"
