"""What importing a part of anyhook must not bring in, seen from a new process.

The import contracts in pyproject.toml look at our own source; this also sees what our dependencies import.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import anyhook

SOURCE = Path(anyhook.__file__).parents[1]
LOADED = "import sys; print(*sys.modules)"


def pure_modules() -> Iterator[str]:
    """The modules that only decide: all of model and dialects, and the first stages of the engine."""
    for room in ("model", "dialects"):
        for file in sorted((SOURCE / "anyhook" / room).rglob("*.py")):
            yield ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for stage in ("match", "plan"):
        if (SOURCE / "anyhook" / "engine" / f"{stage}.py").exists():
            yield f"anyhook.engine.{stage}"


def modules_loaded_by(code: str) -> set[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONSAFEPATH": "1"}
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("module", list(pure_modules()))
def test_pure_module_loads_no_process_loop_or_terminal_code(module: str) -> None:
    loaded = modules_loaded_by(f"import {module}; {LOADED}")
    assert module in loaded
    assert not loaded & {"asyncio", "subprocess", "click", "rich"}


def test_help_loads_no_command_and_no_heavy_library() -> None:
    loaded = modules_loaded_by(f"from anyhook.cli.main import main; main(['--help']); {LOADED}")
    ours = {module for module in loaded if module.partition(".")[0] == "anyhook"}
    assert ours == {"anyhook", "anyhook.cli", "anyhook.cli.main"}
    assert not loaded & {"asyncio", "msgspec", "platformdirs", "re2", "rich", "ruamel", "subprocess", "tomlkit"}
