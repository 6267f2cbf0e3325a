"""Aliases of git that a line defines itself: ``git -c alias.x='reset --hard' x``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from anyhook.shell.command import ShellWord, Started
from anyhook.shell.words import quoted

_ALIAS = re.compile(r"alias\.(.+?)(?:\.command)?=\s*(!?)(.*)", re.IGNORECASE | re.DOTALL)
_GLOBAL_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--super-prefix"}
)
_CONFIG_VERBS = frozenset({"set", "add"})


def verb_place(texts: Sequence[str]) -> int:
    """Where the subcommand is among the arguments of git."""
    place = 0
    while place < len(texts) and texts[place].startswith("-"):
        place += 2 if texts[place] in _GLOBAL_VALUES else 1
    return min(place, len(texts))


def setting_of(following: Sequence[str]) -> tuple[str, str] | None:
    """The key and the value that ``git config`` is given; None if it only reads."""
    words = [text for text in following if not text.startswith("-") and text not in _CONFIG_VERBS]
    return (words[0], words[1]) if len(words) > 1 else None


def alias_options(arguments: Sequence[str]) -> tuple[ShellWord, ...]:
    """``git config alias.x y`` as the options ``-c alias.x=y``, for the commands after it."""
    place = verb_place(arguments)
    setting = setting_of(arguments[place + 1 :]) if arguments[place : place + 1] == ("config",) else None
    if setting is None or not setting[0].lower().startswith("alias."):
        return ()
    return ShellWord("-c"), ShellWord("=".join(setting))


def started_by_alias(texts: Sequence[str], verb: int) -> Iterator[Started]:
    """What the subcommand means, if an option before it says so. An alias is not followed into itself."""
    name = texts[verb].lower() if verb < len(texts) else ""
    rest = [quoted(text) for text in texts[verb + 1 :]]
    for place in range(1, verb):
        found = _ALIAS.fullmatch(texts[place]) if texts[place - 1] == "-c" else None
        if found is None or found[1].lower() != name:
            continue
        options = [quoted(text) for text in (*texts[: place - 1], *texts[place + 1 : verb])]
        yield Started(line=" ".join((found[3], *rest) if found[2] else ("git", *options, found[3], *rest)))
