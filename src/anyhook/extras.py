"""How to install an optional part of anyhook, in the way anyhook itself was installed here."""

from __future__ import annotations

import json
import os
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

NAME = "anyhook"
_PIPX, _UV_TOOL = "pipx_metadata.json", "uv-receipt.toml"
"""Files in the environments that pipx and ``uv tool`` make for one program."""


def install_command(extra: str, prefix: Path | None = None) -> str:
    """The command that adds an extra to this environment, or to the one in the folder ``prefix``."""
    try:
        found = distribution(NAME)
    except PackageNotFoundError:  # a source tree on PYTHONPATH
        return f"{_installer('', prefix)} {_quoted(_of_source_tree(extra))}"
    words = _requirement(extra, json.loads(found.read_text("direct_url.json") or "{}"))
    return " ".join([_installer(found.read_text("INSTALLER") or "", prefix), *map(_quoted, words)])


def _requirement(extra: str, origin: Any) -> list[str]:
    """What to install, by the record of where anyhook came from (PEP 610); nothing is recorded of one from an index."""
    wanted, url = f"{NAME}[{extra}]", origin.get("url", "")
    match origin:
        case {"dir_info": {"editable": True}}:
            return ["-e", f"{url2pathname(urlsplit(url).path)}[{extra}]"]
        case {"vcs_info": {"vcs": vcs, **more}}:
            return [f"{wanted} @ {vcs}+{url}@{more.get('requested_revision') or more['commit_id']}"]
        case {"url": str()}:
            return [f"{wanted} @ {url}"]
    return [wanted]


def _installer(installer: str, prefix: Path | None) -> str:
    folder = prefix or Path(sys.prefix)
    if (folder / _PIPX).exists():
        return "pipx install --force"
    if (folder / _UV_TOOL).exists():
        return "uv tool install --force"
    return "uv pip install" if installer.strip() == "uv" else "pip install"


def _of_source_tree(extra: str) -> str:
    root = Path(__file__).parents[2]
    return f"{root}[{extra}]" if (root / "pyproject.toml").exists() else f"{NAME}[{extra}]"


def _quoted(word: str) -> str:
    return shlex.quote(word) if os.name == "posix" else f'"{word}"' if word != "-e" else word
