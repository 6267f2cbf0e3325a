"""What a client gives a hook: the variables of its environment, and the values that it puts into a command."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from anyhook.dialects.profile import Execution
from anyhook.guards.session.memory import GuardMemory, MemoryOfProcess
from anyhook.model.hooks import Action, Command
from anyhook.model.lazyjson import LazyJson, dump_json
from anyhook.model.origin import Scope, plugin_folder
from anyhook.model.payload_base import Payload

MAX_VALUE_BYTES = 128 * 1024 - 1
"""Linux takes no longer value (MAX_ARG_STRLEN); a longer one is left out."""


class HookContext(Struct, frozen=True, kw_only=True):
    """Where hooks run: the project, the home folder, and the environment that they inherit."""

    project: Path
    home: Path
    inherited: Mapping[str, str]
    scratch: Path
    """A folder for files that hooks are given to write to."""
    client: str = ""
    """The client that asks, where the hooks are written for another; empty: it is the one they are written for."""
    memory: GuardMemory = field(default_factory=MemoryOfProcess)
    """What guards remember."""
    open_files: int | None = None
    """How many files a command may have open; None: as many as this process."""


class Environment(Struct, frozen=True):
    variables: Mapping[str, str]
    left_out: tuple[str, ...] = ()
    """Names whose values are too large for an environment."""


def hook_environment(execution: Execution, hook_context: HookContext, payload: Payload, action: Action) -> Environment:
    """Everything that this client sets for this hook on this event."""
    values = {name: _known(name, hook_context, payload, action) for name in execution.exports}
    values |= {
        name: _known(name, hook_context, payload, action)
        for name, events in execution.event_exports.items()
        if payload.event in events
    }
    values |= {name: payload_text(payload, path) for name, path in execution.payload_exports.items()}
    if action.origin.scope in (Scope.PLUGIN, Scope.COMPONENT) or set(execution.plugin_exports) <= set(
        execution.exports
    ):
        root = plugin_root(hook_context.project, action.origin.file)
        values |= {name: _plugin(name, root, hook_context) for name in execution.plugin_exports}
    else:
        values |= {name: str(hook_context.project) for name in execution.substituted if name.endswith("PACKAGE_ROOT")}
    given = {name: value for name, value in values.items() if value is not None}
    left_out = tuple(name for name, value in given.items() if len(value.encode("utf-8", "replace")) > MAX_VALUE_BYTES)
    kept = {name: _writable(value) for name, value in given.items() if name not in left_out}
    own = action.env if isinstance(action, Command) else {}
    # A hook of an agent that a hook started must not take the outer event's values for those of its own.
    of_events = {*execution.payload_exports, *execution.event_exports}
    inherited = {name: value for name, value in hook_context.inherited.items() if name not in of_events}
    return Environment({**inherited, **kept, **own}, left_out)


def plugin_values(execution: Execution, hook_context: HookContext, action: Action) -> Mapping[str, str]:
    """What the client replaces in the command of a plugin's hook; nothing for other hooks."""
    if action.origin.scope is not Scope.PLUGIN:
        return {}
    root = plugin_root(hook_context.project, action.origin.file)
    others = {"workspacePath": str(hook_context.project), "/": os.sep, "pathSeparator": os.sep}
    return {name: others.get(name, str(root)) for name in execution.plugin_text}


def _writable(value: str) -> str:
    """The value as an environment can hold it: without NUL, and with "?" for half of a surrogate pair."""
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        value = value.encode("utf-8", "replace").decode()
    return value.replace("\0", "")


def fill_placeholders(text: str, variables: Mapping[str, str]) -> str:
    """``${NAME}`` replaced, for hooks that are started without a shell."""
    return re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found[1], found[0]), text)


def plugin_root(project: Path, file: str) -> Path:
    """The folder of the plugin that a hook file belongs to."""
    return Path(plugin_folder(Path(file) if file else project))


def _known(name: str, hook_context: HookContext, payload: Payload, action: Action) -> str | None:
    """The value of a variable by what its name says."""
    session = payload.session_id if isinstance(payload.session_id, str) else None
    cwd = payload.cwd if isinstance(payload.cwd, str) else str(hook_context.project)
    if name.endswith(("PROJECT_DIR", "PACKAGE_ROOT")):
        return str(hook_context.project)
    if name.endswith("HOOK_DIR"):
        return str(Path(action.origin.file).parent) if action.origin.file else None
    if name.endswith("_ENV_FILE"):
        return hook_context.inherited.get(name) or _own_env_file(hook_context.scratch, session or "")
    if name.endswith("_CWD"):
        return cwd
    if name.endswith("SESSION_ID"):
        return session
    return {"CLAUDECODE": "1", "COPILOT_CLI": "1", "AI_AGENT": "anyhook"}.get(name)


def _own_env_file(scratch: Path, session: str) -> str | None:
    """A file for hooks to write to in a folder of this user alone; None when there can be no such folder.

    A client sets the variable itself; this is for runs without one. No text of the session's id is in the path.
    """
    from hashlib import sha256  # it loads OpenSSL, and clients set the variable

    user = os.geteuid() if hasattr(os, "geteuid") else "user"
    folder = scratch / f"anyhook-env-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
        if not stat.S_ISDIR(facts.st_mode) or (hasattr(os, "geteuid") and facts.st_uid != os.geteuid()):
            return None  # another user's, or a link
        folder.chmod(0o700)
    except OSError:
        return None
    return str(folder / f"{sha256(session.encode('utf-8', 'replace')).hexdigest()[:32]}.sh")


def _plugin(name: str, root: Path, hook_context: HookContext) -> str:
    return str(hook_context.home / ".anyhook" / "data" / root.name) if name.endswith("_DATA") else str(root)


def payload_text(payload: Payload, path: str) -> str | None:
    """A value of the event by a dotted path: text as it is, everything else as JSON."""
    first, *rest = path.split(".")
    value: Any = getattr(payload, first, None)
    if rest == ["file_path"]:
        return payload.file_path if isinstance(payload.file_path, str) else None
    value = value.value if isinstance(value, LazyJson) else value
    for key in rest:
        value = value.get(key) if isinstance(value, Mapping) else None
    if value is None:
        return None
    return value if isinstance(value, str) else dump_json(value).decode()
