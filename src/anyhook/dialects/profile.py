"""A client's fact sheet: every rule on which clients differ is a named field here, never a constant in the engine.

``docs/dialects.md`` says which field answers which row of the seeds' conflicts.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from anyhook.model.events import BY_NAME, Subject
from anyhook.model.origin import Scope

# ---------------------------------------------------------------------------------------------------- where files are


class Root(enum.StrEnum):
    """The folder that a source's pattern starts from."""

    PROJECT = "project"
    HOME = "home"
    SYSTEM = "system"
    PLUGIN = "plugin"  # any folder that holds the source's marker


class FileKind(enum.StrEnum):
    """What kind of file it is, and so how hooks are found in it."""

    SETTINGS = "settings"  # "hooks" is one key among a client's other settings
    HOOKS = "hooks"  # a file of its own for hooks
    MANIFEST = "manifest"  # a plugin's manifest, whose "hooks" is a path or the hooks themselves
    COMPONENT = "component"  # front matter of a skill, agent or command
    TOML = "toml"  # [hooks] tables of a TOML file
    EMBEDDED = "embedded"  # a shape that only this dialect knows


class FileOrder(enum.StrEnum):
    """In which order files that match one pattern are used."""

    NAME = "by name"
    REVERSE = "by name, last first"


class Source(Struct, frozen=True, kw_only=True):
    scope: Scope
    root: Root
    pattern: str
    """Below the root; ``*`` stays within a folder, ``**`` does not."""
    kind: FileKind
    shared: bool = False
    """Another client's file that this client reads too."""
    written_in: str = ""
    """The dialect whose names and shape the file has, if not this one's."""
    home_variable: str = ""
    """Environment variable that replaces the first folder of a pattern below the home folder."""
    marker: str = ""
    """For plugins: a file or folder beside which the pattern counts."""
    sniffed: bool = False
    """Several clients use this place, so the file counts only if its content was written for this one."""
    order: FileOrder = FileOrder.NAME
    events: Mapping[str, str] = {}
    """Events that mean another one in this file: Stop of a subagent is SubagentStop."""
    only_first: bool = False
    """Read only if no earlier source with this flag in the same scope was found."""


def managed(pattern: str, kind: FileKind = FileKind.HOOKS, **more: object) -> Source:
    return Source(scope=Scope.MANAGED, root=Root.SYSTEM, pattern=pattern, kind=kind, **more)  # type: ignore[arg-type]


def user(pattern: str, kind: FileKind = FileKind.HOOKS, **more: object) -> Source:
    return Source(scope=Scope.USER, root=Root.HOME, pattern=pattern, kind=kind, **more)  # type: ignore[arg-type]


def project(pattern: str, kind: FileKind = FileKind.HOOKS, **more: object) -> Source:
    return Source(scope=Scope.PROJECT, root=Root.PROJECT, pattern=pattern, kind=kind, **more)  # type: ignore[arg-type]


def local(pattern: str, kind: FileKind = FileKind.SETTINGS, **more: object) -> Source:
    return Source(scope=Scope.LOCAL, root=Root.PROJECT, pattern=pattern, kind=kind, **more)  # type: ignore[arg-type]


def plugin(
    pattern: str, marker: str = "", kind: FileKind = FileKind.HOOKS, root: Root = Root.PLUGIN, **more: object
) -> Source:
    return Source(scope=Scope.PLUGIN, root=root, pattern=pattern, kind=kind, marker=marker, **more)  # type: ignore[arg-type]


def component(pattern: str, root: Root = Root.PROJECT, **more: object) -> Source:
    return Source(scope=Scope.COMPONENT, root=root, pattern=pattern, kind=FileKind.COMPONENT, **more)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------- how files are read


class Shape(enum.StrEnum):
    """How an event's hooks are written."""

    GROUPS = "groups"  # Event: [{matcher, hooks: [hook, ...]}]
    FLAT = "flat"  # Event: [hook, ...]
    EITHER = "either"


class Loss(enum.StrEnum):
    """How much is lost when something in a file is wrong."""

    ENTRY = "the entry"
    GROUP = "the group"
    FILE = "the file"
    START = "the client does not start"


