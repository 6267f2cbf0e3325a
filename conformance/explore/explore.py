"""Plays random situations to a real client and to the engine, and writes down where they disagree.

python -m conformance.explore.explore codex --minutes 10 --seed 7
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from conformance.explore.judge import judged
from conformance.explore.rig import Observation, play
from conformance.explore.scenes import SCENES, Scene
from conformance.explore.situations import Situation, canonical, random_situations


class Usual(Struct, frozen=True):
    """What an event is like when its hook says nothing."""

    payload: Mapping[str, Any]
    requests: int


class Played(Struct, frozen=True):
    situation: Situation
    observation: Observation
    expect: Mapping[str, Any]
    wrong: list[str]
    payload: Mapping[str, Any]


def events_of(client: str) -> list[str]:
    """The events that can be brought about, by every native name."""
    return [name for event in SCENES[client] for name in profile(client).events[event]]


def scene_of(client: str, native_event: str) -> Scene:
    known = profile(client)
    scene = SCENES[client][canonical(known, native_event)]
    renamed = known.variant(native_event).matching.renamed_tools.get(scene.subject)
    import msgspec

    return msgspec.structs.replace(scene, subject=renamed) if renamed else scene


def usual(client: str, native_event: str) -> Usual:
    """Plays a hook that says nothing."""
    known = profile(client).variant(native_event)
    random = Random(0)
    from conformance.explore import hook_files as hf

    path = hf._places(known)[0]
    entry: dict[str, Any] = {"type": "command", "command": "@HOOK@ a"}
    file: dict[str, Any] = {"hooks": {native_event: [{"hooks": [entry]}]}}
    if known.layout.version is not None:
        file["version"] = known.layout.version
    situation = Situation(client=client, event=native_event, files={path: file}, hooks={"a": {}})
    del random
    seen = play(client, scene_of(client, native_event), [situation])[0]
    if seen is None or seen.payload is None:
        raise RuntimeError(f"{client}: {native_event} did not fire: {seen}")
    return Usual(seen.payload, seen.requests)


def payload_for(normal: Usual, situation: Situation) -> Any:
    return json.loads(json.dumps(normal.payload).replace("mark-s0", f"mark-{situation.mark}"))


def play_batch(batch: Sequence[Situation], normal: Usual) -> list[Played]:
    first = batch[0]
    scene = scene_of(first.client, first.event)
    found = []
    for situation, seen in zip(batch, play(first.client, scene, batch), strict=True):
        if seen is None:
            continue
        payload = payload_for(normal, situation)
        requests = normal.requests - 1 + len(batch) if scene.step else normal.requests
        expect, wrong = judged(situation, scene, seen, payload, requests)
        found.append(Played(situation, seen, expect, wrong, payload))
    return found


def batches(client: str, seed: int, events: Sequence[str]) -> Iterator[list[Situation]]:
    random = Random(f"{client} {seed}")
    waiting: list[str] = []
    while True:
        if not waiting:
            waiting = random.sample(events, len(events))
        event = waiting.pop()
        scene = scene_of(client, event)
        yield random_situations(random, client, event, scene.subject, scene.rewrite, scene.at_once)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("client")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--events", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    events = options.events.split(",") if options.events else events_of(options.client)
    normal: dict[str, Usual] = {}

    def learn(event: str) -> tuple[str, Usual | str]:
        try:
            return event, usual(options.client, event)
        except Exception as error:
            return event, str(error)

    with ThreadPoolExecutor(options.jobs) as pool:
        for event, known in pool.map(learn, events):
            if isinstance(known, Usual):
                normal[event] = known
            else:
                print("cannot", event, known[:300], file=sys.stderr)
    events = [event for event in events if event in normal]
    until = time.monotonic() + options.minutes * 60
    total = disagree = 0
    out = options.out.open("w") if options.out else None
    source = batches(options.client, options.seed, events)
    with ThreadPoolExecutor(options.jobs) as pool:
        while time.monotonic() < until and total < options.count:
            group = [next(source) for _ in range(options.jobs * 2)]
            for batch_played in pool.map(lambda batch: play_batch(batch, normal[batch[0].event]), group):
                for each in batch_played:
                    total += 1
                    if each.wrong:
                        disagree += 1
                        line = {
                            "event": each.situation.event,
                            "wrong": each.wrong,
                            "files": each.situation.files,
                            "hooks": each.situation.hooks,
                            "expect": each.expect,
                            "payload": each.payload,
                            "mark": each.situation.mark,
                            "result": each.observation.result,
                            "told": each.observation.told[-1500:],
                            "shown": each.observation.shown[-800:],
                        }
                        if out:
                            out.write(json.dumps(line) + "\n")
                            out.flush()
    print(f"{options.client}: {total - disagree} of {total} agree ({100 * (total - disagree) / max(total, 1):.1f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
