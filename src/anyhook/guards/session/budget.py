"""The guard ``budget``: limits the tool calls, the minutes and the stop rounds of a session."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from anyhook.guards.call import GuardCall, Objection, Shadowed, level_of, message_of, reply_to
from anyhook.guards.session.memory import LostMemoryError
from anyhook.model.functions import stop
from anyhook.model.output import Reply
from anyhook.shell.command import Invocation
from anyhook.shell.reader import read_script

TOOL_CALLS, MINUTES, STOP_ROUNDS = 500, 240, 5
"""The limits that hold when none is given."""
_CALL, _PROMPT, _STOP, _ROUND, _END = "call", "prompt", "stop", "round", "end"
_KNOWN = frozenset({_CALL, _PROMPT, _STOP, _ROUND, _END})
_ENTRIES = {"PreToolUse": _CALL, "UserPromptSubmit": _PROMPT, "Stop": _STOP}
_INSTEAD = (
    "Tell the user what is done and what is left, and end your turn. The user can start a new session, or raise "
    "{setting} in [guards.budget] of anyhook.toml."
)


def judge(call: GuardCall) -> Reply | None:
    session = call.event.session_id
    if call.event.event == "SessionEnd":
        if isinstance(session, str):
            call.memory.forget(session)
        return None
    try:
        if not isinstance(session, str) or not session:
            raise LostMemoryError("the client does not say which session this is")
        log = call.memory.add(session, f"{_entry(call)} {time.time():.0f}")
        used = _Used(log)
    except LostMemoryError as error:
        text = f"The budget of this session is not watched: {error}. Tell the user. (budget guard)"
        return Reply(context=text, message=text)
    if call.event.event == "Stop":
        return _at_stop(call, used)
    return reply_to(call, "budget", _objections(call, used)) if call.event.event == "PreToolUse" else None


class _Used:
    """What a session has used, by its log. Raises LostMemoryError when the log has other lines."""

    def __init__(self, log: Sequence[str]) -> None:
        entries = [line.split(" ") for line in log]
        if not all(len(entry) == 2 and entry[0] in _KNOWN and entry[1].isdecimal() for entry in entries):
            raise LostMemoryError("its log was changed by another program")
        names = [name for name, _ in entries]
        self.calls = names.count(_CALL)
        self.minutes = (int(entries[-1][1]) - int(entries[0][1])) // 60
        turns = [name for name in names if name != _CALL]
        again = sum(name == _STOP and before == _STOP for before, name in pairwise(turns))
        self.rounds = names.count(_ROUND) + again


def _entry(call: GuardCall) -> str:
    """A stop after a hook has kept the agent going is a round. Not every client says so; then the order tells."""
    kept_going = call.event.get("stop_hook_active")
    if isinstance(kept_going, bool):
        return _ROUND if kept_going else _END
    return _ENTRIES[call.event.event]


def _only_command(call: GuardCall) -> Invocation | None:
    """The command of a call that runs one and at most changes the folder before: a call of more is not excepted."""
    scripts = [read_script(line) for line in call.commands]
    found = [command for script in scripts for command in script.commands if command.name != "cd"]
    return found[0] if len(found) == 1 and all(script.is_complete for script in scripts) else None


def _objections(call: GuardCall, used: _Used) -> Iterator[Objection]:
    command = _only_command(call)
    calls, minutes = call.settings.get("tool_calls", TOOL_CALLS), call.settings.get("minutes", MINUTES)
    if used.calls > calls:
        what = f"This session has reached its limit of tool calls ({calls})"
        yield Objection(what, _INSTEAD.format(setting="tool_calls"), "tool_calls", command=command)
    if used.minutes >= minutes:
        what = f"This session has reached its limit of minutes ({minutes})"
        yield Objection(what, _INSTEAD.format(setting="minutes"), "minutes", command=command)


def _at_stop(call: GuardCall, used: _Used) -> Reply | None:
    """Ends what other hooks would continue. A question cannot be asked here, so that ask is as block."""
    limit = call.settings.get("stop_rounds", STOP_ROUNDS)
    if used.rounds < limit:
        return None
    instead = "The agent ends now; read what the hooks still ask for."
    objection = Objection(f"This session has reached its limit of stop rounds ({limit})", instead, "stop_rounds")
    level = level_of(call, objection)
    if level == "off":
        return None
    text = message_of(call, "budget", objection)
    if level == "shadow":
        return Shadowed(would="block", reason=text)
    return Reply(message=text) if level == "warn" else stop(text)