class Layout(Struct, frozen=True, kw_only=True):
    """What a hook file may look like, and what a mistake in it costs."""

    shape: Shape = Shape.GROUPS
    bare_map: bool = False
    """Events may stand at the top level, without the "hooks" key."""
    version: int | str | None = None
    """The value of "version" that is written and accepted; None: the key is not part of the format."""
    version_required: bool = False
    file_keys: frozenset[str] | None = None
    """Top-level keys of a hook-only file; any other key loses the file. None: other keys are ignored."""
    group_keys: frozenset[str] = frozenset({"matcher", "hooks"})
    common_keys: Mapping[str, str] = {}
    """Keys of every hook, with the field of :class:`anyhook.model.hooks.Action` that they fill."""
    action_keys: Mapping[str, Mapping[str, str]] = {}
    """For each hook type that the client runs: its own keys, with the field they fill."""
    refused_types: Mapping[str, str] = {}
    """Types that are known but not run, with the reason."""
    default_type: str | None = None
    """The type of a hook without "type"; None: such a hook is invalid."""
    ignored_keys: frozenset[str] = frozenset()
    """Keys that are accepted without complaint and without effect."""
    submits_prompts: bool = False
    """A hook of type "prompt" gives its text to the agent instead of asking a model for a verdict."""
    comments: bool = False
    trailing_commas: bool = False
    byte_order_mark: bool = True
    on_syntax_error: Loss = Loss.FILE
    on_bad_entry: Loss = Loss.ENTRY
    file_lost_on: frozenset[str] = frozenset()
    """Events under which a bad entry loses the whole file, whatever ``on_bad_entry`` says."""
    on_bad_event: Loss = Loss.ENTRY
    """What an event costs whose value is not a list."""
    unknown_event: Loss = Loss.ENTRY
    flat_entry: Literal["invalid", "ignored"] = "invalid"
    """What a hook that stands directly in a list of groups is: a bad entry, or an empty group."""
    null_matcher: bool = True
    """``"matcher": null`` counts as no matcher; otherwise it makes the entry invalid."""
    single_object: bool = False
    """An object in place of the list of groups counts as a list of one."""
    event_settings: frozenset[str] = frozenset()
    """Keys of the event map that are settings, not events."""


# ---------------------------------------------------------------------------------------------------------- matching


class Otherwise(enum.StrEnum):
    """What a matcher is when it is not a list of exact names."""

    SEARCH = "regular expression, anywhere in the name"
    FULL = "regular expression, the whole name"
    GLOB = "shell pattern, the whole name"
    EXACT = "the exact name"


class Invalid(enum.StrEnum):
    """What an invalid pattern does."""

    NEVER = "never matches"
    EXACT = "is compared as plain text"
    DROPPED = "the entry is not loaded"


class MatchMode(Struct, frozen=True, kw_only=True):
    """One way to read a matcher."""

    exact: str | None = None
    """A pattern: matchers made only of this are lists of exact names. None: there are no such lists."""
    separators: str = "|"
    trim: Literal["no", "names", "whole"] = "no"
    """Whether white space is cut: not at all, around the names of a list, or also around a pattern."""
    otherwise: Otherwise = Otherwise.SEARCH
    flavour: Literal["javascript", "rust", "python", "re2"] = "javascript"
    invalid: Invalid = Invalid.NEVER
    everything: tuple[str, ...] = ("*", "")
    """Matchers that fit everything, besides an absent one."""
    empty_is_invalid: bool = False
    list_first: bool = False
    """Try the matcher as a list of exact names first, and as a pattern when that does not fit."""
    pattern_sees_aliases: bool = False
    """A regular expression is also tried on the tool's other names."""


class Matching(Struct, frozen=True, kw_only=True):
    """How matchers work: by default, and on single events."""

    mode: MatchMode = MatchMode()
    on: Mapping[str, MatchMode] = {}
    ignored: bool = False
    """Matchers are read and never applied (VS Code)."""
    subjects: Mapping[str, Subject] = {}
    """Events on which the subject differs from the canonical one."""
    values: Mapping[str, frozenset[str]] = {}
    """Per event, every value of the subject that the client sends; absent: not known or open."""
    tool_aliases: Mapping[str, frozenset[str]] = {}
    """Other names under which a tool can be matched."""
    renamed_tools: Mapping[str, str] = {}
    """Tools that matchers see under another name (Copilot's PascalCase face)."""
    no_subject_never_matches: bool = False
    """On an event without a subject, a matcher other than "everything" never fits (OpenHands)."""

    def subject(self, event: str) -> Subject:
        if event in self.subjects:
            return self.subjects[event]
        return BY_NAME[event].subject if event in BY_NAME else Subject.NOTHING

    def mode_for(self, event: str) -> MatchMode:
        return self.on.get(event, self.mode)


