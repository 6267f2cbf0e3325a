"""``python tools/try_frameworks.py FOLDER [NAME ...]``: plays the tests of the adapters with real frameworks.

Each framework gets two environments in FOLDER, with the oldest and with the newest release that its extra allows. What
cannot be installed here is skipped.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("claude-agent-sdk", "google-adk", "langchain", "openai-agents", "pydantic-ai", "strands")
TESTS = ("hypothesis", "pytest")


def main(folder: Path, names: tuple[str, ...]) -> int:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    failed = []
    for name in names:
        [requirement] = extras[name]
        for release, wanted in (("oldest", oldest(requirement)), ("newest", requirement)):
            python = environment(folder / f"{name}-{release}", f"{ROOT}[{name}]", wanted)
            if python is None:
                say(f"{name} {release}: skipped, because it cannot be installed here")
            elif subprocess.run([python, "-m", "pytest", "-q", tests_of(name)], cwd=ROOT, check=False).returncode:
                failed.append(f"{name} {release}")
            else:
                say(f"{name} {release}: {installed(python, requirement)}")
    if failed:
        say(f"failed: {', '.join(failed)}")
    return len(failed)


def oldest(requirement: str) -> str:
    """The requirement of the oldest release that another one allows."""
    return re.sub(r">=([^,]+).*", r"==\1", requirement)


def tests_of(name: str) -> str:
    return f"tests/frameworks/test_{name.replace('-', '_')}.py"


def environment(folder: Path, package: str, requirement: str) -> Path | None:
    """The interpreter of an environment with the package and this release; None: it cannot be installed."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    ran = subprocess.run([*install, "--editable", package, requirement, *TESTS], check=False, capture_output=True)
    return None if ran.returncode else python


def installed(python: Path, requirement: str) -> str:
    distribution = re.split(r"[<>=]", requirement)[0]
    code = f"import importlib.metadata as m; print({distribution!r}, m.version({distribution!r}))"
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), tuple(sys.argv[2:]) or NAMES))
