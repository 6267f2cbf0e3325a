"""Compiles the native client into the package if there is a C compiler; otherwise the Python client is used.

Either is installed as the command ``anyhook-client``, which the entries of a project find on the PATH of every user.
The README gets absolute links, because an index shows it without the repository's other files.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

FOLDER = Path("src/anyhook/serve/client")
WARNINGS = ("-std=c99", "-O2", "-Wall", "-Wextra")


PAGES = "https://github.com/anyhook/anyhook/blob/main/"
PICTURES = "https://raw.githubusercontent.com/anyhook/anyhook/main/"
_RELATIVE = r"(?![a-z]+:|#)"
_PICTURE = re.compile(rf'(!\[[^\]]*\]\(|\b(?:src|srcset)="){_RELATIVE}')
_PAGE = re.compile(rf'((?<!\\)\]\(|\bhref="){_RELATIVE}')


class ReadmeHook(MetadataHookInterface):
    """Gives the package its description."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": make_links_absolute(text)}


def make_links_absolute(text: str) -> str:
    """A Markdown text whose links and pictures also work outside the repository."""
    return _PAGE.sub(rf"\g<1>{PAGES}", _PICTURE.sub(rf"\g<1>{PICTURES}", text))


class ClientBuildHook(BuildHookInterface[Any]):
    """Runs for wheels, also for editable ones; a source distribution has the C source."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        if not compile_client(Path(self.root)):
            build_data["shared_scripts"][str(FOLDER / "launcher.py")] = "anyhook-client"
            return
        build_data["artifacts"].append(f"/{FOLDER}/anyhook-client")
        build_data["shared_scripts"][str(FOLDER / "anyhook-client")] = "anyhook-client"
        if version != "editable":
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform()}"


def compile_client(root: Path) -> bool:
    """Whether a native client was built. ANYHOOK_NATIVE=0 builds none; with 1, a build without one fails."""
    wanted = os.environ.get("ANYHOOK_NATIVE", "")
    program = root / FOLDER / "anyhook-client"
    program.unlink(missing_ok=True)
    if wanted == "0" or os.name != "posix":
        return False
    found = re.search(r'^__version__ = "([^"]+)"$', (root / "src/anyhook/__init__.py").read_text(), re.MULTILINE)
    assert found is not None
    define = f'-DANYHOOK_VERSION="{found[1]}"'
    words = [*shlex.split(os.environ.get("CC", "cc")), *WARNINGS, *shlex.split(os.environ.get("CFLAGS", "")), define]
    words += ["-o", str(program), f"{program}.c"]
    # A static program starts 0.2 ms earlier, but not every system has the libraries for it.
    if sys.platform == "linux" and _succeeds([*words, "-static"]):
        return True
    try:
        subprocess.run(words, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        if wanted == "1":
            raise
        print(f"anyhook: no native client, the Python client will be used: {error}", file=sys.stderr)
        return False
    return True


def _succeeds(words: list[str]) -> bool:
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def _platform() -> str:
    """The platform part of the wheel's name; the wheel workflow sets it, because no repair step renames the wheel."""
    return os.environ.get("ANYHOOK_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")