# ---------------------------------------------------------------------------------------------------------- timeouts


class Unit(enum.StrEnum):
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    EITHER = "seconds below 1000, else milliseconds"


class Timeouts(Struct, frozen=True, kw_only=True):
    unit: Unit = Unit.SECONDS
    units: Mapping[str, Unit] = {}
    """Hook types whose unit differs."""
    default_ms: int | None = 60_000
    """None: there is no limit."""
    defaults_ms: Mapping[str, int] = {}
    """Hook types or events whose default differs."""
    minimum_ms: int | None = None
    maximum_ms: int | None = None
    maximums_ms: Mapping[str, int] = {}
    whole_numbers: bool = False
    text_allowed: bool = False
    """A number in quotes is accepted."""
    zero: Literal["invalid", "default", "minimum", "at once"] = "invalid"
    """What 0 or a negative number means."""
    configurable: bool = True
    on_timeout: Literal["open", "closed"] = "open"
    closed_on: frozenset[str] = frozenset()
    async_unit: Unit = Unit.MILLISECONDS
    """Unit of ``asyncTimeout`` in an answer."""
    async_default_ms: int | None = None
    """The limit of a hook that goes to the background by its answer and does not name one; None: its own limit."""

    def unit_of(self, kind: str) -> Unit:
        return self.units.get(kind, self.unit)

    def to_ms(self, value: float, kind: str) -> int:
        match self.unit_of(kind):
            case Unit.MILLISECONDS:
                factor = 1
            case Unit.SECONDS:
                factor = 1000
            case Unit.EITHER:
                factor = 1 if value >= 1000 else 1000
        return max(round(value * factor), 0)

    def from_ms(self, milliseconds: int, kind: str) -> float | int:
        if self.unit_of(kind) is Unit.MILLISECONDS or (self.unit_of(kind) is Unit.EITHER and milliseconds >= 1_000_000):
            return milliseconds
        return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000

    def effective_ms(self, timeout_ms: int | None, kind: str, event: str) -> int | None:
        """The limit that really applies to a hook, with defaults and bounds."""
        if timeout_ms is None:
            return self.defaults_ms.get(event, self.defaults_ms.get(kind, self.default_ms))
        maximum = self.maximums_ms.get(event, self.maximum_ms)
        if maximum is not None:
            timeout_ms = min(timeout_ms, maximum)
        return max(timeout_ms, self.minimum_ms or 0)


# ------------------------------------------------------------------------------------------------------------ running


class Order(enum.StrEnum):
    PARALLEL = "parallel"
    SEQUENTIAL = "sequential"
    PARALLEL_UNLESS_ASKED = "parallel, sequential if a group asks"


class Dedupe(enum.StrEnum):
    """What makes two hooks the same, so that only one runs."""

    NOTHING = "never"
    COMMAND = "same command, across settings files"
    NAME_AND_COMMAND = "same name and command"
    EVERYTHING = "same definition"


class Execution(Struct, frozen=True, kw_only=True):
    order: Order = Order.PARALLEL
    chains_input: bool = False
    """In sequence, a rewritten input is what the next hook sees."""
    dedupe: Dedupe = Dedupe.NOTHING
    stops_after: Literal["nothing", "block", "decision", "continue false"] = "nothing"
    """After which answer the remaining hooks of the event are not started."""
    stops_on: frozenset[str] = frozenset({"*"})
    """Events on which that holds; ``*``: on all."""
    sync_on: frozenset[str] = frozenset()
    """Events on which background hooks are waited for all the same."""
    plugin_variables_fail: bool = False
    """A hook outside a plugin that uses a plugin's variable is not started."""
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    cwd: Literal["session", "project", "home", "file's folder"] = "session"
    waits_for_pipe: bool = False
    """Waits until a background child closes the pipe, not only until the command ends."""
    honours_async: bool = False
    max_async: int | None = None
    exports: tuple[str, ...] = ()
    """Environment variables set for every hook."""
    plugin_exports: tuple[str, ...] = ()
    """Environment variables set for hooks that come from a plugin."""
    event_exports: Mapping[str, frozenset[str]] = {}
    """Variables that are set only on certain events."""
    substituted: tuple[str, ...] = ()
    """Names whose ${NAME} is replaced in the command text before the shell sees it."""
    payload_exports: Mapping[str, str] = {}
    """Values of the event given as environment variables: variable, path in the payload."""


