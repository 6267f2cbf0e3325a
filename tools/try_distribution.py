"""``python tools/try_distribution.py FOLDER``: builds what is published, and tries it as users would.

The source distribution and a wheel built from it must pass ``twine check --strict``, their description may have no link
that works only in the repository, and pip, pipx, uvx, pre-commit and the GitHub Action must install a working command,
with every supported Python that is here. Leaves an environment with the wheel and no extras in FOLDER/venv.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("build", "pipx", "pre-commit", "twine", "uv")
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
RELATIVE_LINK = re.compile(r'(?:\]\(|\b(?:src|srcset|href)=")(?![a-z]+:|#)([^)"]*)')
READ_STEPS = """
import sys
from ruamel.yaml import YAML
print("\\0".join(step["run"] for step in YAML(typ="safe").load(sys.stdin)["runs"]["steps"]
    if "run" in step and step["name"] != "Comment"), end="")
"""


def main(folder: Path) -> None:
    (folder / "home").mkdir(parents=True)
    tools = make_environment(folder / "tools", TOOLS)
    say("build")
    run([tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT], folder)
    files = sorted((folder / "dist").iterdir())
    wheel = next(file for file in files if file.suffix == ".whl")
    say("twine check --strict")
    run([tools / "twine", "check", "--strict", *files], folder)
    check_links(wheel)
    version = wheel.name.split("-")[1]

    say("pip")
    use([make_environment(folder / "venv", [wheel]) / "anyhook"], version, folder / "by-pip")
    say("pipx")
    run([tools / "pipx", "install", wheel], folder, PIPX_HOME=folder / "pipx", PIPX_BIN_DIR=folder / "bin")
    use([folder / "bin" / "anyhook"], version, folder / "by-pipx")
    for name, python in pythons():
        say(f"uvx, Python {name}")
        command: list[str | Path] = [tools / "uvx", "--quiet", "--python", python, "--from", wheel, "anyhook"]
        use(command, version, folder / f"by-uvx-{name}")
    say("pre-commit")
    try_pre_commit(tools, folder)
    say("GitHub Action")
    try_action(folder)


def say(what: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {what}\n")
    sys.stdout.flush()


def run(words: Sequence[str | Path], folder: Path, cwd: Path | None = None, **variables: str | Path) -> str:
    """What a command prints, in a home folder of its own; shows everything and ends if it fails."""
    home = next(path / "home" for path in (folder, *folder.parents) if (path / "home").is_dir())
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": "", **{k: str(v) for k, v in variables.items()}}
    done = subprocess.run(
        list(map(str, words)), cwd=cwd or folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_environment(folder: Path, packages: Sequence[str | Path]) -> Path:
    """A new environment with these packages; returns the folder of its programs."""
    run([sys.executable, "-m", "venv", folder], folder.parent)
    programs = folder / PROGRAMS
    run(
        [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
        folder.parent,
    )
    return programs


def check_links(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        found = RELATIVE_LINK.findall(archive.read(name).decode())
    if found:
        sys.exit(f"{wheel.name}: its description has links that work only in the repository: {', '.join(found)}")


def pythons() -> Iterator[tuple[str, str]]:
    """The supported versions of Python and their programs, as far as they are on PATH, also by pyenv."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for version in re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"])):
        if not shutil.which(f"python{version}"):
            say(f"not tried: Python {version} is not on PATH")
            continue
        asked = subprocess.run(
            [f"python{version}", "-c", "import sys; print(sys.executable)"],
            env={**os.environ, "PYENV_VERSION": version},
            capture_output=True,
            text=True,
            check=False,
        )
        if asked.returncode == 0:
            yield version, asked.stdout.strip()


def use(command: Sequence[str | Path], version: str, folder: Path) -> None:
    """What a new user does first."""
    folder.mkdir()
    said = run([*command, "--version"], folder)
    if said.split() != ["anyhook", version]:
        sys.exit(f"{command[0]} --version: {said}")
    run([*command, "init", "first"], folder)
    run([*command, "test", "first"], folder)


def try_pre_commit(tools: Path, folder: Path) -> None:
    """Both hooks, in a package that is a repository of its own."""
    if not (ROOT / ".git").exists():
        say("not tried: this is not a clone")
        return
    package = folder / "by-pre-commit"
    shutil.copytree(ROOT / "examples" / "hooks-package", package)
    run(["git", "init", "--quiet"], package)
    run(["git", "add", "--all"], package)
    done = run([tools / "pre-commit", "try-repo", ROOT, "--all-files"], package)
    if done.count("Passed") != 2:
        sys.exit(done)


def try_action(folder: Path) -> None:
    """The steps of action.yml but the comment on a pull request, one after the other as GitHub runs them."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    python = folder / "venv" / PROGRAMS / "python"
    steps = subprocess.run([python, "-c", READ_STEPS], input=text, capture_output=True, text=True, check=True).stdout
    place, added = folder / "by-action", folder / "path.txt"
    shutil.copytree(ROOT / "examples" / "hooks-package", place)
    added.touch()
    for step in steps.split("\0"):
        run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step],
            place,
            PATH=os.pathsep.join([*added.read_text(encoding="utf-8").split(), os.environ["PATH"]]),
            RUNNER_TEMP=folder / "runner",
            GITHUB_PATH=added,
            GITHUB_ACTION_PATH=ROOT,
            GITHUB_WORKSPACE=place,
            GITHUB_STEP_SUMMARY=folder / "summary.md",
            STRICT="false",
        )
    if "| case |" not in (folder / "summary.md").read_text(encoding="utf-8").lower():
        sys.exit("the action has written no table of clients")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
