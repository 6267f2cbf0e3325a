"""Functions of Python files as hooks: each call in its own process, or in this one if the host has a FunctionHost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from msgspec import structs

import anyhook
from anyhook.dialects.stages import refusal_on
from anyhook.dialects.wire.answers import encode_reply
from anyhook.engine.environment import HookContext, hook_environment
from anyhook.engine.executors.command import run_process, working_folder
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.functions.function_calls import FunctionResult, pack_event, unpack_result
from anyhook.engine.functions.function_host import FunctionHost, FunctionRef
from anyhook.engine.raw import Limits, RawResult
from anyhook.model.hooks import Python
from anyhook.model.lazyjson import dump_json
from anyhook.model.output import Reply

_START = "import sys; sys.path.append(sys.argv[1]); from anyhook.engine.functions.python_worker import main; main()"
"""The folder that anyhook is in comes last, so that nothing else in it hides a module that the hook imports."""


async def run_python(
    job: Job, action: Python, hook_context: HookContext, functions: FunctionHost | None, timeout: float | None
) -> ActionResult:
    environment = hook_environment(job.profile.execution, hook_context, job.payload, action).variables
    function = FunctionRef(action.origin.file, action.function)
    event = pack_event(job.payload)
    if functions is not None and functions.can_run(function):
        raw, answer = await functions.call(function, event, timeout, environment)
    else:
        root = str(Path(anyhook.__file__).parents[1])
        argv = [sys.executable, "-P", "-c", _START, root, function.file, function.name]
        cwd = working_folder(job.profile, action, job.payload, hook_context)
        limits = Limits(timeout=timeout, open_files=hook_context.open_files)
        raw, answer = _read(await run_process(argv, event, environment, cwd, limits), function)
    if answer.failure:
        return ActionResult(structs.replace(raw, error=answer.failure))
    value = _for_event(answer, job.payload.event)
    return ActionResult(structs.replace(raw, stdout=_as_printed(job, value)), value)


def _read(raw: RawResult, function: FunctionRef) -> tuple[RawResult, FunctionResult]:
    """What a process replied; one that ends without a reply has failed."""
    kept = structs.replace(raw, stdout=b"")
    if raw.timed_out or raw.error:
        return kept, FunctionResult()
    try:
        return kept, unpack_result(raw.stdout)
    except (ValueError, RecursionError):
        code = raw.exit_code or 0
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        name = Path(function.file).name
        return kept, FunctionResult(failure=f"{name}: {function.name} ended its process ({how}) and did not answer")


def _as_printed(job: Job, value: Reply | dict[str, Any] | None) -> bytes:
    """What a command with the same reply would have printed, so that a test case works for both."""
    if isinstance(value, Reply):
        return encode_reply(job.bound, value).stdout
    return b"" if value is None else dump_json(value)


def _for_event(answer: FunctionResult, event: str) -> Reply | dict[str, Any] | None:
    """The reply. A refusal gets the word of the event (deny or block), so that functions may use either."""
    reply = answer.value
    if isinstance(reply, Reply) and reply.decision is not None and reply.decision.is_refusal:
        return structs.replace(reply, decision=refusal_on(event))
    return reply