# ------------------------------------------------------------------------------------------------------------ answers


class Exits(Struct, frozen=True, kw_only=True):
    """What an exit status means."""

    blocking: frozenset[int] = frozenset({2})
    any_nonzero_blocks: bool = False
    blocks_above: int | None = None
    """Every status above this one blocks too (Gemini)."""
    fails_closed_on: frozenset[str] = frozenset()
    """Events on which any other failure blocks (Copilot)."""
    needs: Literal["nothing", "stderr", "any text"] = "nothing"
    """What must be printed for a blocking status to block."""
    ignored_on: frozenset[str] = frozenset()
    """Events on which a blocking status is only a warning."""
    json: Literal["always", "zero", "not two", "merged"] = "zero"
    """On which exits stdout is read as JSON; merged: also on a blocking one, which still blocks."""
    json_beats_status: bool = False
    reads_stderr_json: bool = False
    """JSON is looked for on stderr when stdout is empty."""
    tells_stderr: bool = True
    """What a blocking hook prints on stderr is its reason."""
    silent_reason: str = ""
    """The reason of a block for which nothing was printed."""
    stderr_is_context_on: frozenset[str] = frozenset()
    """Events on which the stderr of a blocking status is context for the model."""
    warning: Literal["no", "stderr", "any text"] = "no"
    """What a failing hook prints that is shown to the user."""
    warning_on: frozenset[str] = frozenset({"*"})
    """Events on which it is; ``*``: on all."""
    warning_codes: Literal["any", "blocking"] = "any"
    any_nonzero_on: frozenset[str] = frozenset()
    """Events on which every status but 0 blocks."""


class Field(Struct, frozen=True):
    """Where one part of an answer stands, and how its values translate to the canonical ones."""

    part: str
    """decision, reason, input, output, context, message, continue, stop_reason, suppress, async, async_timeout; any
    other name is a part that only this event or client has."""
    path: tuple[str, ...]
    values: Mapping[str, str] = {}
    """Native -> canonical, for parts with a fixed set of values (booleans as true and false); canonical "": the value
    is accepted and says nothing. Other values are bad ones."""
    implies: str = ""
    """The decision that it means to give this part at all (Cursor's followup_message)."""
    mirror: bool = False
    """Written too, beside the first field of its part."""
    refused: bool = False
    """Known to the client, and a bad value whatever it is."""


class Need(Struct, frozen=True, kw_only=True):
    """A part that the client accepts only together with another one; alone it is a bad value."""

    part: str
    value: str = ""
    """Canonical value for which this holds; empty: any."""
    needs: str
    needs_value: str = ""
    unless: str = ""
    """Another part that lifts the need."""


class EventName(Struct, frozen=True, kw_only=True):
    """Where an answer repeats the name of its event, and what a wrong one costs."""

    path: tuple[str, ...]
    required: bool = False
    """The object that it stands in is bad without it."""
    checked: bool = False
    """It must be the event's own name."""
    wrong: Literal["void", "strip"] = "void"
    """A bad one costs the whole answer, or only the object that it stands in."""


