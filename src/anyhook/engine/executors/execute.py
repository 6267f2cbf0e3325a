"""Runs an action of any kind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from anyhook.engine.environment import HookContext
from anyhook.engine.executors.command import run_command
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.models.models import Models
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Agent, Callback, Command, Guard, Http, Prompt, Python, RuleCommand

if TYPE_CHECKING:
    from anyhook.engine.functions.function_host import FunctionHost


async def execute(
    job: Job,
    hook_context: HookContext,
    models: Models,
    functions: FunctionHost | None,
    timeout: float | None,
    went_async: asyncio.Future[float | None] | None = None,
) -> ActionResult:
    """Run one action. Raises nothing but CancelledError."""
    match job.action:
        case RuleCommand():
            from anyhook.engine.functions.run_guard import run_rule_command  # few projects have rules

            return await run_rule_command(job, job.action, hook_context, timeout, went_async)
        case Command():
            return await run_command(job, job.action, hook_context, timeout, went_async)
        case Callback():
            from anyhook.engine.executors.callback import call_back  # only hosts have callbacks
            from anyhook.engine.executors.generator import is_generator, run_generator

            if is_generator(job.action.function):
                return await run_generator(job, job.action, timeout, went_async)
            return ActionResult(*await call_back(job.action, job.payload, timeout))
        case Python():
            from anyhook.engine.executors.python import run_python  # few projects have such hooks

            return await run_python(job, job.action, hook_context, functions, timeout)
        case Guard():
            from anyhook.engine.functions.run_guard import run_guard  # few projects have guards

            return await run_guard(job, job.action, hook_context, timeout)
        case Http():
            from anyhook.engine.executors.http import HttpSettings, run_http  # its libraries are an extra

            settings = HttpSettings.from_environment(hook_context.inherited)
            return await run_http(job, job.action, hook_context.inherited, timeout, settings)
        case Prompt():
            from anyhook.engine.executors.prompt import run_prompt

            return await run_prompt(job, job.action, models, timeout)
        case Agent():
            from anyhook.engine.executors.agent import run_agent

            return await run_agent(job, job.action, models, timeout)
        case _:
            return ActionResult(RawResult(error=f"{job.action.kind} hooks cannot be run here"))
