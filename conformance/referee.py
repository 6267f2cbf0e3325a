"""Plays the conformance vectors to anyhook and compares with what the real clients did: see README.md.

    python conformance/referee.py                          every vector, in this process
    python conformance/referee.py codex gemini-cli         those of some clients
    python conformance/referee.py codex/pre-deny-reason    one vector
    python conformance/referee.py --show codex/pre-deny-reason
    python conformance/referee.py --command anyhook        through the command instead of in this process

The exit status is 0 when every vector agrees. The last line is ``agree N of M``.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
VECTORS = HERE / "vectors"
SCRIPTED_HOOK = HERE / "scripted_hook.py"
MAX_SECONDS = 120
"""How long one call may take before it counts as no answer."""
BACKGROUND_SECONDS = 2.0
"""How long hooks in the background may still run, as ``anyhook fire`` waits for them."""
MARK_SECONDS = 5.0
"""How long to wait for the mark of a hook in the background."""

Vector = Mapping[str, Any]


class VectorError(Exception):
    """A file of vectors cannot be read."""


class Stage(NamedTuple):
    """The folders that a vector is played in."""

    project: Path
    home: Path
    stage: Path

    @property
    def marks(self) -> Path:
        """Every scripted hook that runs leaves a file here."""
        return self.stage / "marks"

    @property
    def words(self) -> Mapping[str, str]:
        """What the placeholders of a vector stand for."""
        hook = shlex.join([sys.executable, "-S", "-E", str(SCRIPTED_HOOK), str(self.stage)])
        return {"@HOOK@": hook, "@PROJECT@": str(self.project), "@HOME@": str(self.home)}


Fire = Callable[[Vector, Stage], Mapping[str, Any]]
"""Fires the event of a vector, with placeholders filled in, and returns the outcome as ``anyhook fire --json`` prints
it; raises NoAnswerError."""


class NoAnswerError(Exception):
    """The event has no outcome; the text says why."""


# ------------------------------------------------------------------------------------------------------------ loading


def load(names: Sequence[str] = (), folder: Path = VECTORS) -> list[Vector]:
    """The vectors of these clients or with these ids; without names, all."""
    vectors = [vector for file in sorted(folder.glob("*.jsonl")) for vector in _read(file)]
    return [v for v in vectors if v["client"] in names or v["id"] in names] if names else vectors


def _read(file: Path) -> Iterator[Vector]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise VectorError(f"{file}:{number}: {error}") from error


# ------------------------------------------------------------------------------------------------------------ playing


def play(vector: Vector, fire: Fire) -> list[str]:
    """The differences between what the client did and what anyhook does; none when they agree."""
    with stage_for(vector) as (stage, filled):
        earlier: set[str] = set()
        for _ in range(filled.get("fires", 1)):
            earlier = {mark.name for mark in stage.marks.iterdir()}
            started = time.monotonic()
            try:
                outcome = fire(filled, stage)
            except NoAnswerError as error:
                return [str(error)]
            took = time.monotonic() - started
        # What its process took to start says nothing about the hooks, and on a busy machine that is the longer part.
        running = sum(run["duration_ms"] for run in outcome.get("runs", ())) / 1000
        return differences(filled["expect"], outcome, _hooks_that_ran(filled, stage, earlier), min(took, running))


@contextmanager
def stage_for(vector: Vector) -> Iterator[tuple[Stage, Vector]]:
    """Folders with the files of a vector in them, and the vector with its placeholders filled in."""
    top = Path(tempfile.mkdtemp(prefix="vector-"))
    try:
        stage = Stage(top / "project", top / "home", top / "stage")
        yield stage, write_files(vector, stage)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def write_files(vector: Vector, stage: Stage, other_words: Mapping[str, str] | None = None) -> Vector:
    """Write the files of a vector; returns it with its placeholders filled in, some of them by ``other_words``."""
    for folder in (stage.project, stage.home, stage.marks):
        folder.mkdir(parents=True, exist_ok=True)
    filled: Vector = _fill(vector, {**stage.words, **(other_words or {})})
    _write(stage.stage / "hooks.json", filled["hooks"])
    for name, content in filled["files"].items():
        _write(stage.home / name[2:] if name.startswith("~/") else stage.project / name, content)
    return filled


def _fill(value: Any, words: Mapping[str, str]) -> Any:
    match value:
        case str():
            for word, text in words.items():
                value = value.replace(word, text)
            return value
        case list():
            return [_fill(item, words) for item in value]
        case dict():
            return {_fill(key, words): _fill(item, words) for key, item in value.items()}
        case _:
            return value


def _write(file: Path, content: Any) -> None:
    mode = None
    if isinstance(content, dict) and "text" in content and set(content) <= {"text", "mode"}:
        mode, content = content.get("mode"), content["text"]
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict) and set(content) == {"link"}:
        file.unlink(missing_ok=True)
        file.symlink_to(content["link"])
        return
    file.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    if mode:
        file.chmod(int(mode, 8))


def _hooks_that_ran(vector: Vector, stage: Stage, earlier: set[str]) -> list[str]:
    """The names of the hooks that left a mark, in the order in which they started."""
    expected = sorted(vector["expect"].get("ran", ()))
    has_background = "async" in json.dumps([vector["files"], vector["hooks"]])
    until = time.monotonic() + (MARK_SECONDS if has_background else 0)
    while True:
        marks = sorted({mark.name for mark in stage.marks.iterdir()} - earlier)
        ran = [mark.partition("~")[2] for mark in marks]
        if sorted(ran) == expected or time.monotonic() >= until:
            return ran
        time.sleep(0.01)


def fire_in_process(vector: Vector, stage: Stage) -> Mapping[str, Any]:
    """What ``anyhook fire`` does, without its process."""
    from anyhook.dialects import profile
    from anyhook.dialects.wire.payloads import decode_payload
    from anyhook.engine.engine import Engine
    from anyhook.project.inventory import hooks_for_project
    from anyhook.sources.discover import roots_for

    environment = _environment(vector, stage)
    client, data = vector["client"], json.dumps(vector["payload"]).encode()
    payload, _ = decode_payload(profile(client), data, vector["event"])
    hooks = hooks_for_project(client, roots_for(stage.project, stage.home, environment))
    engine = Engine(hooks, project=stage.project, home=stage.home, environment=environment)
    return engine.fire_sync(payload, wait=BACKGROUND_SECONDS).to_json()


def fire_by_command(command: Sequence[str]) -> Fire:
    """Fires through ``anyhook fire``, started by these words."""

    def fire(vector: Vector, stage: Stage) -> Mapping[str, Any]:
        words = [*command, "fire", "--client", vector["client"], "--event", vector["event"], "--json", "--raw"]
        words += [str(stage.project), "--home", str(stage.home)]
        try:
            done = subprocess.run(
                words,
                input=json.dumps(vector["payload"]),
                capture_output=True,
                text=True,
                timeout=MAX_SECONDS,
                env=_environment(vector, stage),
                cwd=stage.project,
            )
        except subprocess.TimeoutExpired as error:
            raise NoAnswerError(f"no answer in {MAX_SECONDS} s") from error
        if done.returncode != 0:
            raise NoAnswerError(f"exit status {done.returncode}: {done.stderr.strip()[-300:]}")
        try:
            outcome: Mapping[str, Any] = json.loads(done.stdout)
        except ValueError as error:
            raise NoAnswerError(f"not JSON: {done.stdout[:200]!r}") from error
        return outcome

    return fire


def _environment(vector: Vector, stage: Stage) -> dict[str, str]:
    return {**os.environ, "HOME": str(stage.home), **vector.get("env", {})}


# ---------------------------------------------------------------------------------------------------------- comparing


def differences(expected: Mapping[str, Any], outcome: Mapping[str, Any], ran: list[str], took: float) -> list[str]:
    """What differs, in words. Only the keys that the expectation has are compared."""
    return [
        *_run_differences(expected, ran),
        *_value_differences(expected, outcome),
        *_text_differences(expected, outcome, "to_model"),
        *_text_differences(expected, outcome, "to_user"),
        *_time_differences(expected, took),
    ]


def _run_differences(expected: Mapping[str, Any], ran: list[str]) -> Iterator[str]:
    if sorted(ran) != sorted(expected.get("ran", ran)):
        yield f"ran {sorted(ran)}, the client ran {sorted(expected['ran'])}"
    if ran != expected.get("order", ran):
        yield f"ran in the order {ran}, the client: {expected['order']}"


def _value_differences(expected: Mapping[str, Any], outcome: Mapping[str, Any]) -> Iterator[str]:
    for key in ("effect", "tool_runs", "updated_input", "updated_output"):
        if key in expected and outcome.get(key) != expected[key]:
            yield f"{key} {json.dumps(outcome.get(key))[:160]}, the client: {json.dumps(expected[key])[:160]}"


def _text_differences(expected: Mapping[str, Any], outcome: Mapping[str, Any], key: str) -> Iterator[str]:
    said = "\n".join(outcome.get(key) or ())
    position = 0
    for text in expected.get(key, ()):
        found = said.find(text, position)
        if found < 0:
            yield f"{key} lacks {text[:120]!r}" + (" (in this order)" if text in said else "")
        else:
            position = found + len(text)
    for text in expected.get(f"not_{key}", ()):
        if text in said:
            yield f"{key} has {text[:120]!r}, which the client did not show"


def _time_differences(expected: Mapping[str, Any], took: float) -> Iterator[str]:
    """``max_seconds`` tells a hook that is cut off from one that is waited for, not fast from slow."""
    if took > expected.get("max_seconds", MAX_SECONDS):
        yield f"took {took:.1f} s, at most {expected['max_seconds']} s"


# ------------------------------------------------------------------------------------------------------- command line


def play_all(vectors: Sequence[Vector], fire: Fire, at_once: int) -> Iterator[tuple[Vector, list[str]]]:
    """Every vector with its differences, in their order."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from zip(vectors, pool.map(lambda vector: play(vector, fire), vectors), strict=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="CLIENT|ID", help="what to play  [default: everything]")
    parser.add_argument("--command", metavar="WORDS", help="play through this command, such as 'anyhook'")
    parser.add_argument("--vectors", type=Path, default=VECTORS, metavar="FOLDER", help="another folder of vectors")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count() or 2, metavar="N", help="how many at once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the differences of every vector to this file")
    parser.add_argument("--quiet", "-q", action="store_true", help="show only vectors that disagree")
    parser.add_argument("--show", action="store_true", help="print the vectors instead of playing them")
    options = parser.parse_args(arguments)
    try:
        vectors = load(options.names, options.vectors)
    except (OSError, VectorError) as error:
        parser.error(str(error))
    if not vectors:
        parser.error("there is no such vector")
    if options.show:
        print(json.dumps(vectors, indent=1))
        return 0
    fire = fire_by_command(shlex.split(options.command)) if options.command else fire_in_process
    found: dict[str, list[str]] = {}
    for vector, wrong in play_all(vectors, fire, options.jobs):
        found[vector["id"]] = wrong
        if wrong or not options.quiet:
            print(f"{'disagrees' if wrong else 'agrees':<9} {vector['id']}", *wrong, sep="\n    ", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    agree = sum(not wrong for wrong in found.values())
    print(f"agree {agree} of {len(found)}")
    return 0 if agree == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
