"""Plays random situations to a real client and to the engine, and writes down where they disagree.

    python -m conformance.explore.explore codex --minutes 10 --seed 7

Each disagreement is played again alone, made as small as possible, and written as a vector to ``build/explore``.
The exit status is 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path
from random import Random
from threading import local
from typing import Any, Self

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.prove.run import ClientRunner, RunError
from conformance.explore.hook_files import plain_file
from conformance.explore.judge import judged
from conformance.explore.rig import play
from conformance.explore.scenes import SCENES, Scene
from conformance.explore.shrink import Played, by_cause, cause_of, shrink
from conformance.explore.situations import Situation, canonical, random_situations

OUTPUT = Path(__file__).resolve().parents[2] / "build" / "explore"
SHOWN_EVERY = 50


class Usual(Struct, frozen=True):
    """What an event is like when its hook says nothing."""

    payload: Mapping[str, Any]
    requests: int


class Explorer:
    """One client, with what its events are like when no hook says anything. Each thread keeps one namespace."""

    def __init__(self, client: str, events: Sequence[str], jobs: int) -> None:
        self.client, self.jobs = client, jobs
        self._pool = ThreadPoolExecutor(jobs)
        self._own, self._runners = local(), list[ClientRunner]()
        found = zip(events, self._pool.map(self._usual, events), strict=True)
        self.usual = {event: usual for event, usual in found if usual is not None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        for runner in self._runners:
            runner.close()

    def _runner(self) -> ClientRunner:
        if not hasattr(self._own, "runner"):
            self._own.runner = ClientRunner()
            self._runners.append(self._own.runner)
        found: ClientRunner = self._own.runner
        return found

    def _usual(self, event: str) -> Usual | None:
        """Plays a hook that says nothing; None: the event cannot be brought about here."""
        files = plain_file(profile(self.client).variant(event), event)
        quiet = Situation(client=self.client, event=event, files=files, hooks={"a": {}})
        seen = play(self._runner(), self.client, scene_of(self.client, event), [quiet])[0]
        return None if seen is None or seen.payload is None else Usual(seen.payload, seen.requests)

    def play(self, batch: Sequence[Situation]) -> list[Played]:
        """Situations with the same files, in one start of the client; without those that it did not come to."""
        usual, scene = self.usual[batch[0].event], scene_of(self.client, batch[0].event)
        requests = usual.requests - 1 + len(batch) if scene.step else usual.requests
        found = []
        try:
            observed = play(self._runner(), self.client, scene, batch)
        except RunError:  # a user's file that the client's own settings cannot be added to
            return []
        for situation, seen in zip(batch, observed, strict=True):
            if seen is not None:
                payload = json.loads(json.dumps(usual.payload).replace("mark-s0", f"mark-{situation.mark}"))
                expect, wrong = judged(situation, scene, seen, payload, requests)
                found.append(Played(situation, payload, expect, wrong))
        return found

    def confirmed(self, found: Sequence[Played]) -> dict[str, list[Played]]:
        """By cause, the disagreements that happen again alone. The first of each cause is made small."""
        alone = [each for played in self._pool.map(self.play, [[each.situation] for each in found]) for each in played]
        causes = by_cause([each for each in alone if each.wrong])
        smallest = self._pool.map(self._shrunk, [group[0] for group in causes.values()])
        return {cause: [small, *group[1:]] for (cause, group), small in zip(causes.items(), smallest, strict=True)}

    def _shrunk(self, played: Played) -> Played:
        small = shrink(played.situation, cause_of(played.situation.event, played.wrong), self._disagrees)
        again = self.play([small])
        return again[0] if again and again[0].wrong else played

    def _disagrees(self, situation: Situation) -> Sequence[str]:
        return [text for played in self.play([situation]) for text in played.wrong]

    def explore(self, source: Iterator[Sequence[Situation]], minutes: float, count: int) -> Iterator[Played]:
        """Play situations, until the time is over or this many were played."""
        until, played = time.monotonic() + minutes * 60, 0
        under_way = {self._pool.submit(self.play, batch) for batch in islice(source, self.jobs * 2)}
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)  # one that hangs does not hold up the others
            found = [each for batch in done for each in batch.result()]
            played += len(found)
            if time.monotonic() < until and played < count:
                under_way |= {self._pool.submit(self.play, batch) for batch in islice(source, len(done))}
            yield from found

    def random_batches(self, seed: int) -> Iterator[list[Situation]]:
        """Random situations of each event in turn, in a random order."""
        random = Random(f"{self.client} {seed}")
        while self.usual:
            for event in random.sample(sorted(self.usual), len(self.usual)):
                scene = scene_of(self.client, event)
                yield random_situations(random, self.client, event, scene.subject, scene.rewrite, scene.at_once)


def events_of(client: str) -> list[str]:
    """The events that can be brought about, by every native name."""
    return [name for event in SCENES[client] for name in profile(client).events[event]]


def scene_of(client: str, native_event: str) -> Scene:
    known = profile(client)
    scene = SCENES[client][canonical(known, native_event)]
    renamed = known.variant(native_event).matching.renamed_tools.get(scene.subject)
    return structs.replace(scene, subject=renamed) if renamed else scene


def write(file: Path, found: Sequence[Played], seed: int) -> None:
    """The disagreements as vectors."""
    vectors = [
        each.situation.vector(f"explored-{seed}-{number}", each.payload, each.expect, "; ".join(each.wrong))
        for number, each in enumerate(found, 1)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(vector) + "\n" for vector in vectors), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("client", choices=sorted(SCENES))
    parser.add_argument("--minutes", type=float, default=10, help="how long to play  [default: 10]")
    parser.add_argument("--count", type=int, default=sys.maxsize, help="how many situations to play at most")
    parser.add_argument("--seed", type=int, default=0, help="another seed makes other situations  [default: 0]")
    parser.add_argument("--events", default="", metavar="NAME,...", help="only these events, by the client's names")
    parser.add_argument("--jobs", type=int, default=2, help="how many clients at once  [default: 2]")
    parser.add_argument("--as-played", action="store_true", help="neither play disagreements again nor shrink them")
    options = parser.parse_args(arguments)
    events = options.events.split(",") if options.events else events_of(options.client)
    with Explorer(options.client, events, options.jobs) as explorer:
        for event in sorted(set(events) - set(explorer.usual)):
            print(f"{event} did not fire and is left out", file=sys.stderr)
        return run(explorer, explorer.random_batches(options.seed), options)


def run(explorer: Explorer, batches: Iterator[Sequence[Situation]], options: argparse.Namespace) -> int:
    """Explore, and print what was found; the exit status."""
    file = OUTPUT / f"{options.client}-{options.seed}.jsonl"
    played, wrong, began = 0, [], time.monotonic()
    for each in explorer.explore(batches, options.minutes, options.count):
        played += 1
        if played % SHOWN_EVERY == 0:
            print(f"{played} played", file=sys.stderr, flush=True)
        if each.wrong:
            wrong.append(each)
            print(f"{played}: {cause_of(each.situation.event, each.wrong)}", file=sys.stderr, flush=True)
            write(file, wrong, options.seed)
    minutes = (time.monotonic() - began) / 60
    causes = by_cause(wrong) if options.as_played else explorer.confirmed(wrong)
    for cause, group in causes.items():
        print(f"{len(group):>4}  {cause}")
    wrong = [each for group in causes.values() for each in group]
    if causes:
        write(file, wrong, options.seed)
        print(f"written to {file}")
    share = 100 * (played - len(wrong)) / max(played, 1)
    agree = f"{played - len(wrong)} of {played} agree ({share:.1f} %)"
    print(f"{options.client}, seed {options.seed}: {agree}, {played / minutes:.0f} a minute")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
