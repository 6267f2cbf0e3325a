"""The recorded clients are installed once for all tests that run them."""

from __future__ import annotations

import pytest

from anyhook.dialects import all_profiles
from tests.realclients.playing import install_clients, obstacle


@pytest.fixture(scope="session")
def clients() -> None:
    """Real clients, or a skip that says why there are none."""
    if why := obstacle():
        pytest.skip(why)
    install_clients([known.name for known in all_profiles() if known.basis == "recorded"])
