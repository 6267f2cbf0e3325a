"""The hook of every conformance vector: ``scripted_hook.py STAGE NAME``.

Leaves a mark in ``STAGE/marks``, then behaves as ``STAGE/hooks.json`` says for NAME. It imports little, because it is
started thousands of times.
"""

import base64
import json
import os
import sys
import time


def main(stage: str, name: str) -> int:
    with open(os.path.join(stage, "hooks.json"), encoding="utf-8") as file:
        behaviour = json.load(file).get(name, {})
    marks = os.path.join(stage, "marks")
    if isinstance(behaviour, list):  # one behaviour for each invocation
        earlier = sum(mark.endswith("~" + name) for mark in os.listdir(marks))
        behaviour = behaviour[min(earlier, len(behaviour) - 1)]
    open(os.path.join(marks, f"{time.time_ns()}-{os.getpid()}~{name}"), "w").close()
    if not behaviour.get("no_stdin"):
        sys.stdin.buffer.read()
    if behaviour.get("child") and os.fork() == 0:
        time.sleep(behaviour["child"])  # holds stdout open
        os._exit(0)
    time.sleep(behaviour.get("sleep", 0))
    try:
        sys.stderr.write(behaviour.get("stderr", ""))
        sys.stderr.flush()
        sys.stdout.buffer.write(printed(behaviour))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        pass
    return int(behaviour.get("exit", 0))


def printed(behaviour: dict[str, object]) -> bytes:
    """What the hook prints: filler first, then raw bytes, then text or JSON."""
    filler = b"x" * int(str(behaviour.get("huge", 0)))
    raw = base64.b64decode(str(behaviour.get("stdout_b64", "")))
    text = behaviour.get("stdout", "")
    return filler + raw + (text if isinstance(text, str) else json.dumps(text)).encode()


if __name__ == "__main__":
    os._exit(main(sys.argv[1], sys.argv[2]))
