"""The hook behind ``@RECORD@ NAME``: writes down how it was called, then behaves as the situation says.

``recorder.py FOLDER NAME``: ``FOLDER/hooks.json`` has each name's behaviour, or a list of them, one for each call, the
last one repeating. The keys are those of ``conformance/README.md``: exit, stdout, stderr, sleep, stdout_b64, huge,
no_stdin, child; with ``run``, the command of a real hook runs (``executable`` names a
script that is made so before) and is recorded too. Each call becomes
``FOLDER/NAME.N.json``; one without "seconds" was killed before it ended. The program runs alone, without anyhook, and
imports little: clients wait for it.
"""

import json
import os
import sys
import time
from typing import Any


def main(folder: str, name: str) -> int:
    record: dict[str, Any] = {
        "name": name,
        "started": time.time(),
        "cwd": os.getcwd(),
        "env": dict(os.environ),
        "stdin": None,
    }
    with open(os.path.join(folder, "hooks.json"), encoding="utf-8") as file:
        behaviour = json.load(file).get(name, {})
    number = _claim(folder, name)
    if isinstance(behaviour, list):
        behaviour = behaviour[min(number, len(behaviour) - 1)]
    path = os.path.join(folder, f"{name}.{number}.json")
    _save(path, record)
    text = b""
    if not behaviour.get("no_stdin"):
        text = sys.stdin.buffer.read()
        record["stdin"] = _read_payload(text)
        _save(path, record)
    if behaviour.get("executable") and os.path.isfile(behaviour["executable"]):
        os.chmod(behaviour["executable"], 0o755)
    if behaviour.get("run"):
        behaviour = _run(behaviour["run"], text, record)
    if behaviour.get("child") and os.fork() == 0:
        time.sleep(behaviour["child"])  # holds stdout open
        os._exit(0)
    time.sleep(behaviour.get("sleep", 0))
    try:
        sys.stderr.write(behaviour.get("stderr", ""))
        sys.stderr.flush()
        sys.stdout.buffer.write(_reply(behaviour))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        pass
    record["seconds"] = round(time.time() - record["started"], 3)
    _save(path, record)
    return int(behaviour.get("exit", 0))


def _claim(folder: str, name: str) -> int:
    """The number of this call: calls of one name may run at the same time."""
    number = 0
    while True:
        try:
            os.mkdir(os.path.join(folder, f"{name}.{number}"))
        except FileExistsError:
            number += 1
        else:
            return number


def _save(path: str, record: dict[str, Any]) -> None:
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(path + ".part", path)


def _run(words: list[str], payload: bytes, record: dict[str, Any]) -> dict[str, Any]:
    """Run a real hook's command as the client would have, and behave as it did."""
    import base64
    import subprocess

    done = subprocess.run(words, input=payload, capture_output=True, check=False)
    stderr = done.stderr.decode("utf-8", "replace")
    record.update(exit_status=done.returncode, stdout=done.stdout.decode("utf-8", "replace"), stderr=stderr)
    return {"exit": done.returncode, "stdout_b64": base64.b64encode(done.stdout).decode(), "stderr": stderr}


def _read_payload(data: bytes) -> Any:
    text = data.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


def _reply(behaviour: dict[str, Any]) -> bytes:
    """What the hook prints: filler first, then raw bytes, then text or JSON."""
    raw = b""
    if behaviour.get("stdout_b64"):
        import base64

        raw = base64.b64decode(behaviour["stdout_b64"])
    text = behaviour.get("stdout", "")
    return b"x" * int(behaviour.get("huge", 0)) + raw + (text if isinstance(text, str) else json.dumps(text)).encode()


if __name__ == "__main__":
    os._exit(main(sys.argv[1], sys.argv[2]))