class Answers(Struct, frozen=True, kw_only=True, eq=False):
    """How a hook's JSON is read and written."""

    on: Mapping[str, tuple[Field, ...]] = {}
    """Fields by event; ``*`` holds on every event. Earlier fields win and are the ones written."""
    speaks_json: bool = True
    strict: bool = False
    """An unknown key voids the whole answer (Codex)."""
    bad_value: Literal["void", "ignored"] = "ignored"
    """What a known key with a wrong type or value costs: the whole answer, or only itself."""
    null_is_absent: bool = True
    needs: Mapping[str, tuple[Need, ...]] = {}
    """By event; ``*`` holds on every event."""
    event_names: tuple[EventName, ...] = ()
    block_by_exit: frozenset[str] = frozenset()
    """Events on which a refusal is best said by a blocking exit status and stderr; ``*``: on all."""
    silence_blocks_on: frozenset[str] = frozenset()
    """Events on which an answer without a decision blocks, so that allow must be said (Antigravity)."""
    refusal_drops_context_on: frozenset[str] = frozenset()
    """Events on which the context of an answer that also refuses does not reach the model."""
    text_is_context_on: frozenset[str] = frozenset()
    text_is_void_on: frozenset[str] = frozenset()
    """Events on which plain text is a failed answer."""
    text_to_user: bool = False
    """Plain text on exit 0 is shown to the user."""
    byte_order_mark: bool = True
    """JSON may start with a byte order mark."""
    double_encoded: bool = False
    """A JSON string that holds JSON is an answer too."""
    broken_json_fails: bool = False
    """Text that looks like JSON and is none makes the hook fail, instead of being plain text."""
    progress_lines: bool = False
    """Lines of the form {"type": "progress"} are not part of the answer."""
    context_continues_on: frozenset[str] = frozenset()
    """Events on which context alone keeps the agent going."""
    no_message_on: frozenset[str] = frozenset()
    """Events on which a message for the user is not shown."""
    raw_text_on: frozenset[str] = frozenset()
    """Events on which stdout goes to the model as it is, JSON or not."""
    honours_suppress: bool = False
    """``suppressOutput`` hides the message from the user."""
    other_to_model: frozenset[str] = frozenset()
    """Parts of an answer that only some events have and that reach the model."""
    output_to: Mapping[str, Literal["model", "user"]] = {}
    """Events on which a replaced text is heard by somebody."""
    output_text: tuple[str, ...] = ()
    """Keys under which a structured output holds the text that is heard."""
    output_needs_shape: bool = False
    """A replaced output must have the type of the original one."""
    context_cap: int | None = None
    """Characters of context that reach the model whole."""
    output_cap: int | None = None
    message_to: frozenset[Literal["user", "model"]] = frozenset({"user"})
    verdict: Literal["ok", "decision", "keyword"] = "ok"
    """Form of a model's verdict: {ok, reason}, {decision, reason}, or ALLOW / BLOCK / CONTINUE."""
    escapes_context: bool = False

    def fields(self, event: str) -> tuple[Field, ...]:
        return (*self.on.get(event, ()), *self.on.get("*", ()))


class Folding(Struct, frozen=True, kw_only=True):
    """How several answers become one."""

    decision: Literal["most restrictive", "first", "last", "source priority"] = "most restrictive"
    decisions: Mapping[str, Literal["most restrictive", "first", "last", "first to finish"]] = {}
    """Events on which it differs."""
    precedence: tuple[str, ...] = ("deny", "ask", "allow")
    no_decision: Literal["passthrough", "ask", "allow"] = "passthrough"
    reason: Literal["first", "last", "last to finish", "joined"] = "first"
    rewrite_winner: Literal["last", "last to finish"] = "last"
    rewrite: Literal["replace", "merge", "none"] = "replace"
    rewrite_needs_allow: bool = False
    context: Literal["config order", "completion order", "last"] = "config order"
    ask_without_user: Literal["ask", "deny"] = "ask"
    unsupported_decisions: frozenset[str] = frozenset()
    asks_without_decision_on: frozenset[str] = frozenset()
    """Events on which the user is asked when no hook decides."""
    refusal_effects: Mapping[str, str] = {}
    """Events on which a refusal has another effect than its fold rule says."""
    joins_reasons_on: frozenset[str] = frozenset()
    joint: str = "\n"
    default_reason: str = ""
    """The reason of a refusal that gives none."""
    context_first: bool = False
    """Context reaches the model before the reason."""
    input_needs: Mapping[str, str] = {}
    """Tools whose rewritten input must have this text field; without it the call is refused."""
    reason_replaces_output_on: frozenset[str] = frozenset()
    """Events on which the model gets the reason in place of the tool's output."""
    reason_to: Mapping[str, Literal["model", "user", "both", "nobody"]] = {}
    """Who is told a reason, where it is not who the fold rule says."""
    last_context_on: frozenset[str] = frozenset()
    """Events on which only the last hook's context counts."""


