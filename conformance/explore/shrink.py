"""The smallest situation that still disagrees, and the cause that it has in common with others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from conformance.explore.situations import Situation

Disagrees = Callable[[Situation], Sequence[str]]
"""How a situation disagrees; nothing when it agrees."""
MAX_TRIES = 24


class Played(Struct, frozen=True):
    """A situation, what the client did in it as the expectation of a vector, and how the engine differs."""

    situation: Situation
    payload: Mapping[str, Any]
    expect: Mapping[str, Any]
    wrong: Sequence[str]


def shrink(situation: Situation, cause: str, disagrees: Disagrees, tries: int = MAX_TRIES) -> Situation:
    """Take away parts while what is left disagrees for the same cause."""
    smaller = True
    while smaller and tries > 0:
        smaller = False
        for candidate in simpler(situation):
            tries -= 1
            if cause_of(candidate, disagrees(candidate)) == cause:
                situation, smaller = candidate, True
                break
            if tries <= 0:
                break
    return situation


def simpler(situation: Situation) -> Iterator[Situation]:
    """The situation with one thing less, the biggest things first."""
    for path in situation.files if len(situation.files) > 1 else ():
        yield structs.replace(situation, files=_without(situation.files, path))
    for path, content in situation.files.items():
        for key in content if isinstance(content, Mapping) and "hooks" in content else ():
            if key not in ("hooks", "version"):
                yield structs.replace(situation, files={**situation.files, path: _without(content, key)})
    for name, behaviour in situation.hooks.items():
        if behaviour:
            yield structs.replace(situation, hooks={**situation.hooks, name: {}})
        for key in behaviour:
            yield _behaving(situation, name, _without(behaviour, key))
        stdout = behaviour.get("stdout")
        if isinstance(stdout, Mapping):
            for less in _less(stdout):
                yield _behaving(situation, name, {**behaviour, "stdout": less})


def _behaving(situation: Situation, name: str, behaviour: Mapping[str, Any]) -> Situation:
    return structs.replace(situation, hooks={**situation.hooks, name: behaviour})


def _less(reply: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The object with one key less, at the top or one level below."""
    for key, value in reply.items():
        yield _without(reply, key)
        if isinstance(value, Mapping) and len(value) > 1:
            yield from ({**reply, key: less} for less in _less(value))


def _without(things: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {other: value for other, value in things.items() if other != key}


def cause_of(situation: Situation, wrong: Sequence[str]) -> str:
    """What disagreements have in common, without the words and marks of one situation; empty: it agrees."""
    if not wrong:
        return ""
    texts = [re.sub(r"'[ABC]\d+-([A-Z-]+)-WORD'", r"\1", text) for text in wrong]
    texts = [re.sub(r"mark-s\d+\S*", "MARK", text) for text in texts]
    about = situation.event if situation.dimension == "plain" else f"{situation.event}, {situation.dimension}"
    return f"{about}: {'; '.join(sorted(set(texts)))}"


def by_cause(found: Iterable[Played]) -> dict[str, list[Played]]:
    """Situations that disagree, the most frequent cause first."""
    groups: dict[str, list[Played]] = {}
    for each in found:
        groups.setdefault(cause_of(each.situation, each.wrong), []).append(each)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))
