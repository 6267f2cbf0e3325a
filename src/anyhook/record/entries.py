"""The entries that record: one for every event of a client, passive, and recognised by what they run."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import anyhook
from anyhook.dialects.events import native_name
from anyhook.dialects.profile import Profile
from anyhook.model.events import EVENTS
from anyhook.model.hooks import Action, Command, Rule

RECORDER = "anyhook/cli/record_event.py"
"""The script that a client starts for every event, below the folder that anyhook is installed in."""
TIMEOUT_MS = 10_000
_WHATEVER_HAPPENS = " 2>/dev/null || :"
"""Hides from the client that the recorder is gone: some block a tool when a hook cannot be started."""


def recording_rules(profile: Profile, marker: Path) -> tuple[Rule, ...]:
    """Rules that record every event of a client, except those that a silent hook would disturb.

    ``marker``: the file that says that the recording is on.
    """
    left_out = unrecorded_events(profile)
    return tuple(
        Rule(event=event.name, native_event=native, actions=(_recorder(profile.name, native, marker),))
        for event in EVENTS
        if (native := native_name(event.name, profile.name)) and event.name not in left_out
    )


def unrecorded_events(profile: Profile) -> Mapping[str, str]:
    """Events on which even a hook without a reply disturbs the client, and how."""
    blocked = dict.fromkeys(profile.answers.silence_blocks_on, "a hook that says nothing blocks it")
    return {**blocked, **profile.disturbed_by_hooks}


def is_recorder(action: Action) -> bool:
    """Whether an entry of a hook file records."""
    return isinstance(action, Command) and any(RECORDER in command for command in action.commands())


def recorder_like(action: Action) -> Command | None:
    """The entry that anyhook would write in place of one that looks like its own; None when it does not look so."""
    words = _words(action)
    return _recorder(words[-3], words[-2], Path(words[-1])) if len(words) > 3 else None


def _recorder(client: str, native_event: str, marker: Path) -> Command:
    script = Path(anyhook.__file__).parents[1] / RECORDER
    words = (sys.executable, "-IS", str(script), client, native_event, str(marker))
    return Command(command=_command_line(words), timeout_ms=TIMEOUT_MS)


def _command_line(words: tuple[str, ...]) -> str:
    """A line for the shell that the client uses.

    ``-IS``: it starts quickly, and neither the client's environment nor a json.py in the project has a say in it.
    """
    if os.name == "nt":  # forward slashes and double quotes mean the same to cmd and to a POSIX shell
        return " ".join(f'"{word}"' if " " in word else word for word in (w.replace("\\", "/") for w in words))
    return shlex.join(words) + _WHATEVER_HAPPENS


def _words(action: Action) -> list[str]:
    """The words of an entry that records; none when it does not, or cannot be split."""
    if not isinstance(action, Command) or not is_recorder(action):
        return []
    try:
        return shlex.split(action.commands()[0].removesuffix(_WHATEVER_HAPPENS))
    except ValueError:  # an open quote: anyhook did not write it
        return []
