"""What holds for every test: a home folder of its own, and properties that may take their time."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

# The same examples in every run, so that a change is to blame for a failure; `make explore` looks for new ones.
settings.register_profile("anyhook", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("ANYHOOK_PROPERTIES", "anyhook"))

# A shell starts background jobs with SIGINT ignored. Programs under test would inherit that and never see a Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = (
    "tests/conformance/test_flipped_fields.py",
    "tests/deploy/test_deployment.py",
    "tests/deploy/test_killed.py",
    "tests/faults/",
    "tests/serve/test_equivalence.py",
    "tests/serve/test_equivalence_of_vectors.py",
    "tests/test_pytest_plugin.py",
    "tests/testing/matrix/test_matrix_differences.py",
    "tests/testing/scaffold/test_stated_differences.py",
    "tests/vanishing_guards/",
)
"""What takes a third of the time of all tests; ``make test-long`` runs it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(LONG):
            item.add_marker("long")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No real hook file is read by a test, and no test writes to the real home folder."""
    home = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", home)
        patch.setenv("USERPROFILE", home)
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.delenv(name, raising=False)
        patch.setenv("ANYHOOK_DAEMON", "0")  # none is left behind
        for name in ("ANYHOOK_DEBUG", "FORCE_COLOR", "NO_COLOR"):
            patch.delenv(name, raising=False)
        yield
