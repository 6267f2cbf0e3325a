"""Posts a notice to the webhook of the user, in a process of its own that no event waits for.

Only the user's ``anyhook.toml`` names the webhook: a project must not choose where data goes. The address is checked as
that of an HTTP hook.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

_SECONDS = 20.0
_ROOT = str(Path(__file__).parents[3])
_START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from anyhook.engine.functions.post_notice import post; "
    "sys.exit(post(*sys.argv[1:]))"
)


def start_post(title: str, text: str, project: Path) -> None:
    """Post a notice in the background, if the user has a webhook. Raises nothing."""
    from anyhook.guards.session.notify import reap_later
    from anyhook.sources.state import users_folder

    settings = str(users_folder(project))
    with suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, _ROOT, title, text, settings],
            cwd=os.sep,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        reap_later(process)


def post(title: str, text: str, settings: str = "") -> str | None:
    """Post a notice now, by the settings in a folder; returns why it could not be, if so."""
    from anyhook.dialects import profile
    from anyhook.dialects.bound_event import bind_payload
    from anyhook.dialects.clients import OWN
    from anyhook.engine.executors.http import HttpSettings, run_http
    from anyhook.engine.executors.job import Job
    from anyhook.model.hooks import Http
    from anyhook.model.payload import Notification
    from anyhook.sources.settings import read_settings

    url = read_settings(None, os.environ, Path(settings) if settings else None).notify.webhook
    if not url:
        return "there is no webhook in your anyhook.toml"
    action = Http(url=url)
    payload = Notification(title=title, message=text, native_event="notification")
    job = Job(bind_payload(profile(OWN), payload), action, payload)
    done = asyncio.run(run_http(job, action, {}, _SECONDS, HttpSettings.from_environment(os.environ)))
    return done.raw.error or done.raw.stderr.decode(errors="replace") or None
