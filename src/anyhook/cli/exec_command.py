"""``anyhook exec``: what a deployed entry runs. A client waits for it, so it knows neither click nor rich.

Whatever goes wrong is answered by the entry's fail mode. Only wrong use has a status of its own: the entry, which
expects ``--answered``, then answers by itself.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from anyhook.dialects.replying import Sent

WRONG_USE = 2
USAGE = """\
Usage: anyhook exec --client CLIENT [--event EVENT] [--from DIALECT] [--package FOLDER] [--fail open|closed]

Answer a client's event with the hooks of a package. Entries that anyhook deploy writes run this; people have
anyhook fire.

The payload comes on stdin as the client sends it. The answer is what the client reads: stdout, stderr and the exit
status. Hooks of a project run only when somebody has trusted them: see anyhook trust.

Options:
  --client CLIENT     the client that asks
  --event EVENT       the event, as the client calls it; by default the payload names it
  --from DIALECT      the client that the hooks are written for; by default the package's own
  --package FOLDER    the folder of the hooks; by default the nearest one above that has any
  --fail open|closed  what happens when the hooks cannot be asked  [default: open]
  --answered NUMBER   add this to the exit status of every answer, to tell it from a failure
"""
_OPTIONS = frozenset({"--client", "--event", "--from", "--package", "--fail", "--answered", "--background"})


def main(arguments: list[str]) -> int:
    """Answer one event; gives the exit status."""
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(USAGE)
        return 0
    options = dict(zip(arguments[::2], arguments[1::2], strict=False))
    if wrong := _wrong_use(arguments, options):
        sys.stderr.write(f"anyhook exec: {wrong}\nTry: anyhook exec --help\n")
        return WRONG_USE
    data = b"" if sys.stdin is None else sys.stdin.buffer.read()
    sent = _answer(options, data)
    sys.stdout.buffer.write(sent.stdout)
    sys.stdout.buffer.flush()
    sys.stderr.buffer.write(sent.stderr)
    sys.stderr.buffer.flush()
    return int(options.get("--answered", "0")) + sent.exit_code


def _wrong_use(arguments: list[str], options: dict[str, str]) -> str:
    """What is wrong with the arguments; empty: nothing."""
    if unknown := next((name for name in arguments[::2] if name not in _OPTIONS), ""):
        return f"there is no option {unknown}"
    if len(arguments) % 2:
        return f"{arguments[-1]} needs a value"
    if options.get("--fail", "open") not in ("open", "closed"):
        return "--fail is open or closed"
    if not options.get("--answered", "0").isdigit():
        return "--answered is a number"
    from anyhook.dialects import NAMES

    for option in ("--client", "--from"):
        if (name := options.get(option, NAMES[0] if option == "--from" else "")) not in NAMES:
            return f"{option} is one of: {', '.join(NAMES)}" + (f"; not {name}" if name else "")
    return ""


def _answer(options: dict[str, str], data: bytes) -> Sent:
    from pathlib import Path

    from anyhook.deploy.bridge import Call, answer, has_background, refuse, run_background
    from anyhook.dialects.replying import Sent
    from anyhook.model.problems import AnyhookError
    from anyhook.sources.discover import roots_for
    from anyhook.sources.package_hooks import PackageHooks, find_hooks_above
    from anyhook.sources.trust import check_trust

    package = (
        Path(options["--package"]) if "--package" in options else find_hooks_above(Path.cwd(), options.get("--from"))
    )
    call = Call(
        client=options["--client"],
        event=options.get("--event", ""),
        package=package.absolute(),
        home=Path.home(),
        fail="closed" if options.get("--fail") == "closed" else "open",
    )
    try:
        owned = PackageHooks(call.package)
        dialect = options.get("--from") or owned.owner()
        if dialect is None:
            return refuse(call, data, f"anyhook: there are no hooks in {call.package}; say which with --package")
        hooks = owned.of(dialect)
        trust = check_trust(roots_for(call.package), (hooks,), started_in=Path.cwd())
        if not trust.is_trusted:
            return refuse(call, data, f"anyhook: {trust.reason}")
        if "--background" in options:
            run_background(call, hooks, data)
            return Sent()
        if has_background(hooks):
            _start_background(options, data)
        return answer(call, hooks, data)
    except AnyhookError as error:
        return refuse(call, data, f"anyhook: {error}")
    except Exception as error:
        return refuse(
            call, data, f"anyhook: {type(error).__name__}: {error}. This is a bug in anyhook; its hooks did not run"
        )


def _start_background(options: dict[str, str], data: bytes) -> None:
    """Let another process run the background hooks: the client waits for this one."""
    import subprocess

    words = [word for option in options.items() for word in option]
    process = subprocess.Popen(
        [sys.executable, "-m", "anyhook", "exec", *words, "--background", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=os.name != "nt",
    )
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.close()
    process.returncode = 0  # nobody waits for it: it outlives this process
