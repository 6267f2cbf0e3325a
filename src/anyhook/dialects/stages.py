"""What the stages of the engine work on, as far as a client's overrides take part in them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, structs

from anyhook.dialects.bound_event import BoundEvent
from anyhook.dialects.overrides import overridden
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import LossScope, Profile
from anyhook.model.cause import Cause, CauseKind, JsonUse
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action, Command
from anyhook.model.lazyjson import load_json
from anyhook.model.origin import Scope
from anyhook.model.outcome import Run, Status
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload

BLOCKED_BY_STATUS = frozenset({CauseKind.EXIT_BLOCKS, CauseKind.EXIT_NONZERO_BLOCKS, CauseKind.EXIT_ABOVE_BLOCKS})

# ------------------------------------------------------------------------------------------------------------ files


class Opened(Struct, frozen=True):
    """A hook file of a client, before it is read."""

    profile: Profile
    kind: FileKind
    scope: Scope


class Lost(Struct, frozen=True):
    """A part of a hook file that its client does not load."""

    profile: Profile
    event: str
    """The canonical event that it is for; empty: none that the client has."""
    scope: LossScope
    """What that costs by the layout."""


class Entry(Struct, frozen=True):
    """An entry of a hook file."""

    profile: Profile
    value: dict[str, Any]


# ------------------------------------------------------------------------------------------- the JSON of a command


class Printed(Struct, frozen=True):
    """A hook's two streams as text."""

    stdout: str
    stderr: str

    @property
    def any_text(self) -> str:
        return self.stdout.strip() or self.stderr.strip()


class Ended(Struct, frozen=True):
    """A command that has ended, and the text in which its client looks for JSON: at first, stdout."""

    bound: BoundEvent
    printed: Printed
    code: int
    text: str
    use: JsonUse = JsonUse.STDOUT

    def on_stderr(self) -> Ended:
        """The same for a client that looks on stderr."""
        return structs.replace(self, text=json_text(self.printed.stderr), use=JsonUse.STDERR)


class FoundJson(Struct, frozen=True):
    """The JSON object that the client reads, or what is wrong with it."""

    use: JsonUse
    value: dict[str, Any] | None = None
    fault: Cause | None = None


