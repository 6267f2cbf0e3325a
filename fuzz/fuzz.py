"""Feeds made-up inputs to everything that reads what others have written: ``make fuzz MINUTES=5``.

    python -m fuzz.fuzz [--minutes 1] [--inputs N] [--seed 0] [--only NAME]
    python -m fuzz.fuzz --only NAME --again fuzz/findings/NAME-0123456789ab

Every target (:mod:`fuzz.targets`) gets a process of its own, in which it is called with one input after another. With
atheris (``pip install -e '.[fuzz]'``) the inputs are guided by the coverage of anyhook's code; without it they are
random changes of the seeds. An exception, or an input that takes more than a second of processor time, is a finding:
the input and a report are stored in fuzz/findings/, and the run goes on.
"""

from __future__ import annotations

import argparse
import importlib.util
import mmap
import random
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

FINDINGS = Path(__file__).parent / "findings"
MAX_SECONDS_PER_INPUT = 1.0
MAX_INPUT_BYTES = 2048
_MANY = 1_000_000
_COUNTS = struct.Struct("QQ")
"""Inputs and findings of a target, in a file that its process and this one share: libFuzzer ends without a word."""


class Watched:
    """A target that notes what goes wrong and goes on."""

    def __init__(self, name: str, feed: Callable[[bytes], None], counts: mmap.mmap | None = None) -> None:
        self.name, self.feed, self.counts = name, feed, counts
        self.inputs = 0
        self.found: set[str] = set()

    def __call__(self, data: bytes) -> None:
        begin = time.process_time()
        try:
            self.feed(data)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = next((frame for frame in reversed(frames) if "anyhook" in frame.filename), frames[-1])
            self._note(f"{type(error).__name__} {own.filename}:{own.lineno}", data, traceback.format_exc(limit=-8))
        else:
            if (seconds := time.process_time() - begin) > MAX_SECONDS_PER_INPUT:
                self._note("slow", data, f"it took {seconds:.1f} s\n")
        self.inputs += 1
        if self.counts is not None:
            _COUNTS.pack_into(self.counts, 0, self.inputs, len(self.found))

    def _note(self, what: str, data: bytes, report: str) -> None:
        if what in self.found:
            return
        self.found.add(what)
        FINDINGS.mkdir(exist_ok=True)
        file = FINDINGS / f"{self.name}-{sha256(what.encode()).hexdigest()[:12]}"
        file.write_bytes(data)
        text = f"{what}\ninput {data!r}\nagain: python -m fuzz.fuzz --only {self.name} --again {file}\n\n{report}"
        file.with_suffix(".txt").write_text(text, encoding="utf-8", errors="backslashreplace")


# ------------------------------------------------------------------------------------------------- one target's process


def run_target(name: str, inputs: int, seconds: float, seed: int, counts: mmap.mmap | None = None) -> None:
    """Feed one target in this process; with atheris this does not return."""
    warnings.simplefilter("ignore")  # SyntaxWarning and FutureWarning of made-up code and patterns
    if importlib.util.find_spec("atheris") is None:
        from fuzz.targets import TARGETS, seeds_of

        watched = Watched(name, TARGETS[name], counts)
        end = time.monotonic() + seconds
        for data in mutated(seeds_of(name), random.Random(f"{name} {seed}")):
            if watched.inputs >= inputs or time.monotonic() > end:
                return
            watched(data)
    _run_with_atheris(name, inputs, seconds, seed, counts)


def _run_with_atheris(name: str, inputs: int, seconds: float, seed: int, counts: mmap.mmap | None) -> None:
    import atheris

    with atheris.instrument_imports(include=["anyhook"]):
        from fuzz.targets import TARGETS, WORDS, seeds_of

    folder = Path(tempfile.mkdtemp(prefix="anyhook-fuzz-"))
    for data in seeds_of(name):
        (folder / sha256(data).hexdigest()).write_bytes(data)
    words = folder.with_suffix(".dict")
    quoted = ("".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogatepass")) for word in WORDS)
    words.write_text("".join(f'"{word}"\n' for word in quoted))
    limits = [f"-runs={inputs}", f"-max_total_time={max(1, int(seconds))}", f"-max_len={MAX_INPUT_BYTES}"]
    options = [*limits, f"-seed={seed + 1}", f"-dict={words}", "-timeout=60", "-rss_limit_mb=2048", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(folder)], Watched(name, TARGETS[name], counts))
    atheris.Fuzz()


def mutated(seeds: Sequence[bytes], chance: random.Random) -> Iterator[bytes]:
    """The seeds, then endless changes of them."""
    from fuzz.targets import WORDS

    words = [word.encode("utf-8", "surrogatepass") for word in WORDS]
    yield from seeds
    while True:
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 8)):
            at = chance.randint(0, len(data))
            match chance.randrange(5):
                case 0:
                    data[at:at] = chance.choice(words)
                case 1:
                    del data[at : at + chance.randint(1, 20)]
                case 2:
                    data[at : at + 1] = bytes([chance.randrange(256)])
                case 3:
                    other = chance.choice(seeds)
                    data[at:] = other[chance.randint(0, len(other)) :]
                case _:
                    data[at:at] = data[at : at + chance.randint(1, 40)] * chance.randint(1, 5)
        yield bytes(data[:MAX_INPUT_BYTES])


# ------------------------------------------------------------------------------------------------------------ all of it


def main() -> int:
    """Run all targets; the exit status is 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--minutes", type=float, default=1.0, help="for all targets together")
    parser.add_argument("--inputs", type=int, help="for all targets together; --minutes is then not a limit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="one target")
    parser.add_argument("--again", type=Path, help="feed this one input to the target of --only")
    parser.add_argument("--counts", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.counts:  # before the targets are imported: atheris watches imports
        with options.counts.open("r+b") as file:
            counts = mmap.mmap(file.fileno(), _COUNTS.size)
            run_target(options.only, options.inputs or _MANY, 60 * options.minutes, options.seed, counts)
        return 0
    from fuzz.targets import TARGETS

    names = [options.only] if options.only else list(TARGETS)
    if unknown := set(names) - TARGETS.keys():
        parser.error(f"there is no target {unknown.pop()}; known are {', '.join(TARGETS)}")
    if options.again:
        TARGETS[options.only](options.again.read_bytes())
        return 0
    if options.inputs:
        limit = ["--inputs", str(options.inputs // len(names) + 1), "--minutes", str(_MANY)]
    else:
        limit = ["--minutes", str(options.minutes / len(names))]
    found = [_run(name, [*limit, "--seed", str(options.seed)]) for name in names]
    return int(any(found))


def _run(name: str, limit: Sequence[str]) -> bool:
    """Run one target in a process and print its figures; whether something was found, or the process broke."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts"
        counts.write_bytes(bytes(_COUNTS.size))
        words = [sys.executable, "-m", "fuzz.fuzz", "--only", name, "--counts", str(counts), *limit]
        begin = time.monotonic()
        done = subprocess.run(words, cwd=FINDINGS.parent.parent, capture_output=True, text=True, check=False)
        taken = time.monotonic() - begin
        number, found = _COUNTS.unpack(counts.read_bytes())
    print(f"{name:16}{number:>10,} inputs {1000 * taken / max(number, 1):8.3f} ms each, findings: {found}", flush=True)
    if done.returncode:
        print(f"the process ended with {done.returncode}\n{done.stderr[-2000:]}")
    return bool(found or done.returncode)


if __name__ == "__main__":
    raise SystemExit(main())
