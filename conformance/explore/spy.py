"""The hook that the real client runs in place of ``scripted_hook.py``: ``spy.py STAGE NAME``.

``STAGE/hooks.json`` has the behaviours of several situations, ``{"s3": {"a": {...}}}``. Which of them a call belongs to
is told by ``mark-s3`` in its payload. A payload without one belongs to the situation of the call before it, whose hook
may have rewritten the input, else to ``s0``, where only the first call of a hook behaves as told and later ones are
silent. So are those after the first ten with the same mark: a client without a limit
would be kept going for ever. Every call is recorded in ``STAGE/calls``.
"""

import json
import os
import re
import sys
import time

MAX_CALLS = 10


def main(stage: str, name: str) -> int:
    started = time.time()
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    found = re.search(r"mark-(s\d+)", text)
    calls = os.path.join(stage, "calls")
    made = sorted(os.listdir(calls))
    situation = found.group(1) if found else made[-1].split("~")[1] if made else "s0"
    is_known = found is not None or situation != "s0"
    end = f"~{situation}~{name}" if is_known else f"~{name}"
    earlier = sum(call.endswith(end) for call in made)
    call = os.path.join(calls, f"{time.time_ns()}-{os.getpid()}~{situation}~{name}")
    with open(os.path.join(stage, "hooks.json"), encoding="utf-8") as file:
        scripted = json.load(file)
    behaviour = scripted.get(situation, {}).get(name, {})
    if earlier >= (MAX_CALLS if is_known else 1):
        behaviour = {}
    with open(call, "w", encoding="utf-8") as file:
        json.dump({"name": name, "situation": situation, "started": started, "text": text}, file)
    time.sleep(behaviour.get("sleep", 0))
    out = behaviour.get("stdout", "")
    try:
        sys.stderr.write(behaviour.get("stderr", ""))
        sys.stderr.flush()
        sys.stdout.write(out if isinstance(out, str) else json.dumps(out))
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    return int(behaviour.get("exit", 0))


if __name__ == "__main__":
    os._exit(main(sys.argv[1], sys.argv[2]))
