"""The generated part of ``docs/dialects.md``: what single clients do otherwise, in the words of their overrides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anyhook.dialects import all_profiles
from anyhook.dialects.overrides import Overrides, explanation
from anyhook.dialects.profile import Profile
from tools.site.markdown import table

_part = re.compile(r"(<!-- generated: overrides -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The page with the table of all overrides."""
    rows = [(known.title, f"`{stage}`", what) for known in all_profiles() for stage, what in differences(known)]
    return _part.sub(
        lambda found: f"{found[1]}\n{table(('client', 'stage', 'what it does'), rows)}\n\n{found[2]}", text
    )


def differences(known: Profile) -> list[tuple[str, str]]:
    """The stage and the docstring of every override of a client, those of its variants among them, each once."""
    profiles = (known, *known.variants.values())
    found = [(stage, what) for each in profiles for stage, _, what in explained(each.overrides)]
    return list(dict.fromkeys(found))


def explained(overrides: Overrides) -> Iterator[tuple[str, str, str]]:
    """The stage, the name and the docstring of every override."""
    for stage in overrides.__struct_fields__:
        for override in getattr(overrides, stage):
            yield stage, override.__name__, explanation(override)
