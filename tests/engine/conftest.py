"""A model server for the tests that ask one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.models.model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()
