"""What a hook of a random situation prints and how it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.contract import Field
from anyhook.dialects.profile import Profile

RECORDED = ("claude-code", "codex", "copilot-cli", "gemini-cli", "qwen-code")
_WRONG_TYPES: tuple[Any, ...] = (None, 0, 1, 7, True, False, "", [], {}, ["x"], {"x": 1})
_EXITS = ((0, 12), (2, 5), (1, 2), (3, 1), (127, 0.3))
_FORMS = (("json", 14), ("nothing", 2), ("text", 2), ("broken", 1), ("around", 1), ("quoted", 0.5), ("list", 0.5))


class Speaker(Struct, frozen=True):
    """One hook in one situation."""

    profile: Profile
    event: str
    native_event: str
    tag: str
    """Begins every word that this hook says."""
    rewrite: tuple[str, ...] = ()

    def word(self, part: str) -> str:
        return f"{self.tag}-{part.replace('_', '-').upper()}-WORD"


def behaviour(random: Random, speaker: Speaker) -> dict[str, Any]:
    """The entry of one hook in the ``hooks`` of a vector."""
    done: dict[str, Any] = {}
    stdout = _stdout(random, speaker, _pick(random, _FORMS))
    if stdout != "":
        done["stdout"] = stdout
    if code := _pick(random, _EXITS):
        done["exit"] = code
    if random.random() < (0.7 if code else 0.15):
        done["stderr"] = speaker.word("stderr")
    elif stdout == "" and random.random() < 0.1:
        done["stderr"] = json.dumps(_reply(random, speaker))
    if random.random() < 0.12:
        done["sleep"] = 0.4
    return done


def _pick(random: Random, weighted: tuple[tuple[Any, float], ...]) -> Any:
    return random.choices([value for value, _ in weighted], [weight for _, weight in weighted])[0]


def _stdout(random: Random, speaker: Speaker, form: str) -> Any:
    match form:
        case "nothing":
            return ""
        case "text":
            return speaker.word("text")
        case "list":
            return json.dumps([_reply(random, speaker)])
    reply = _reply(random, speaker)
    text = json.dumps(reply)
    match form:
        case "broken":
            return text[:-1] if len(text) > 2 else "{"
        case "around":
            return f"{speaker.word('text')}\n{text}" if random.random() < 0.5 else f"{text}\n{speaker.word('text')}"
        case "quoted":
            return json.dumps(text)
    return reply


def _reply(random: Random, speaker: Speaker) -> dict[str, Any]:
    """A JSON object with some of the fields that this client, or another one, reads on the event."""
    fields = list(speaker.profile.answers.fields(speaker.event))
    if random.random() < 0.25:
        fields += profile(random.choice(RECORDED)).answers.fields(speaker.event)
    if random.random() < 0.1:
        fields += speaker.profile.answers.fields(random.choice(list(speaker.profile.events)))
    chosen = random.sample(fields, min(len(fields), random.choices((0, 1, 2, 3, 4, 5), (1, 5, 8, 6, 3, 1))[0]))
    reply: dict[str, Any] = {}
    for field in chosen:
        _put(reply, field.path, _value(random, speaker, field))
    specific = reply.get("hookSpecificOutput")
    if isinstance(specific, dict) and random.random() < 0.9:
        other = random.choice([names[0] for names in speaker.profile.events.values()])
        specific["hookEventName"] = other if random.random() < 0.08 else speaker.native_event
    if random.random() < 0.06:
        reply["unknownKey"] = speaker.word("unknown")
    return reply


def _put(reply: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for key in path[:-1]:
        below = reply.setdefault(key, {})
        if not isinstance(below, dict):
            return
        reply = below
    reply[path[-1]] = value


def _value(random: Random, speaker: Speaker, field: Field) -> Any:
    if random.random() < 0.1:
        return random.choice(_WRONG_TYPES)
    if field.values:
        known = [_native(word) for word in field.values]
        return random.choice([*known * 4, "bogus", str(known[0]).upper()])
    match field.part:
        case "continue":
            return random.random() < 0.3
        case "suppress" | "interrupt" | "handled" | "retry" | "clear_context" | "suppress_prompt":
            return random.random() < 0.7
        case "async":
            return False
        case "async_timeout":
            return 5
        case "input":
            return _input(random, speaker)
        case "output":
            return _output(random, speaker)
        case "permissions" | "watch_paths" | "reload_skills" | "tail_call" | "terminal":
            return random.choice(_WRONG_TYPES)
        case "action":
            return random.choice(["accept", "decline", "cancel", "bogus"])
        case "content":
            return {"name": speaker.word("content")}
    return speaker.word(field.part)


def _native(word: str) -> Any:
    return {"true": True, "false": False}.get(word, word)


def _input(random: Random, speaker: Speaker) -> Any:
    """A rewritten tool input: whole, partial or malformed."""
    if not speaker.rewrite:
        return {"x": speaker.word("input")}
    text = f"touch mark-s{speaker.tag[1:]}-{speaker.tag[0].lower()}"
    right: dict[str, Any] = {"description": "rewritten"}
    _put(right, speaker.rewrite, text)
    return random.choice([right, right, right, {speaker.rewrite[-1]: text}, {"description": "partial"}, {}, text])


def _output(random: Random, speaker: Speaker) -> Any:
    word = speaker.word("output")
    return random.choice([word, word, {"stdout": word}, {"textResultForLlm": word}, {"x": word}])


def words_of(hooks: Mapping[str, Any]) -> list[str]:
    """Every word that the hooks of a situation can say, in the order of the hooks."""
    found = re.findall(r"\b[ABC]\d+-[A-Z-]+-WORD\b", json.dumps(hooks))
    return list(dict.fromkeys(found))
