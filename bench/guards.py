"""What the shell guard adds to a call, in this process: microseconds, and as a ratio to splitting the same line.

Run by ``make bench``. The lines differ in every round, so that nothing remembered is measured; the compared calls
alternate. Exits with 1 if a ratio exceeds its budget. 300 µs are for a quiet machine.
"""

from __future__ import annotations

import shlex
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

from anyhook.guards.call import GuardCall
from anyhook.guards.shell_commands import judge
from anyhook.model.payload import PreToolUse
from anyhook.shell import read_script

ROUNDS = 400
RATIOS = {"harmless": 2.5, "refused": 3.0, "seven commands": 5.0, "nine commands": 5.5}
"""Of the guard's time to that of ``shlex.split``, which takes some 70 µs for such a line."""
MICROSECONDS = 300.0
MEGABYTE_SECONDS = 1.0
LONGEST = 64_000
READING_RATIO = 10.0
"""Of the time to read the worst of ``ADVERSARIAL`` to that of splitting as many characters of plain words with shlex,
which takes some 15 ms; 50 ms are for a quiet machine."""
ADVERSARIAL = (
    "a|", "a;", "a=(", "(", ")", "$(", "`", "{a,b}", "for i in a b; do ", "<<E\n", "((a)) ", "'a' ", "sudo ", "x=$x$x;",
    "f(){ f;f;};f;", "python3 -c 'os.system(\"ls\")';", "while ", "[", "\\\n", "echo $(a)|sh;", "\"$a\"", "if a;then ",
)  # fmt: skip
LINES = {
    "harmless": "cd services/api && docker compose -f compose.test.yml run --rm -e LOG_LEVEL=debug -e RUN={number:06} "
    "api python -m pytest -q tests/unit tests/integration --maxfail=1 -k 'not slow' --junitxml=build/report.xml",
    "refused": "cd services/api && docker compose -f compose.test.yml run --rm -e LOG_LEVEL=debug -e RUN={number:06} "
    "api python -m pytest -q tests/unit tests/integration --maxfail=1 -k 'not slow' && git push origin +main",
    "seven commands": "cd services/api && git status --short && python -m pytest -q tests/unit -k 'not slow' | "
    "tail -n 20 && echo \"done {number:06}\" >> build/log.txt && grep -rn 'mkfs.ext4' docs | head -n 3",
    "nine commands": "git add -A && git commit -qm 'fix {number:06}' && npm ci && npm run build | tee build.log && "
    "cp dist/a.js dist/b.js && rm -rf node_modules/.cache && sed -i 's/a/b/' src/*.py; python3 -c 'print(1)'",
}


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ask(line: str) -> bool:
    """Whether the guard refuses a line."""
    event = PreToolUse(session_id="s", cwd="/tmp", tool_name="Bash", tool_input={"command": line})
    return judge(GuardCall(event=event)) is not None


def main() -> int:
    failed = False
    for name, form in LINES.items():
        guard: list[float] = []
        split: list[float] = []
        for number in range(ROUNDS):
            line = form.format(number=number)
            assert ask(line) is (name == "refused")
            line = form.format(number=number + ROUNDS)
            guard.append(seconds(partial(ask, line)))
            split.append(seconds(partial(shlex.split, line)))
        took, other = statistics.median(guard), statistics.median(split)
        ratio = took / other
        failed |= ratio > RATIOS[name]
        print(
            f"shell guard, {name}, {len(line)} characters: {took * 1e6:.0f} µs (quiet machine: {MICROSECONDS:.0f}), "
            f"{ratio:.1f} times shlex.split (budget {RATIOS[name]:.1f})"
        )
    plain = ("word " * LONGEST)[:LONGEST]
    split_seconds = statistics.median([seconds(partial(shlex.split, plain)) for _ in range(5)])
    forms = [piece * (LONGEST // len(piece)) for piece in ADVERSARIAL]
    forms += [f"cat <<E | sh\n{piece * (LONGEST // len(piece) - 20)}\nE" for piece in ADVERSARIAL]
    nested = "".join(f"for v{n} in a b c d; do " for n in range(8)) + "rm x; " + "done; " * 8
    took, worst = max((min(seconds(partial(read_script, form)) for _ in range(3)), form) for form in (nested, *forms))
    ratio = took / split_seconds
    failed |= ratio > READING_RATIO
    print(
        f"shell reader, the worst of {len(forms) + 1} lines of up to {LONGEST:,} characters ({worst[:20]!r}...): "
        f"{took * 1e3:.1f} ms (quiet machine: 50), {ratio:.1f} times shlex.split (budget {READING_RATIO:.1f})"
    )
    megabyte = "true " + "x" * 1_000_000 + "; rm -rf ~"
    took = seconds(lambda: ask(megabyte))
    failed |= took > MEGABYTE_SECONDS or not ask(megabyte)
    print(f"shell guard, 1 MB: {took * 1e3:.1f} ms, refused")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
