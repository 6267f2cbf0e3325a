"""A random situation: hook files, an event, and how each hook of it behaves, in the words of the client's profile.

A situation has the shape of a vector (``conformance/README.md``) without what only the real client can tell: its
payload and its expectation. Every text that a hook prints is a word of its own, so that it can be found again in what
the model or the user saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.profile import Profile
from conformance.explore.hook_files import hook_files
from conformance.explore.printed import Speaker, behaviour
from conformance.explore.scenes import Scene
from conformance.explore.surroundings import Dimension


class Situation(Struct, frozen=True, kw_only=True):
    """What is given to the client and to the engine."""

    client: str
    event: str
    """By its native name."""
    files: Mapping[str, Any]
    hooks: Mapping[str, Any]
    """How each scripted hook behaves."""
    dimension: Dimension = "plain"
    """What of it is varied besides what the hooks say."""
    tool: str = ""
    """The kind of the tool that is called, if it is not the scene's own."""
    mark: str = "s0"
    """In the payload of the event, ``mark-s0``: tells situations apart that are played in one start of the client."""

    def vector(
        self, name: str, payload: Mapping[str, Any], expect: Mapping[str, Any], note: str = ""
    ) -> dict[str, Any]:
        return {
            "id": f"{self.client}/{name}",
            "client": self.client,
            "version": profile(self.client).release,
            "note": note,
            "files": self.files,
            "event": self.event,
            "payload": payload,
            "hooks": self.hooks,
            "expect": expect,
        }


def canonical(known: Profile, native_event: str) -> str:
    return next(event for event, natives in known.events.items() if native_event in natives)


def random_situations(
    random: Random, client: str, native_event: str, scene: Scene, dimension: Dimension, count: int, tool: str = ""
) -> list[Situation]:
    """Situations that share their hook files and differ in what the hooks do."""
    known = profile(client).variant(native_event)
    event = canonical(known, native_event)
    names = ["a", "b", "c"][: random.choices((1, 2, 3), (5, 3, 1))[0]]
    files = hook_files(random, known, native_event, scene.subject, names, dimension)
    return [
        Situation(
            client=client,
            event=native_event,
            files=files,
            hooks={
                name: behaviour(random, Speaker(known, event, native_event, f"{name.upper()}{number}", scene.rewrite))
                for name in names
            },
            dimension=dimension,
            tool=tool,
            mark=f"s{number}",
        )
        for number in range(count)
    ]
