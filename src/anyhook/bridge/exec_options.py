"""The options of ``anyhook exec``, as an entry gives them to the command, to the daemon or in a URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anyhook.dialects import NAMES, find_client
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.model.problems import UsageError

Options = Mapping[str, str]
"""Values by option, such as ``{"--client": "codex"}``."""

_OPTIONS = frozenset({"--client", "--event", "--from", "--package", "--fail", "--answered"})


def read_options(arguments: Sequence[str]) -> Options:
    """The options in the arguments after ``exec``; raises UsageError."""
    options = dict(zip(arguments[::2], arguments[1::2], strict=False))
    if unknown := next((name for name in arguments[::2] if name not in _OPTIONS), ""):
        raise UsageError(f"there is no option {unknown}")
    if len(arguments) % 2:
        raise UsageError(f"{arguments[-1]} needs a value")
    if options.get("--fail", "open") not in ("open", "guard", "closed"):
        raise UsageError("--fail is open, guard or closed")
    answered = options.get("--answered", "0")
    if not (answered.isascii() and answered.isdigit() and len(answered) <= 2):
        raise UsageError("--answered is a number of up to two digits")
    for option in ("--client", "--from"):
        if option == "--from" and option not in options:
            continue
        name = options.get(option, "")
        client = find_client(name) if name else None
        if client is None:
            raise UsageError(f"{option} is one of: {', '.join(NAMES)}" + (f"; not {name}" if name else ""))
        options[option] = client
    return options


def exit_status(options: Options, answer: ProcessAnswer) -> int:
    """The exit status of the process: that of the answer, plus ``--answered``, which tells it from a failure."""
    return int(options.get("--answered", "0")) + answer.exit_code
