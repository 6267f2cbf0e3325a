"""``play_one.py CLIENT SITUATION FOLDER``: plays a situation in a copy of FOLDER/project, at its path, and reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec
from msgspec import structs

from anyhook.prove.installation import install, read_release
from anyhook.prove.run import ClientRunner
from anyhook.prove.situation import read_situation


def main(client: str, file: Path, folder: Path) -> None:
    situation = read_situation(json.loads(file.read_text()))
    home = folder / "home"
    own_home = home if home.is_dir() else None
    # What was approved without git holds for the folder alone.
    situation = structs.replace(situation, project=folder / "project", keeps_path=True, home=own_home)
    with ClientRunner() as runner:
        report = runner.play(install(read_release(client)), situation)
    sys.stdout.buffer.write(msgspec.json.encode(report))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
