"""Overrides are nested as they are listed, explained in one line, and belong to one client or to a family."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from anyhook.dialects import all_profiles, profile
from anyhook.dialects.overrides import Overrides, overridden
from anyhook.dialects.profile import Profile
from anyhook.dialects.summary import rule_fields
from tests.checkout import ROOT
from tests.dialects.shown_overrides import SHOWN
from tools.site.dialects_page import explained

VARIANTS = [each for known in all_profiles() for each in (known, *known.variants.values())]
OVERRIDES: dict[str, Callable[..., object]] = {
    f"{override.__module__.rpartition('.')[2]}.{override.__name__}": override
    for known in VARIANTS
    for stage in known.overrides.__struct_fields__
    for override in getattr(known.overrides, stage)
}


def test_the_default_of_an_override_is_the_next_one() -> None:
    def doubled(number: int, default: Callable[[int], str]) -> str:
        return default(2 * number)

    def marked(number: int, default: Callable[[int], str]) -> str:
        return f"<{default(number)}>"

    assert overridden((doubled, marked), 3, str) == "<6>"
    assert overridden((), 3, str) == "3"


@pytest.mark.parametrize("override", OVERRIDES.values(), ids=OVERRIDES)
def test_an_override_is_explained_in_one_line_and_is_in_the_documents(override: Callable[..., object]) -> None:
    text = override.__doc__ or ""
    assert "\n" not in text
    assert text.endswith(".")
    assert f"| {text} |" in (ROOT / "docs/dialects.md").read_text()


@pytest.mark.parametrize("known", [each for each in VARIANTS if any(explained(each.overrides))], ids=lambda p: p.name)
def test_the_rules_of_a_client_show_its_overrides(known: Profile) -> None:
    shown = "\n".join(value for _, value in rule_fields(known))
    assert [what for _, _, what in explained(known.overrides) if what not in shown] == []


@pytest.mark.parametrize(("client", "name"), SHOWN, ids=lambda each: each)
def test_an_override_that_no_vector_needs_is_shown_here(client: str, name: str) -> None:
    known, shown = profile(client), SHOWN[client, name]
    stages = known.overrides.__struct_fields__
    kept = {stage: tuple(f for f in getattr(known.overrides, stage) if f.__name__ != name) for stage in stages}
    without = structs.replace(known, overrides=Overrides(**kept))
    assert without.overrides != known.overrides
    assert shown(without) != shown(known)
