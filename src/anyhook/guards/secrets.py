"""The guard ``secrets``: no secrets in prompts, commands and files, and no files of secrets for the agent to read."""

from __future__ import annotations

from collections.abc import Iterator

from anyhook.guards.asked import asked_effects, named_command, tool_call_of
from anyhook.guards.call import GuardCall, Objection, reply_to
from anyhook.guards.effects.model import Place, Verb
from anyhook.guards.effects.names import is_secret_file
from anyhook.guards.effects.tools import all_texts, tokens_in, told_texts
from anyhook.guards.places import is_matched
from anyhook.guards.wording import ASK_CONTENT, FROM_STORE, NOT_REPEAT, SEND_AGAIN
from anyhook.lazy_pattern import LazyPattern
from anyhook.model.output import Reply

_PRIVATE_KEY = LazyPattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_READING = frozenset({"read", "search"})


def judge(call: GuardCall) -> Reply | None:
    return reply_to(call, "secrets", _objections(call))


def _objections(call: GuardCall) -> Iterator[Objection]:
    match call.event.event:
        case "UserPromptSubmit":
            yield from _in_text(str(call.event.get("prompt", "")), "The prompt", SEND_AGAIN)
        case "PostToolUse":
            for text in all_texts(call.event.get("tool_response")):
                yield from _in_text(text, "The output of the tool", NOT_REPEAT)
        case _:
            asked = tool_call_of(call)
            for text in () if asked.kinds and asked.kinds <= _READING else told_texts(asked):
                yield from _in_text(text, "This command" if text in asked.lines else "This text", FROM_STORE)
            yield from _files(call)


def _files(call: GuardCall) -> Iterator[Objection]:
    """Files whose contents the agent would get; whether one exists or is ignored, it may ask."""
    allowed = call.settings.get("allow", ())
    effects, where = asked_effects(call)
    for effect in effects.effects:
        place = effect.target
        if effect.verb is not Verb.READS or effect.how == "asks" or not isinstance(place, Place):
            continue
        path = place.path or place.shown
        is_allowed = bool(allowed) and is_matched(path, allowed, call.project, call.home)
        if is_secret_file(place.shown) and not is_allowed:
            command = named_command(call, effects, where, effect.by)
            yield Objection(f"{place.shown} holds secrets", ASK_CONTENT, paths=(path,), command=command)


def _in_text(text: str, where: str, instead: str) -> Iterator[Objection]:
    if _PRIVATE_KEY.search(text):
        yield Objection(f"{where} has a private key", instead)
    for name in tokens_in(text):
        yield Objection(f"{where} has a secret ({name})", instead)
