"""Agent hooks: a model that may look at the project before it gives its verdict."""

from __future__ import annotations

from msgspec import structs

from anyhook.engine.agent_tools import ProjectTools, own_commands
from anyhook.engine.executors.job import Done, Job
from anyhook.engine.executors.judge import judge, make_request
from anyhook.engine.models import Models
from anyhook.model.hooks import Agent

MOST_TURNS = 50
_TASK = "You may use the tools to look at the project first. They reach nothing outside of it."


async def run_agent(job: Job, action: Agent, models: Models, timeout: float | None) -> Done:
    request = make_request(job, action)
    surroundings = models.surroundings
    commands = (*models.settings.models.commands, *own_commands(action.tools, job.profile.name))
    tools = ProjectTools(surroundings.project.resolve(), commands, surroundings.inherited)
    request = structs.replace(
        request,
        instructions=f"{request.instructions}\n\n{_TASK}",
        tools=tools.offered(action.tools, job.profile.name),
        max_turns=max(min(action.max_turns or job.profile.judging.max_turns, MOST_TURNS), 1),
    )
    return await judge(job, action, models, request, timeout)
