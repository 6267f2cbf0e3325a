"""One event under one client's rules: the only place where the client's variant is chosen."""

from __future__ import annotations

from msgspec import Struct

from anyhook.dialects.contract import Field
from anyhook.dialects.events import native_name, native_names
from anyhook.dialects.profile import Profile
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action, Command, Prompt, Rule
from anyhook.model.payload_base import Payload


class BoundEvent(Struct, frozen=True, eq=False):
    """What everything that reads, writes or decides about an event needs to know. Made by :func:`bind_event`."""

    client: Profile
    """The client as a whole."""
    profile: Profile
    """The rules that hold under ``native_event``: the client's own or one of its variants."""
    event: str
    """Canonical name."""
    native_event: str
    """The client's name for it. Some clients have several, with different rules."""
    fold_rule: FoldRule

    @property
    def title(self) -> str:
        return self.profile.title

    @property
    def can_block(self) -> bool:
        """Whether a refusal blocks anything."""
        return self.profile.blocks(self.event)

    @property
    def stop_mode(self) -> str:
        """What ``continue: false`` does."""
        return self.profile.stopping.on_continue_false(self.event)

    def timeout_ms(self, action: Action) -> int | None:
        """The time limit of an action; None: it has none."""
        return self.profile.timeouts.effective_ms(action.timeout_ms, action.kind, self.event)

    def fields(self, part: str) -> tuple[Field, ...]:
        """Where the client looks for a part of a reply."""
        fields = self.profile.answers.fields(self.event)
        return tuple(field for field in fields if field.part == part and not field.refused)


def bind_event(client: Profile, event: str, native_event: str = "") -> BoundEvent:
    """The rules of a client for an event. Without a native name, the one that the client usually has for it."""
    name = native_event or native_name(event, client.name) or event
    fold_rule = BY_NAME[event].fold if event in BY_NAME else FoldRule.OBSERVE
    return BoundEvent(client, client.variant(name), event, name, fold_rule)


def bind_rule(client: Profile, rule: Rule) -> BoundEvent:
    """The rules of a client for the hooks of a rule, which names the event in one of the client's ways."""
    return bind_event(client, rule.event, rule.native_event)


def is_guard(profile: Profile, rule: Rule, action: Action) -> bool:
    """Whether a hook can block what it is about: its event can, and it is waited for and asked."""
    bound = bind_rule(profile, rule)
    if not bound.can_block:
        return False
    if isinstance(action, Prompt) and action.purpose == "submit":
        return False
    execution = bound.profile.execution
    in_background = action.is_async and execution.honours_async and rule.event not in execution.sync_on
    return not in_background and not (isinstance(action, Command) and action.rewakes)


def bind_payload(client: Profile, payload: Payload) -> BoundEvent:
    """The rules under which a client sends a payload. Another client's name for the event does not count."""
    dialect = payload.spelling.dialect
    is_own = dialect == client.name or (not dialect and payload.native_event in native_names(client.name))
    return bind_event(client, payload.event, payload.native_event if is_own else "")
