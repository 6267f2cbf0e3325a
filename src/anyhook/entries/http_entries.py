"""HTTP hooks that ask the daemon: their URLs, the token that they send, and the entries in a client's hook file."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from msgspec import Struct

from anyhook.dialects import NAMES, unknown_client_text
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_names
from anyhook.dialects.files.writing import write_rules
from anyhook.dialects.wire.answers import encode_reply
from anyhook.model.events import Event
from anyhook.model.hooks import Http, Rule
from anyhook.model.output import Decision, Reply
from anyhook.model.problems import UsageError
from anyhook.sources.state import read_private, state_folder, write_private

ADDRESS = "127.0.0.1"
TOKEN_VARIABLE = "ANYHOOK_HTTP_TOKEN"
"""What clients read the token from: all that have HTTP hooks fill variables into headers."""
OPTIONS = ("from", "package", "fail")
"""Options of ``anyhook exec`` that a URL may have, as parameters of the same names."""


class NoSuchHookError(UsageError):
    """A client has no HTTP hooks, or none on this event; the text says why."""


class HttpQuery(Struct, frozen=True, kw_only=True):
    """What one HTTP hook asks about, with the options of ``anyhook exec``."""

    client: str
    event: str
    """As the client spells it."""
    options: Mapping[str, str] = {}

    def words(self) -> list[str]:
        """The same as words of ``anyhook exec``."""
        options = {"client": self.client, "event": self.event, **self.options}
        return [word for name, value in options.items() for word in (f"--{name}", value)]


# ---------------------------------------------------------------------------------------------------------------- URLs


def base_url(port: int) -> str:
    """Where all of this user's HTTP hooks are."""
    return f"http://{ADDRESS}:{port}/hooks/"


def write_url(port: int, question: HttpQuery) -> str:
    path = "/".join(quote(part, safe="") for part in (question.client, question.event))
    query = urlencode(question.options, safe="/")
    return f"{base_url(port)}{path}" + (f"?{query}" if query else "")


def read_url(url: str) -> HttpQuery:
    """What is asked at a URL, or at its path alone.

    Raises NoSuchHookError when nothing is asked there, and UsageError when its parameters are wrong.
    """
    parts = urlsplit(url)
    match [unquote(part) for part in parts.path.split("/")]:
        case ["", "hooks", client, event]:
            find_http_event(client, event)
        case _:
            raise NoSuchHookError("hooks are asked at /hooks/CLIENT/EVENT")
    options = parse_qsl(parts.query, keep_blank_values=True)
    if unknown := next((name for name, _ in options if name not in OPTIONS), ""):
        raise UsageError(f"there is no parameter {unknown}; known are {', '.join(OPTIONS)}")
    return HttpQuery(client=client, event=event, options=dict(options))


def find_http_event(client: str, name: str) -> Event:
    """An event that a client has HTTP hooks for; raises NoSuchHookError if it has none."""
    if client not in NAMES:
        raise NoSuchHookError(unknown_client_text(client))
    profile = profile_of(client)
    if not profile.runs_hooks or Http.kind not in profile.layout.action_keys:
        raise NoSuchHookError(f"{profile.title} has no HTTP hooks; let it start anyhook exec: see anyhook deploy")
    event = native_names(client).get(name)
    if event is None:
        raise NoSuchHookError(f"{profile.title} has no event {name}")
    if Http.kind not in profile.types_on.get(event.name, {Http.kind}):
        raise NoSuchHookError(f"{profile.title} calls no HTTP hooks on {name}; see anyhook deploy")
    return event


# ------------------------------------------------------------------------------------------------------------- entries


def write_entry(question: HttpQuery, port: int, matcher: str | None) -> dict[str, Any]:
    """A hook file of the client with one HTTP hook that asks; raises UsageError when that would not be safe."""
    profile = profile_of(question.client)
    event = find_http_event(question.client, question.event)
    refusal = Reply(decision=Decision.DENY, reason="no")
    if encode_reply(bind_event(profile, event.name, question.event), refusal, is_process=False).exit_code:
        text = f"{profile.title} lets no HTTP hook refuse on {question.event}, only a command; see anyhook deploy"
        raise UsageError(text)
    action = _hook(question, port)
    rule = Rule(event=event.name, native_event=question.event, matcher=matcher, actions=(action,))
    return write_rules(profile, (rule,))


def query_of(action: Http) -> HttpQuery | None:
    """What an entry asks that is exactly as anyhook writes it, for some client, event and port; None: it is not."""
    try:
        question, port = read_url(action.url), urlsplit(action.url).port
    except (UsageError, ValueError):
        return None
    if port is None:
        return None
    ours = _hook(question, port)
    is_ours = (action.url, action.headers, action.allowed_env) == (ours.url, ours.headers, ours.allowed_env)
    return question if is_ours else None


def _hook(question: HttpQuery, port: int) -> Http:
    return Http(
        url=write_url(port, question),
        headers={"Authorization": f"Bearer ${TOKEN_VARIABLE}"},
        allowed_env=(TOKEN_VARIABLE,),
        fail_closed=question.options.get("fail") == "closed",
    )


# --------------------------------------------------------------------------------------------------------------- token


def token_file() -> Path:
    return state_folder() / "http-token"


def own_token() -> str:
    """The token of this user, created on first use. A process that can read it can query the daemon."""
    path = token_file()
    if not read_private(path):
        write_private(path, secrets.token_urlsafe(32).encode())
    return (read_private(path) or b"").decode()
