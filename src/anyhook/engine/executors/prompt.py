"""Prompt hooks: a model is asked once, without tools; or the text goes to the agent, where the client does that."""

from __future__ import annotations

from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.executors.judge import judge, make_request
from anyhook.engine.models.models import Models
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Prompt
from anyhook.model.output import Reply


async def run_prompt(job: Job, action: Prompt, models: Models, timeout: float | None) -> ActionResult:
    if action.purpose == "submit":
        return ActionResult(RawResult(exit_code=0), Reply(context=action.prompt))
    return await judge(job, action, models, make_request(job, action), timeout)
