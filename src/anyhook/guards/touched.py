"""What a tool call touches, whatever tool it is: files that it reads and writes, texts that it writes."""

from __future__ import annotations

from anyhook.guards.asked import asked_effects, paths_with, tool_call_of
from anyhook.guards.call import GuardCall
from anyhook.guards.effects import tools
from anyhook.guards.effects.model import Verb

all_texts = tools.all_texts


def written_files(call: GuardCall) -> tuple[str, ...]:
    """The files that a call writes, moves or deletes, as far as its input tells."""
    return paths_with(asked_effects(call)[0], Verb.WRITES, Verb.DELETES)


def read_files(call: GuardCall) -> tuple[str, ...]:
    """The files whose contents a call gets."""
    return paths_with(asked_effects(call)[0], Verb.READS)


def written_texts(call: GuardCall) -> tuple[str, ...]:
    """The texts that a call puts into files."""
    return tools.written_texts(tool_call_of(call))
