"""Agent hooks: a model that may look at the project before it gives its verdict."""

from __future__ import annotations

from msgspec import structs

from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.executors.judge import judge, make_request
from anyhook.engine.models.agent_tools import ProjectTools, commands_of_tools
from anyhook.engine.models.models import Models
from anyhook.model.hooks import Agent

MAX_TURNS = 50
_TASK = "You may use the tools to look at the project first. They reach nothing outside of it."


async def run_agent(job: Job, action: Agent, models: Models, timeout: float | None) -> ActionResult:
    request = make_request(job, action)
    hook_context = models.hook_context
    commands = (*models.settings.models.commands, *commands_of_tools(action.tools, job.profile.name))
    tools = ProjectTools(hook_context.project.resolve(), commands, hook_context.inherited)
    request = structs.replace(
        request,
        instructions=f"{request.instructions}\n\n{_TASK}",
        tools=tools.offered(action.tools, job.profile.name),
        max_turns=max(min(action.max_turns or job.profile.model_hooks.max_turns, MAX_TURNS), 1),
    )
    return await judge(job, action, models, request, timeout)
