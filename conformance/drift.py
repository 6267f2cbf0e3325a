"""What other releases of the clients do differently from the recorded ones: plays the vectors in the real clients.

    python conformance/drift.py                        the newest release of every recorded client
    python conformance/drift.py codex                  of one
    python conformance/drift.py codex@0.147.0 --save   an older release, kept in conformance/history/

A vector that disagrees is played again in the recorded release. If it disagrees there too, this machine cannot play it.
The exit status is 1 when a release changed something, and 2 when one could not be played at all.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import local
from typing import Any

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from anyhook.dialects import profile
from anyhook.dialects.releases import release_order
from anyhook.model.problems import AnyhookError
from anyhook.prove.installation import Installed, Release, install, read_release
from anyhook.prove.namespace import NamespaceUnavailableError
from anyhook.prove.run import ClientRunner
from conformance.play_real import Playable, for_old_copilot, for_old_qwen, play, playable
from conformance.referee import load

HISTORY = Path(__file__).resolve().parent / "history"
RECORDED = ("claude-code", "copilot-cli", "codex", "gemini-cli", "qwen-code")
_OLDER: Mapping[str, tuple[str, Callable[[Playable], Playable]]] = {
    "copilot-cli": ("1.0.102", for_old_copilot),
    "qwen-code": ("0.15.6", for_old_qwen),
}
"""By client: releases before this one are started in another way."""


class Drift(Struct, frozen=True, kw_only=True):
    """What one release showed."""

    release: Release
    date: str
    played: tuple[str, ...]
    """The vectors that this machine can play."""
    changed: Mapping[str, Sequence[str]]
    """Vectors that the recorded release confirms and this one does not, and how."""
    disagreeing: Mapping[str, Sequence[str]] = {}
    """Vectors that disagree in both releases here."""


def measure(release: Release, jobs: int = 2, every: int = 1, also: Sequence[str] = ()) -> Drift:
    """Play the vectors of a client in a release, and those that disagree in the recorded one."""
    all_playable = [found for vector in load([release.client]) if (found := playable(vector))]
    vectors = [v for at, v in enumerate(all_playable) if at % every == 0 or v.vector["id"] in also]
    wrong = _play_all(install(release), vectors, jobs)
    again = [found for found in vectors if wrong.get(found.vector["id"])]
    recorded = Release(release.client, profile(release.client).release)
    confirmed = _play_all(install(recorded), again, jobs) if again else {}
    unplayable = {name for name, differences in confirmed.items() if differences}
    return Drift(
        release=release,
        date=datetime.now(UTC).date().isoformat(),
        played=tuple(name for name in wrong if name not in unplayable),
        changed={name: wrong[name] for name in confirmed if name not in unplayable},
        disagreeing={name: wrong[name] for name in unplayable},
    )


def _play_all(client: Installed, vectors: Sequence[Playable], jobs: int) -> dict[str, list[str]]:
    own = local()
    runners: list[ClientRunner] = []
    since, older = _OLDER.get(client.client, ("0", for_old_copilot))
    is_old = release_order(client.version) < release_order(since)

    def play_one(chosen: Playable) -> list[str] | None:
        if not hasattr(own, "runner"):
            own.runner = ClientRunner()
            runners.append(own.runner)
        return play(own.runner, client, older(chosen) if is_old else chosen)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return {
                str(chosen.vector["id"]): wrong
                for chosen, wrong in zip(vectors, pool.map(play_one, vectors), strict=True)
                if wrong is not None
            }
    finally:
        for runner in runners:
            runner.close()


# -------------------------------------------------------------------------------------------------------------- output


def table(found: Sequence[Drift], failed: Sequence[str] = ()) -> str:
    """What changed, as Markdown. ``failed``: for each release that could not be played, why."""
    lines = ["| client | release | recorded | vectors played | changed |", "|---|---|---|---|---|"]
    for drift in found:
        release = drift.release
        recorded = profile(release.client).release
        lines.append(
            f"| {release.client} | {release.version} | {recorded} | {len(drift.played)} | {len(drift.changed)} |"
        )
    for drift in found:
        if drift.changed:
            lines += ["", f"## {drift.release}", "", "| vector | what the client does now |", "|---|---|"]
            lines += [f"| {name} | {'; '.join(wrong)} |".replace("\n", " ") for name, wrong in drift.changed.items()]
    if failed:
        lines += ["", "Could not be played:", "", *(f"* {text}" for text in failed)]
    return "\n".join(lines) + "\n"


def summary(drift: Drift) -> str:
    counts = f"{len(drift.played)} played, {len(drift.changed)} changed"
    if not drift.disagreeing:
        return counts
    return f"{counts}; disagree here in the recorded release, too: {', '.join(sorted(drift.disagreeing))}"


def save(drift: Drift) -> None:
    """Keep what a release showed, for the profile's changes and for ``anyhook clients``."""
    HISTORY.mkdir(exist_ok=True)
    file = HISTORY / f"{drift.release.client}.json"
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known[drift.release.version] = {
        "date": drift.date,
        "played": list(drift.played),
        "changed": {name: list(wrong) for name, wrong in drift.changed.items()},
    }
    ordered = {release: known[release] for release in sorted(known, key=release_order, reverse=True)}
    file.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="*", metavar="CLIENT[@RELEASE]", help="[default: the newest of all clients]")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="play one vector in N")
    parser.add_argument("--also", action="append", default=[], metavar="ID", help="and this vector (repeatable)")
    parser.add_argument("--jobs", "-j", type=int, default=2, metavar="N", help="how many clients at once")
    parser.add_argument("--save", action="store_true", help="keep the result in conformance/history")
    parser.add_argument("--remove", action="store_true", help="remove the release from the cache afterwards")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table to this file, too")
    options = parser.parse_args(arguments)
    found, failed = list[Drift](), list[str]()
    for name in options.releases or RECORDED:
        try:
            drift = _measured(name, options)
        except (AnyhookError, NamespaceUnavailableError) as error:
            text = str(error) if str(error).startswith(name) else f"{name}: {error}"
            failed.append(text)
            print(f"drift: {text}", file=sys.stderr)
        else:
            found += [drift] if drift else []
    text = table(found, failed)
    print(text, end="")
    if options.table:
        options.table.write_text(text, encoding="utf-8")
    return 2 if failed else 1 if any(drift.changed for drift in found) else 0


def _measured(name: str, options: argparse.Namespace) -> Drift | None:
    """What a release showed; None: it is the recorded one, and was not asked for."""
    release = read_release(name if "@" in name else f"{name}@newest")
    if not options.releases and release.version == profile(release.client).release:
        print(f"{release} is the recorded release.", file=sys.stderr)
        return None
    drift = measure(release, options.jobs, options.every, options.also)
    if not drift.played:
        why = next((wrong[0] for wrong in drift.disagreeing.values()), "it has no vectors")
        raise AnyhookError(f"no vector could be played in it: {why}")
    print(f"{release}: {summary(drift)}", file=sys.stderr, flush=True)
    if options.save:
        save(drift)
    if options.remove and (folder := install(release).folder):
        shutil.rmtree(folder)
    return drift


if __name__ == "__main__":
    sys.exit(main())
