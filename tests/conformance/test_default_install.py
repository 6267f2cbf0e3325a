"""Without extras anyhook gives the same answers: what decides them is a core dependency."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from conformance.referee import load
from tests.checkout import ROOT, SOURCE

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PLAY = """\
import runpy, sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
sys.argv[1:] = ["--quiet", *sys.argv[2:]]
runpy.run_path(REFEREE, run_name="__main__")
"""


def names_of(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=!~; ]", requirement)[0].lower() for requirement in requirements}


def only_in_extras() -> set[str]:
    """The modules of distributions that only an extra installs."""
    extras = [line for lines in PROJECT["optional-dependencies"].values() for line in lines]
    wanted = names_of(extras) - names_of(PROJECT["dependencies"])
    return {
        module
        for module, names in packages_distributions().items()
        if module.isidentifier() and {name.lower() for name in names} <= wanted
    }


def has_condition(value: Any) -> bool:
    if isinstance(value, dict):
        return "if" in value or any(map(has_condition, value.values()))
    return isinstance(value, list) and any(map(has_condition, value))


def test_conditions_are_decided_without_extras(tmp_path: Path) -> None:
    vectors = [str(vector["id"]) for vector in load() if has_condition(vector)]
    assert len(vectors) > 1
    blocked = only_in_extras()
    assert {"httpx", "pydantic_ai"} <= blocked
    code = PLAY.replace("REFEREE", repr(str(ROOT / "conformance/referee.py")))
    played = subprocess.run(
        [sys.executable, "-P", "-c", code, ",".join(sorted(blocked)), *vectors],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(SOURCE), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert f"agree {len(vectors)} of {len(vectors)}" in played.stdout, played.stdout + played.stderr
