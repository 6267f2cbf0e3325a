"""Writes ``src/anyhook/dialects/measured.json``: in which releases a client was measured, and how well anyhook agrees.

    python conformance/measure.py            plays the vectors and writes the file
    python conformance/measure.py --check    says what differs, and writes nothing

The recorded release has every vector of ``vectors/``; an older one has those of ``history/`` that were played in it. A
vector agrees when anyhook, by the rules of that release, does what the release did.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from anyhook.dialects import NAMES, profile
from anyhook.dialects.measured import MEASURED, Measurement, decode, encode
from conformance.referee import HERE, Vector, fire_in_process, load, play_all

HISTORY = HERE / "history"
_DAY = re.compile(r"20\d\d-\d\d-\d\d")


def measurements(client: str) -> Iterator[Measurement]:
    """Those of one client, the newest release first."""
    vectors = load([client])
    if not vectors:
        return
    agree = sum(not wrong for wrong in _played(vectors))
    yield Measurement(release=profile(client).release, date=recorded_on(client), vectors=len(vectors), agree=agree)
    for release, showed in history(client).items():
        chosen = [vector for vector in vectors if vector["id"] in showed["played"]]
        as_then = [{**vector, "client": f"{client}@{release}"} for vector in chosen]
        same = [
            bool(wrong) == (vector["id"] in showed["changed"])
            for vector, wrong in zip(chosen, _played(as_then), strict=True)
        ]
        yield Measurement(release=release, date=showed["date"], vectors=len(chosen), agree=sum(same))


def _played(vectors: Sequence[Vector]) -> Iterator[list[str]]:
    return (wrong for _, wrong in play_all(vectors, fire_in_process, at_once=4))


def history(client: str) -> Mapping[str, Any]:
    """What older releases showed, by release, the newest first."""
    file = HISTORY / f"{client}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def recorded_on(client: str) -> str:
    """The last day on which a payload of the client was recorded; empty: it is a written specification's."""
    if profile(client).basis != "recorded":
        return ""
    notes = HERE / "recordings" / client / "semantics.md"
    texts = [*(json.dumps(vector["payload"]) for vector in load([client])), notes.read_text(encoding="utf-8")]
    return max((day for text in texts for day in _DAY.findall(text)), default="")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the file differs")
    options = parser.parse_args(arguments)
    found = {name: measured for name in NAMES if (measured := tuple(measurements(name)))}
    if not options.check:
        MEASURED.write_bytes(encode(found))
        return 0
    written = decode(MEASURED.read_bytes())
    for name in sorted(found.keys() | written.keys()):
        if found.get(name) != written.get(name):
            print(f"{name}: measured {found.get(name)}, written {written.get(name)}")
    return 0 if found == written else 1


if __name__ == "__main__":
    sys.exit(main())
