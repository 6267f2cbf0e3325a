"""Command hooks: what is started, where, with which environment and input."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import Interpreter, Starting, interpreter_for
from anyhook.dialects.wire.payloads import payload_bytes
from anyhook.engine.environment import HookContext, fill_placeholders, hook_environment, plugin_values
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.interpret import can_prevent
from anyhook.engine.raw import MAX_OUTPUT_BYTES, Limits, RawResult
from anyhook.model.hooks import Action, Command
from anyhook.model.payload_base import Payload

if sys.platform == "win32":
    from anyhook.engine.executors.process_portable import run_process
else:
    from anyhook.engine.executors.process import run_process

_is_one_word = re.compile(r"[\w./@%+=:,~-]+").fullmatch

__all__ = ["command_line", "run_command", "run_process", "working_folder"]


def command_line(
    profile: Profile, action: Command, variables: Mapping[str, str], plugin_text: Mapping[str, str]
) -> list[str]:
    """What is started: the shell with the command, or the program itself with its arguments.

    Empty: what the hook's ``shell`` names is not on the PATH.
    """
    text = action.line()
    if action.args is not None:
        return [fill_placeholders(part, variables) for part in (text, *action.args)]
    for name, value in plugin_text.items():
        text = text.replace(f"${{{name}}}", value)
    starting = Starting(profile, action, text, variables)
    text = overridden(profile.overrides.command_text, starting, lambda given: given.text)
    if profile.execution.quotes_substituted:
        text = quote_placeholders(text, {name: variables.get(name, "") for name in profile.execution.substituted})
    if interpreter := interpreter_for(profile, action.shell):
        program = find_interpreter(interpreter, variables.get("PATH", os.defpath))
        return [program, *interpreter.options, text + interpreter.suffix] if program else []
    if sys.platform == "win32":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", text]
    return [*profile.execution.shell, text]


def find_interpreter(interpreter: Interpreter, path: str) -> str:
    """The first program on the PATH that can run the command; empty: none."""
    from shutil import which  # slow to load, and few hooks name an interpreter

    return next(filter(None, (which(name, path=path) for name in interpreter.programs)), "")


def quote_placeholders(text: str, values: Mapping[str, str]) -> str:
    """The command with quotes around every bare ``${NAME}`` whose value the shell would take apart."""
    names = [name for name, value in values.items() if not _is_one_word(value) and f"${{{name}}}" in text]
    if not names:
        return text
    from anyhook.shell.written import Quoting, read_text  # folders with a blank in their name are rare

    bare = [v for v in read_text(text).variables if v.name in names and v.quoting is Quoting.NONE and not v.operator]
    for variable in sorted(bare, key=lambda v: -v.start):
        text = f'{text[: variable.start]}"{text[variable.start : variable.end]}"{text[variable.end :]}'
    return text


def working_folder(profile: Profile, action: Action, payload: Payload, hook_context: HookContext) -> str:
    cwd = payload.cwd if isinstance(payload.cwd, str) else ""
    start = {
        "session": Path(cwd) if cwd and Path(cwd).is_dir() else hook_context.project,
        "project": hook_context.project,
        "file's folder": Path(action.origin.file).parent if action.origin.file else hook_context.project,
    }[profile.execution.cwd]
    own = action.cwd if isinstance(action, Command) else None
    return str(start / own) if own else str(start)


async def run_command(
    job: Job,
    action: Command,
    hook_context: HookContext,
    timeout: float | None,
    went_async: asyncio.Future[float | None] | None,
) -> ActionResult:
    profile = job.profile
    environment = hook_environment(profile.execution, hook_context, job.payload, action)
    plugin_text = plugin_values(profile.execution, hook_context, action)
    argv = command_line(profile, action, environment.variables, plugin_text)
    if not argv:
        return ActionResult(RawResult(error=f"it did not run: {action.shell} is not on the PATH"))
    if not argv[-1].strip():
        why = "it has no command for this system" if action.commands() and not action.line() else "the command is empty"
        return ActionResult(RawResult(error=why))
    starting = Starting(profile, action, action.command, environment.variables)
    if why := overridden(profile.overrides.why_not_started, starting, lambda _: ""):
        return ActionResult(RawResult(error=why))
    left_out = tuple(
        f"{name} is too large for an environment variable and was left out" for name in environment.left_out
    )
    if left_out and can_prevent(job.bound):  # a guard that reads it would see nothing to object to
        return ActionResult(
            RawResult(error=f"it was not asked, because {left_out[0]}", not_asked=True), problems=left_out
        )
    stdin = payload_bytes(job.bound, job.payload)
    limits = Limits(
        timeout=timeout,
        waits_for_pipe=profile.execution.waits_for_pipe,
        kept_bytes=profile.answers.output_cap or MAX_OUTPUT_BYTES,
        open_files=hook_context.open_files,
    )
    cwd = working_folder(profile, action, job.payload, hook_context)
    raw = await run_process(argv, stdin, environment.variables, cwd, limits, went_async)
    return ActionResult(raw, problems=left_out)
