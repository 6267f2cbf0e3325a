"""How a client and its hooks talk: what is sent, what an exit status and an answer mean, how answers are folded.

Part of the fact sheet in :mod:`anyhook.dialects.profile`, in a module of its own for its length.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from anyhook.model.cause import CauseKind

BLOCKING_STATUS = 2
"""The exit status that blocks in every client."""


class Exits(Struct, frozen=True, kw_only=True):
    """What an exit status means."""

    blocks_above: Mapping[str, int] = {}
    """By event, ``*`` for the others: every status above this one blocks too."""
    fails_closed_on: frozenset[str] = frozenset()
    """Events on which any other failure blocks. Set by one client alone, and a field all the same: the linter and the
    converter ask before anything runs."""
    needs: Literal["nothing", "stderr", "any text"] = "nothing"
    """What must be printed for a blocking status to block."""
    ignored_on: frozenset[str] = frozenset()
    """Events on which a blocking status is only a warning."""
    json: Literal["always", "zero", "not two", "zero and two"] = "zero"
    """On which exits stdout is read as JSON."""
    keeps_reply: bool = False
    """What a reply says besides its decision counts with a blocking status, too."""
    silent_reason: str = ""
    """The reason of a block for which nothing was printed."""
    warning: Literal["no", "stderr", "any text"] = "no"
    """What a failing hook prints that is shown to the user."""

    def blocks(self, code: int, event: str) -> bool:
        """Whether a status blocks, if what must be printed with it is printed."""
        return self.blocked_by(code, event) is not None

    def blocked_by(self, code: int, event: str) -> CauseKind | None:
        """The rule by which a status blocks; None: it does not."""
        above = self.above(event)
        if code != 0 and above == 0:
            return CauseKind.EXIT_NONZERO_BLOCKS
        if code == BLOCKING_STATUS:
            return CauseKind.EXIT_BLOCKS
        return CauseKind.EXIT_ABOVE_BLOCKS if above is not None and code > above else None

    def above(self, event: str) -> int | None:
        """The status above which every one blocks on an event."""
        return self.blocks_above.get(event, self.blocks_above.get("*"))


class Field(Struct, frozen=True):
    """Where one part of an answer is, and how its values translate to the canonical ones."""

    part: str
    """decision, reason, input, output, context, message, continue, stop_reason, suppress, async, async_timeout; any
    other name is a part that only this event or client has."""
    path: tuple[str, ...]
    values: Mapping[str, str] = {}
    """Native -> canonical, for parts with a fixed set of values (booleans as true and false); canonical "": the value
    is accepted and says nothing. Other values are bad ones."""
    implies: str = ""
    """The decision that it means to give this part at all. One client has such a part (Cursor's followup_message), and
    replies are written by it, too."""
    mirror: bool = False
    """Written too, beside the first field of its part."""
    refused: bool = False
    """Known to the client, and a bad value in any case."""
    required: bool = False
    """The outermost object around it is bad without it."""
    only_with: frozenset[str] = frozenset()
    """The canonical decisions with which it is read; with another one it may have any value. Empty: all."""
    any_type: bool = False
    """A value of any type counts; the tool refuses an input that it cannot read. Two clients: Copilot CLI, Codex."""


class Answers(Struct, frozen=True, kw_only=True, eq=False):
    """How a hook's JSON is read and written."""

    on: Mapping[str, tuple[Field, ...]] = {}
    """Fields by event; ``*`` holds on every event. Earlier fields win and are the ones written."""
    speaks_json: bool = True
    null_is_absent: bool = True
    """False in one client (Claude Code), where every field is read otherwise by it."""
    event_names: tuple[tuple[str, ...], ...] = ()
    """Where an answer repeats the name of its event."""
    block_by_exit: frozenset[str] = frozenset()
    """Events on which a refusal is best said by a blocking exit status and stderr; ``*``: on all."""
    silence_blocks_on: frozenset[str] = frozenset()
    """Events on which an answer without a decision blocks, so that allow must be said (Antigravity)."""
    refusal_drops_context_on: frozenset[str] = frozenset()
    """Events on which the context of an answer that also refuses does not reach the model."""
    text_is_context_on: frozenset[str] = frozenset()
    text_to_user: bool = False
    """Plain text on exit 0 is shown to the user."""
    output_text: tuple[str, ...] = ()
    """Keys under which a structured output holds that text."""
    output_cap: int | None = None
    """Bytes of each stream that the client reads, where it has a limit (Qwen Code); the process is read no further."""

    def fields(self, event: str) -> tuple[Field, ...]:
        return (*self.on.get(event, ()), *self.on.get("*", ()))


class Folding(Struct, frozen=True, kw_only=True):
    """How several answers become one."""

    decisions: Mapping[str, Literal["most restrictive", "first", "source priority", "last", "first to finish"]] = {}
    """Which of several decisions counts, by event, ``*`` for the others; by default the most restrictive one."""
    precedence: tuple[str, ...] = ()
    """The decisions, the strictest first, where the client's order is not that of :func:`strictness` (Claude Code)."""
    reason: Literal["first", "last", "last to finish"] = "first"
    rewrite_winner: Literal["last", "last to finish"] = "last"
    rewrite: Literal["replace", "none"] = "replace"
    context: Literal["config order", "completion order"] = "config order"
    asks_without_decision_on: frozenset[str] = frozenset()
    """Events on which the user is asked when no hook decides."""
    refusal_effects: Mapping[str, str] = {}
    """Events on which a refusal has another effect than its fold rule says."""
    joined_reasons: Mapping[str, str] = {}
    """By event, ``*`` for the others: what joins the reasons of all hooks that refuse. Elsewhere one of them counts."""
    default_reason: str = ""
    """The reason of a refusal that gives none."""
    input_needs: Mapping[str, str] = {}
    """Tools whose rewritten input must have this text field; without it the call is refused."""
    reason_replaces_output_on: frozenset[str] = frozenset()
    """Events on which the model gets the reason in place of the tool's output."""
    reason_to: Mapping[str, Literal["model", "user", "both", "none"]] = {}
    """Who gets the reason, where it differs from the fold rule."""


class Stopping(Struct, frozen=True, kw_only=True):
    """Hooks that keep an agent going, and hooks that end it."""

    cap: int | None = 8
    """How often in a row a hook may keep the agent going; None: without limit."""
    uncapped: frozenset[str] = frozenset()
    """Events on which that limit does not hold."""
    says_active: bool = True
    """The event says by ``stop_hook_active`` whether a hook has already kept the agent going."""
    continue_false: Literal["stops the agent", "stops the hooks", "blocks", "ignored"] = "stops the agent"
    continue_false_on: Mapping[str, str] = {}

    def on_continue_false(self, event: str) -> str:
        """What ``continue: false`` does on an event."""
        return self.continue_false_on.get(event, self.continue_false)


class ModelHookRules(Struct, frozen=True, kw_only=True):
    """How prompt and agent hooks ask a model, and what its verdict does."""

    verdict: Literal["ok", "decision", "keyword"] = "ok"
    """Form of the verdict: {ok, reason}, {decision, reason}, or ALLOW / BLOCK / CONTINUE."""
    variables: Mapping[str, str] = {}
    """The value of $NAME in a prompt, as a dotted path in the payload. Besides, $ARGUMENTS is the whole event as
    JSON; it is appended to a prompt without any variable."""
    backslash_escapes: bool = False
    """A backslash before $ keeps the text that follows unchanged."""
    max_turns: int = 50
    """How often the model of an agent hook may be asked."""


# ------------------------------------------------------------------------------------------------------------ payload


class WireFormat(Struct, frozen=True, kw_only=True, eq=False):
    """How an event is written for a hook: names of fields, and the key that names the event."""

    event_key: str = "hook_event_name"
    """Empty: the payload does not name its event."""
    event_keys_on: Mapping[str, str] = {}
    """Events on which that key is another one, or missing."""
    also_event_keys: tuple[str, ...] = ()
    """Keys that are accepted too."""
    case: Literal["snake", "camel", "camel or snake"] = "snake"
    """How field names are spelled unless they are renamed; the first of two spellings is written."""
    renames: Mapping[str, str] = {}
    """Native field -> canonical field, on every event. The first native name of a field is the one written."""
    renames_on: Mapping[str, Mapping[str, str]] = {}
    """The same, on single events."""
    container: str = ""
    """The object that holds an event's own fields; those of every event are beside it (Windsurf's tool_info)."""
    inside: frozenset[str] = frozenset()
    """Canonical fields of every event that are in the container too."""
    text_fields: Mapping[str, frozenset[str]] = {}
    """By event: canonical fields that are sent as JSON text inside a string."""
    constants: Mapping[str, Mapping[str, object]] = {}
    """By event, ``*`` for all: native fields that are always sent, with their value when no field fills them."""
    copies: Mapping[str, str] = {}
    """Native fields that repeat a canonical one."""
    timestamps: Literal["", "iso", "milliseconds"] = ""
    """How times are written; empty: as they came."""
    start_sources: Mapping[str, str] = {}
    """What the client calls the causes of a session's start (startup, resume, clear, compact), where that differs;
    empty: it sends no event then."""
    final_newline: bool = False
