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
from conformance.explore.scenes import SCENES, Scene, writing
from conformance.explore.shrink import Played, by_cause, cause_of, shrink
from conformance.explore.situations import Situation, canonical, random_situations
from conformance.explore.surroundings import DIMENSIONS, Dimension, dimensions_of

OUTPUT = Path(__file__).resolve().parents[2] / "build" / "explore"
SHOWN_EVERY = 50
COMMON = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop")
"""What is around hooks does not depend on the event: these are brought about fast."""
WITH_TOOLS = ("PreToolUse", "PostToolUse")
PER_PLAIN = 3
"""How many starts with something around the hooks there are for each without."""
AT_ONCE: Mapping[Dimension, int] = {"aliases": 2, "interpreters": 2, "scopes": 2}
"""How many situations such a start plays; one, where it is the files that matter."""


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
        scenes = [(event, tool) for event in events for tool in tools_of(client, event)]
        found = zip(scenes, self._pool.map(lambda scene: self._usual(*scene), scenes), strict=True)
        self.usual = {scene: usual for scene, usual in found if usual is not None}

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

    @property
    def events(self) -> list[str]:
        """Those that can be brought about here."""
        return sorted({event for event, _ in self.usual})

    def _usual(self, event: str, tool: str) -> Usual | None:
        """Plays a hook that says nothing; None: the event cannot be brought about here."""
        files = plain_file(profile(self.client).variant(event), event)
        quiet = Situation(client=self.client, event=event, files=files, hooks={"a": {}})
        seen = play(self._runner(), self.client, scene_of(self.client, event, tool), [quiet])[0]
        return None if seen is None or seen.payload is None else Usual(seen.payload, seen.requests)

    def play(self, batch: Sequence[Situation]) -> list[Played]:
        """Situations with the same files, in one start of the client; without those that it did not come to."""
        event, tool = batch[0].event, batch[0].tool
        usual, scene = self.usual[event, tool], scene_of(self.client, event, tool)
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
        small = shrink(played.situation, cause_of(played.situation, played.wrong), self._disagrees)
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

    def random_batches(self, seed: int, dimensions: Sequence[Dimension]) -> Iterator[list[Situation]]:
        """Random situations of each event in turn, in a random order, and between them those with other dimensions."""
        random = Random(f"{self.client} {seed}")
        around = [each for each in dimensions if each != "plain"]
        while self.usual:
            for event in random.sample(self.events, len(self.events)):
                if "plain" in dimensions:
                    scene = scene_of(self.client, event)
                    yield random_situations(random, self.client, event, scene, "plain", scene.at_once)
                for dimension in random.sample(around, min(PER_PLAIN, len(around))):
                    yield self._around(random, dimension)

    def _around(self, random: Random, dimension: Dimension) -> list[Situation]:
        wanted = WITH_TOOLS if dimension == "aliases" else COMMON
        scenes = [scene for scene in sorted(self.usual) if canonical(profile(self.client), scene[0]) in wanted]
        event, tool = random.choice(scenes or sorted(self.usual))
        scene = scene_of(self.client, event, tool)
        count = min(AT_ONCE.get(dimension, 1), scene.at_once)
        return random_situations(random, self.client, event, scene, dimension, count, tool)


def events_of(client: str) -> list[str]:
    """The events that can be brought about, by every native name."""
    return [name for event in SCENES[client] for name in profile(client).events[event]]


def tools_of(client: str, native_event: str) -> tuple[str, ...]:
    """The kinds of tools with which the event is brought about; empty text: the one of its scene."""
    return ("", "write") if canonical(profile(client), native_event) in WITH_TOOLS else ("",)


def scene_of(client: str, native_event: str, tool: str = "") -> Scene:
    known = profile(client)
    scene = SCENES[client][canonical(known, native_event)]
    if tool == "write":
        scene = structs.replace(scene, subject=known.tools.kinds["write"].names[0], step=writing, rewrite=())
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
    parser.add_argument(
        "--dimensions", default=",".join(DIMENSIONS), metavar="NAME,...", help="what is varied  [default: %(default)s]"
    )
    options = parser.parse_args(arguments)
    dimensions = [each for each in dimensions_of(options.client) if each in options.dimensions.split(",")]
    if not dimensions or not set(options.dimensions.split(",")) <= set(DIMENSIONS):
        parser.error(f"--dimensions: {options.client} has {', '.join(dimensions_of(options.client))}")
    events = options.events.split(",") if options.events else events_of(options.client)
    with Explorer(options.client, events, options.jobs) as explorer:
        for event in sorted(set(events) - set(explorer.events)):
            print(f"{event} did not fire and is left out", file=sys.stderr)
        return run(explorer, explorer.random_batches(options.seed, dimensions), options)


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
            print(f"{played}: {cause_of(each.situation, each.wrong)}", file=sys.stderr, flush=True)
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