class Stopping(Struct, frozen=True, kw_only=True):
    """Hooks that keep an agent going, and hooks that end it."""

    cap: int | None = 8
    """How often in a row a hook may keep the agent going; None: without limit."""
    uncapped: frozenset[str] = frozenset()
    """Events on which that limit does not hold."""
    continue_true_restarts: bool = False
    continue_false: Literal["stops the agent", "stops the hooks", "blocks", "ignored", "invalid"] = "stops the agent"
    continue_false_on: Mapping[str, str] = {}
    prefers_stop_reason: bool = True
    """Where continue: false blocks and both are given, stopReason counts, not reason."""
    default_reason: str = ""
    stop_replaces_output_on: frozenset[str] = frozenset()
    """Events on which the model gets the stop reason in place of the tool's output."""


class HttpRules(Struct, frozen=True, kw_only=True):
    """What the answer to an HTTP hook means. One that fails does what a failing command does (:class:`Exits`)."""

    text: Literal["failure", "ignored", "message"] = "failure"
    """What a 2xx answer is that is neither empty nor a JSON object: a failure, nothing, or a message for the user."""
    needs_json_type: bool = False
    """JSON counts only under ``Content-Type: application/json``."""
    url_variables: bool = False
    """Variables are filled in in the URL, too, not only in headers."""
    https_only: bool = False
    """A plain http URL is called on this machine alone; elsewhere the hook is left out."""
    loopback_variable: str = ""
    """Environment variable that must be 1 for this machine to be called; otherwise the hook is left out."""


# ------------------------------------------------------------------------------------------------------------ payload


class Wire(Struct, frozen=True, kw_only=True, eq=False):
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
    """The object that holds an event's own fields; those of every event stand beside it (Windsurf's tool_info)."""
    inside: frozenset[str] = frozenset()
    """Canonical fields of every event that stand in the container too."""
    text_fields: Mapping[str, frozenset[str]] = {}
    """By event: canonical fields that are sent as JSON text inside a string."""
    constants: Mapping[str, Mapping[str, object]] = {}
    """By event, ``*`` for all: native fields that are always sent, with their value when no field fills them."""
    copies: Mapping[str, str] = {}
    """Native fields that repeat a canonical one."""
    timestamps: Literal["", "iso", "milliseconds"] = ""
    """How times are written; empty: as they came."""
    stdin: bool = True
    final_newline: bool = False


# ------------------------------------------------------------------------------------------------------------ the sum


class Switch(Struct, frozen=True):
    """A setting that turns hooks off when it has the given value."""

    path: tuple[str, ...]
    value: bool = True
    reach: Literal["file", "all", "named", "unmanaged"] = "all"
    """Whose hooks: this file's, everybody's, those listed as the value, all but the organisation's."""
    file: str = ""
    """End of the path of the only file in which it counts; empty: in every file."""


class Profile(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    release: str
    """The release or document that these facts are from."""
    basis: Literal["recorded", "documented", "seed"]
    sources: tuple[Source, ...] = ()
    """In the order in which the client uses them."""
    merges_scopes: bool = True
    """False: the first file found is the only one, whatever its scope (OpenHands)."""
    layout: Layout = Layout()
    matching: Matching = Matching()
    timeouts: Timeouts = Timeouts()
    execution: Execution = Execution()
    exits: Exits = Exits()
    answers: Answers = Answers()
    folding: Folding = Folding()
    stopping: Stopping = Stopping()
    http: HttpRules = HttpRules()
    wire: Wire = Wire()
    cannot_block: frozenset[str] = frozenset()
    """Events that can block elsewhere but not here."""
    can_block_too: frozenset[str] = frozenset()
    """Events that block here though they do not elsewhere."""
    effects: Mapping[str, str] = {}
    """In words, what a blocking answer does on an event where it is not obvious."""
    types_on: Mapping[str, frozenset[str]] = {}
    """Events on which only some hook types run."""
    trust: str = "none"
    """What the client asks before it runs a project's hooks."""
    switches: tuple[Switch, ...] = ()
    """Settings that turn hooks off."""
    faces: Mapping[str, Profile] = {}
    """Other rules for rules whose event name fits the pattern: Copilot treats PascalCase names as Claude's."""
    restart_note: str = ""
    """What a person must do before an edited file is used."""

    def face(self, native_event: str) -> Profile:
        """The profile that holds for a rule written under this event name."""
        for pattern, profile in self.faces.items():
            if re.fullmatch(pattern, native_event):
                return profile
        return self

    def blocks(self, event: str) -> bool:
        if event in self.cannot_block:
            return False
        return event in self.can_block_too or (event in BY_NAME and BY_NAME[event].can_block)
