"""A stage for each test, and the client in both languages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anyhook
from tests.checkout import SOURCE
from tests.serve.daemons import PYTHON_CLIENT, Stage, make_stage

collect_ignore_glob = [] if os.name == "posix" else ["test_*.py"]


@pytest.fixture
def stage() -> Iterator[Stage]:
    with make_stage() as made:
        made.trust()
        yield made


@pytest.fixture(scope="session")
def native_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    program = tmp_path_factory.mktemp("client") / "anyhook-client"
    warnings = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
    source = SOURCE / "anyhook/serve/client/anyhook-client.c"
    define = f'-DANYHOOK_VERSION="{anyhook.__version__}"'
    subprocess.run([compiler, *warnings, define, "-o", program, source], check=True)
    return program


@pytest.fixture(params=["native", "python"])
def client(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The words that ask the daemon."""
    if request.param == "python":
        assert sys.executable
        return PYTHON_CLIENT
    return (str(request.getfixturevalue("native_client")),)
