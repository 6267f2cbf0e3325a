"""Whether the hooks that a deployed entry would run in a project are trusted."""

from __future__ import annotations

from anyhook.bridge.entries.anyhook_entries import without_own_calls
from anyhook.dialects import NAMES
from anyhook.sources.discover import Roots
from anyhook.sources.package_hooks import PackageHooks
from anyhook.trust.decide import Trust, check_trust


def trust_of_project(roots: Roots) -> Trust:
    """The trust in the hooks of a project, for all clients that have some there."""
    brought = PackageHooks(roots.project)
    hook_sets = [without_own_calls(brought.of(name)) for name in NAMES]
    return check_trust(roots, hook_sets, owner=brought.owner() or "")
