"""What a tool call would do: its effects, for guards and rules to judge. Nothing is run.

    effects_of(call, where) -> Effects      effects/reading.py; ``call`` is a ToolCall, ``command_line(text)`` makes one

``Effects``   commands (what a shell would start), effects, and whether a part of the call could not be read
``Effect``    verb, target, how, by (the index of the command; None: the tool itself), is_sure
``Verb``      deletes, overwrites, writes, reads, runs, sends, publishes, permits, machine, shared, guards
``Place``     a path, resolved once: path (absolute, or None), zone, shown (as the user sees it)
``Url``       an address: text, host
``Resource``  what has no path: kind ("cluster", "database", "branch") and name
``Where``     the payload's folder, the project's root, the home folder, git; ``resolve(text, folder) -> Place``
``GitFacts``  what would be lost: ``lost(paths)``; asked once for a call, and only if it decides

Program knowledge is one row for each program or subcommand, in ``effects/programs``. What is refused is one row for
each kind of effect, in ``families.py``; ``wording.py`` says it. ``judge(call, where)`` there asks both.
"""

from __future__ import annotations

from anyhook.guards.effects.model import (
    Effect,
    Effects,
    Place,
    Resource,
    Target,
    ToolCall,
    Url,
    Verb,
    Zone,
    command_line,
)

__all__ = ["Effect", "Effects", "Place", "Resource", "Target", "ToolCall", "Url", "Verb", "Zone", "command_line"]
