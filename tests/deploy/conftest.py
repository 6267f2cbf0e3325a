"""Tests of installing move anyhook's own folder; afterwards it is where it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from anyhook.sources.state import VARIABLE


@pytest.fixture(scope="module", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("state")))
        yield