def broken_json_fails(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """Text that looks like a JSON object and is none makes the hook fail."""
    found = default(ended)
    if found.use is not JsonUse.BROKEN:
        return found
    why = parse_json(ended.text)
    return FoundJson(ended.use, fault=Cause(CauseKind.NOT_JSON, f"{ended.use} is not valid JSON: {why.text}"))


def json_text(printed: str) -> str:
    """A stream without what may surround JSON."""
    return printed.strip().removeprefix("\ufeff").strip()


def parse_json(text: str) -> Any:
    """The value of a JSON text; a :class:`Cause` when it is not JSON."""
    try:
        value = load_json(text.encode())
        return _without_half_characters(value) if "\\ud" in text or "\\uD" in text else value
    except RecursionError:
        return Cause(CauseKind.NOT_JSON, "it is nested too deeply")
    except ValueError as error:
        return Cause(CauseKind.NOT_JSON, str(error))


def _without_half_characters(value: Any) -> Any:
    """The value as it survives UTF-8: JSON can escape half of a surrogate pair, which nothing else can carry."""
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case list():
            return [_without_half_characters(item) for item in value]
        case dict():
            return {_without_half_characters(key): _without_half_characters(item) for key, item in value.items()}
        case _:
            return value


# --------------------------------------------------------------------------------------------------------- replies


class Answer(Struct, frozen=True):
    """A JSON object that a hook printed or returned, before it is read."""

    bound: BoundEvent
    value: dict[str, Any]

    def at(self, *path: str) -> Any:
        """The value at a path; None where there is none."""
        value: Any = self.value
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value


class Said(Struct, frozen=True):
    """A reply that is to be written for a client."""

    bound: BoundEvent
    reply: Reply


def void(kind: CauseKind, pointer: str, why: str) -> Reply:
    """A reply that the client discards, and why."""
    return Reply(invalid=Cause(kind, f"{pointer} {why}", pointer))


# -------------------------------------------------------------------------------------------- what a command means


class Result(Struct, frozen=True, kw_only=True):
    """A command that has ended, with all that its client reads of it."""

    bound: BoundEvent
    action: Action
    run: Run
    """The run, still without a verdict."""
    printed: Printed
    code: int
    status: CauseKind
    """What the exit status means on this event."""
    found: FoundJson
    reply: Reply | None
    fault: Cause | None
    """What is wrong with the reply."""
    warning: str
    """What a failing hook printed for the user."""

    @property
    def event(self) -> str:
        return self.bound.event

    @property
    def is_blocked(self) -> bool:
        """Whether the exit status refuses."""
        return self.status in BLOCKED_BY_STATUS

    @property
    def good_reply(self) -> Reply | None:
        return self.reply if self.fault is None else None

    def cause(self, kind: CauseKind) -> Cause:
        exits = self.bound.profile.exits
        limit = exits.above(self.event) if kind is CauseKind.EXIT_ABOVE_BLOCKS else None
        return Cause(kind, limit=limit, json=self.found.use)


# ---------------------------------------------------------------------------------------------- several hooks together


class FinishedRun(Struct, frozen=True):
    """A run, its place in the configuration, and its place in the order of finishing."""

    run: Run
    place: int
    finished: int
    """Runs in the background have not finished: -1."""
    context_cap: int | None = None
    """The hook's own limit on context, in characters; 0: none."""

    @property
    def reply(self) -> Reply:
        return self.run.reply or _NO_REPLY


_NO_REPLY = Reply()


class Printout(Struct, frozen=True):
    """A run whose JSON is merged with that of others."""

    run: Run
    printed: Printed
    found: FoundJson
    status: CauseKind
    spelled: Mapping[str, Any] | None
    """Its reply in the client's JSON."""

    @property
    def is_blocked(self) -> bool:
        return self.status in BLOCKED_BY_STATUS


class Printouts(Struct, frozen=True):
    """The runs of an event whose JSON a client may merge before it reads it."""

    bound: BoundEvent
    runs: tuple[Printout, ...]


class Weighed(Struct, frozen=True):
    """One reply, before it is folded with others."""

    bound: BoundEvent
    payload: Payload
    reply: Reply
    context_cap: int | None

    @property
    def event(self) -> str:
        return self.bound.event

    @property
    def stop_blocks(self) -> bool:
        """Whether the reply stops, and that is a refusal here."""
        return self.reply.stop is True and self.bound.stop_mode == "blocks"


class Fold(Struct, frozen=True):
    """All runs of an event."""

    bound: BoundEvent
    payload: Payload
    ended: tuple[FinishedRun, ...]
    """As the client folds them: where it merges replies, one run with the merged reply."""
    runs: tuple[Run, ...]
    """As they ended, in the order of the configuration."""

    @property
    def event(self) -> str:
        return self.bound.event

    @property
    def replies(self) -> tuple[Reply, ...]:
        return tuple(e.reply for e in sorted(self.ended, key=lambda e: e.place))


class Starting(Struct, frozen=True):
    """A command that is to be started."""

    profile: Profile
    action: Command
    text: str
    """As the shell is to get it."""
    variables: Mapping[str, str]


class Interpreter(Struct, frozen=True, kw_only=True):
    """What runs a command in place of the client's own shell."""

    programs: tuple[str, ...]
    """Names to look for on the PATH, best first. Without any of them the hook does not run."""
    options: tuple[str, ...] = ()
    """What precedes the command."""
    suffix: str = ""
    """What the client appends to the command."""


class ShellNamed(Struct, frozen=True):
    """What a hook names as its shell."""

    profile: Profile
    name: str


class Posted(Struct, frozen=True):
    """An HTTP hook that is to be called."""

    profile: Profile
    url: str
    filled: Callable[[str], str]
    """A text with the variables that the hook may use filled in."""


class Called(Struct, frozen=True):
    """An HTTP hook whose address is known, or that has answered with a status of success."""

    profile: Profile
    scheme: str
    is_loopback: bool
    media_type: str = ""
    body: bytes = b""

    @property
    def is_object(self) -> bool:
        """Whether the answer is a JSON object."""
        try:
            return isinstance(load_json(self.body), dict)
        except (ValueError, RecursionError):
            return False


class Verdict(Struct, frozen=True, kw_only=True):
    """A model's judgement of one event."""

    decision: Decision | None
    """None: it has no objection, which leaves the decision to others and does not allow."""
    reason: str = ""
    context: str = ""
    """Text for the agent's model (Qwen Code's additionalContext)."""


class Asked(Struct, frozen=True):
    """A hook whose model has given its verdict."""

    event: str
    action: Action
    verdict: Verdict


def input_fault(given: Fold, updated_input: Any) -> str:
    """What an input that a hook has rewritten lacks; empty: nothing that the tool needs."""
    field = given.bound.profile.folding.input_needs.get(getattr(given.payload, "tool_name", ""))
    if field is None or (isinstance(updated_input, Mapping) and isinstance(updated_input.get(field), str)):
        return ""
    return f"hook returned updatedInput without string field {field}"


class Judged(Struct, frozen=True):
    """A run with its verdict."""

    bound: BoundEvent
    run: Run


def refusal_on(event: str) -> Decision:
    """What a refusal is called on an event."""
    known = BY_NAME.get(event)
    return Decision.DENY if known is not None and known.fold is FoldRule.DECISION else Decision.BLOCK


def refuses(reply: Reply | None) -> bool:
    return reply is not None and reply.decision is not None and reply.decision.is_refusal


def fails_closed(bound: BoundEvent, action: Action) -> bool:
    """Whether a hook that fails refuses."""
    return action.fail_closed or bound.event in bound.profile.exits.fails_closed_on


def answered(run: Run, reply: Reply, cause: Cause) -> Run:
    """The run of a hook whose reply counts."""
    status = Status.BLOCKED if refuses(reply) else Status.ALLOWED
    return structs.replace(run, status=status, cause=cause, reason=reply.reason or "", reply=reply)


def failed(run: Run, bound: BoundEvent, cause: Cause, text: str, *, closed: bool) -> Run:
    """The run of a hook that failed."""
    reply = Reply(decision=refusal_on(bound.event), reason=text) if closed else None
    status = Status.FAILED_CLOSED if closed else Status.FAILED_OPEN
    return structs.replace(run, status=status, cause=cause, reason=text, reply=reply)


def interpreter_for(profile: Profile, shell: str | None) -> Interpreter | None:
    """What runs a command whose hook names this shell; None: the client's own shell does."""
    return overridden(profile.overrides.interpreter, ShellNamed(profile, shell or ""), lambda _: None)
