"""What holds for every test: a home folder of its own, and properties that may take their time."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.effort import PROFILE, examples

pytest_plugins = ["pytester"]

# The same examples in every run, so that a change is to blame for a failure: a few in `make test`, more in
# `make test-long`. `make explore` looks for new ones.
settings.register_profile("anyhook", deadline=None, derandomize=True, max_examples=examples(100))
settings.register_profile("thorough", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(PROFILE)

# A shell starts background jobs with SIGINT ignored. Programs under test would inherit that and never see a Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
