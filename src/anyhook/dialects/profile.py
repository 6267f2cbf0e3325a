"""A client's fact sheet: every rule on which clients differ is a named field here, never a constant in the engine.

``docs/dialects.md`` says which field holds which difference between clients and specifications.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from anyhook.dialects.contract import Answers, Exits, Folding, ModelHookRules, Stopping, WireFormat
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Source
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.settings.shapes import Value
from anyhook.dialects.vocabulary import Tools
from anyhook.model.events import BY_NAME, Subject
from anyhook.model.origin import Scope

# ------------------------------------------------------------------------------------------------- how files are read


class Shape(enum.StrEnum):
    """How an event's hooks are written."""

    GROUPS = "groups"  # Event: [{matcher, hooks: [hook, ...]}]
    FLAT = "flat"  # Event: [hook, ...]
    EITHER = "either"


class LossScope(enum.StrEnum):
    """How much is lost when something in a file is wrong."""

    ENTRY = "the entry"
    FILE = "the file"
    START = "the client does not start"


class Layout(Struct, frozen=True, kw_only=True):
    """What a hook file may look like, and what a mistake in it costs."""

    shape: Shape = Shape.GROUPS
    writes_flat: bool = False
    """Where both ways are read, hooks are always written flat; otherwise as the rule that they are from was."""
    bare_map: bool = False
    """Events may be at the top level, without the "hooks" key."""
    version: int | str | None = None
    """The value of "version" that is written and accepted; None: the key is not part of the format."""
    version_required: bool = False
    file_keys: frozenset[str] | None = None
    """Top-level keys of a hook-only file; any other key loses the file. None: other keys are ignored."""
    text_keys: frozenset[str] = frozenset()
    """Those of them that must be text or null; another value loses the file."""
    group_keys: frozenset[str] = frozenset({"matcher", "hooks"})
    common_keys: Mapping[str, str] = {}
    """Keys of every hook, with the field of :class:`anyhook.model.hooks.Action` that they fill."""
    action_keys: Mapping[str, Mapping[str, str]] = {}
    """For each hook type that the client runs: its own keys, with the field they fill."""
    refused_types: Mapping[str, str] = {}
    """Types that are known but not run, with the reason."""
    default_type: str | None = None
    """The type of a hook without "type"; None: such a hook is invalid."""
    values: Literal["usual", "loose", "strict"] = "usual"
    """What keys of a hook other than the needed ones and the timeout may hold: null or a value of their type; anything;
    or only a value of their type, and text in the keys that are notes."""
    empty_command: Literal["bad", "ignored"] = "bad"
    """What a hook is whose command is empty: a bad entry, or one that runs nothing."""
    command_required: bool = False
    """A hook needs its command also where it has one for each system (Codex); the schema for editors says so."""
    ignored_keys: frozenset[str] = frozenset()
    """Keys that are accepted without complaint and without effect."""
    submits_prompts: bool = False
    """A hook of type "prompt" gives its text to the agent instead of asking a model for a verdict."""
    comments: bool = False
    trailing_commas: bool = False
    byte_order_mark: bool = True
    on_syntax_error: LossScope = LossScope.FILE
    on_bad_entry: LossScope = LossScope.ENTRY
    on_bad_event: LossScope = LossScope.ENTRY
    """What an event costs whose value is not a list."""
    unknown_event: LossScope = LossScope.ENTRY
    many_hosts: bool = False
    """Several hosts read the same file, so that an event which is unknown here is not a mistake."""
    flat_entry: Literal["invalid", "ignored"] = "invalid"
    """What a hook directly in a list of groups is: a bad entry, or an empty group."""
    bad_matcher: Literal["entry", "event", "flat entry"] = "entry"
    """What a matcher costs that is no text, where it is read: a bad entry; or 0 and false count as no matcher, and any
    other value keeps every hook of the event from running; or a bad entry, and nothing on a group."""
    null_matcher: bool = True
    """``"matcher": null`` counts as no matcher; otherwise it makes the entry invalid."""
    unused_matchers_checked: bool = True
    """So does one that is no text on an event without a subject; otherwise it is not looked at there."""
    single_object: bool = False
    """An object in place of the list of groups counts as a list of one."""
    event_settings: frozenset[str] = frozenset()
    """Keys of the event map that are settings, not events."""
    sections: Mapping[str, str] = {}
    """Parts of a file that are for one client alone and replace the shared hooks of an event there: name, dialect."""
    once_in_components_only: bool = False
    """"once" has an effect only in the front matter of a skill or an agent."""
    enabled_at: Literal["", "hook", "name"] = ""
    """Where ``"enabled": false`` switches hooks off: in a hook, or in the object of hooks under a name."""
    one_spelling: bool = False
    """A file may have an event under one of its names only; two lose the file."""


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
    """Matchers that match everything, besides an absent one."""
    empty_is_invalid: bool = False
    list_first: bool = False
    """Try the matcher as a list of exact names first, and as a pattern when that does not match."""
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
    """Tools that matchers see under another name (Copilot's PascalCase variant)."""
    no_subject_never_matches: bool = False
    """On an event without a subject, a matcher other than "everything" never matches (OpenHands)."""

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


TOO_SHORT_MS = 100
"""In less time no process even starts; such a number counts seconds where the client counts milliseconds."""


class Timeouts(Struct, frozen=True, kw_only=True):
    unit: Unit = Unit.SECONDS
    units: Mapping[str, Unit] = {}
    """Hook types whose unit differs."""
    default_ms: int | None = 60_000
    """None: there is no limit."""
    defaults_ms: Mapping[str, int] = {}
    """Hook types or events whose default differs."""
    minimum_ms: int | None = None
    maximums_ms: Mapping[str, int] = {}
    """By event, ``*`` for the others."""
    whole_numbers: bool = False
    text_allowed: bool = False
    """A number in quotes is accepted."""
    zero: Literal["invalid", "default", "minimum", "at once"] = "invalid"
    """What 0 or a negative number means."""
    configurable: bool = True
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
        if self.unit_of(kind) is Unit.MILLISECONDS or (self.unit_of(kind) is Unit.EITHER and milliseconds >= 1000):
            return milliseconds  # which every release takes for milliseconds
        return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000

    def maximum_ms(self, event: str) -> int | None:
        return self.maximums_ms.get(event, self.maximums_ms.get("*"))

    def effective_ms(self, timeout_ms: int | None, kind: str, event: str) -> int | None:
        """The limit that really applies to a hook, with defaults and bounds."""
        if timeout_ms is None:
            return self.defaults_ms.get(event, self.defaults_ms.get(kind, self.default_ms))
        maximum = self.maximum_ms(event)
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
    sync_on: frozenset[str] = frozenset()
    """Events on which background hooks are waited for all the same."""
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    uses_login_shell: bool = False
    """Hooks run in the shell that the user's ``SHELL`` names, whichever that is."""
    cwd: Literal["session", "project", "file's folder"] = "session"
    cwd_follows: bool = False
    """The folder of the session changes when the agent changes it with ``cd``."""
    plugins_run_at_home: bool = False
    """Hooks of a plugin start in the plugin's folder."""
    makes_executable: bool = False
    """A script that is not executable is made so before it is started."""
    project_variable: str = ""
    """The variable that tells a hook the project's folder, wherever in it the session is by now; empty: none does."""
    waits_for_pipe: bool = False
    """Waits until a background child closes the pipe, not only until the command ends."""
    honours_async: bool = False
    max_async: int | None = None
    """How many hooks may run in the background at once, where the client has a limit (Codex)."""
    loopback_variable: str = ""
    """Environment variable that must be 1 for an HTTP hook to call this machine; otherwise the hook is left out. Set by
    Copilot CLI alone; a field all the same, for ``anyhook daemon`` names it."""
    exports: tuple[str, ...] = ()
    """Environment variables set for every hook."""
    plugin_exports: tuple[str, ...] = ()
    """Environment variables set for hooks that come from a plugin."""
    event_exports: Mapping[str, frozenset[str]] = {}
    """Variables that are set only on certain events."""
    substituted: tuple[str, ...] = ()
    """Names whose ${NAME} is replaced in the command text before the shell sees it."""
    quotes_substituted: bool = False
    """A substituted ${NAME} outside quotes is one word whatever its value: the specification writes it so."""
    templates: tuple[str, ...] = ()
    """Names whose {{NAME}} is replaced in the command text of a plugin's hooks."""
    plugin_text: tuple[str, ...] = ()
    """Names whose ${NAME} is replaced by the bare value in the commands of a plugin, before the shell sees them."""
    courtesy_exports: Mapping[str, str] = {}
    """Another client's variables, set for that client's plugins only, with the client's own name for each."""
    exports_payload: bool = False
    """Plain values of the event are exported too, under names that are not documented."""
    payload_exports: Mapping[str, str] = {}
    """Values of the event given as environment variables: variable, path in the payload."""


# ------------------------------------------------------------------------------------------------------------ the sum


class Switch(Struct, frozen=True):
    """A setting that turns hooks off when it has the given value."""

    path: tuple[str, ...]
    value: bool = True
    reach: Literal["file", "all", "named", "unmanaged"] = "all"
    """Whose hooks: this file's, all, those listed as the value, all but the organisation's."""
    file: str = ""
    """End of the path of the only file in which it counts; empty: in every file."""
    others: Literal["ignored", "by truth", "by meaning"] = "ignored"
    """What a value of another type, null aside, counts as: nothing, what JavaScript takes it for, or that with the text
    "false" for false."""


class SettingsRule(Struct, frozen=True, kw_only=True):
    """What the settings in a file must be for its hooks to run, apart from the hooks themselves."""

    shape: Value
    costs: LossScope = LossScope.FILE
    """What any other value costs: the file with its hooks, or the start of the client."""
    kinds: frozenset[FileKind] = frozenset({FileKind.SETTINGS})
    scopes: frozenset[Scope] = frozenset({Scope.USER, Scope.PROJECT, Scope.LOCAL})
    files: tuple[str, ...] = ()
    """Ends of the paths of the only files that it is about; empty: all."""


class ReleaseChange(Struct, frozen=True, kw_only=True):
    """What a release changed. :func:`anyhook.dialects.releases.as_of` takes it back."""

    since: str
    """The first release with the rules of the profile."""
    what: str
    """In words, what it brought: "runs hooks in the background"."""
    before: Mapping[str, Any]
    """Fields of the profile, by their dotted names, with their values in earlier releases."""
    hooks_of: frozenset[str] = frozenset()
    """Events whose hooks earlier releases load, and then treat differently."""


class Profile(Struct, frozen=True, kw_only=True):
    name: str
    title: str
    release: str
    """The release or document that these facts are from."""
    program: str = ""
    """The command that starts the client, by which its installed release is found."""
    oldest: str = ""
    """The oldest release whose rules are known; empty: those of earlier releases are not known at all."""
    changes: tuple[ReleaseChange, ...] = ()
    """What changed since the oldest release, the newest first."""
    basis: Literal["recorded", "documented", "specified"]
    nicknames: tuple[str, ...] = ()
    """Short names that people type."""
    events: Mapping[str, tuple[str, ...]] = {}
    """The events that the client has, by canonical name, with its own spellings; the first is the one written."""
    former_events: Mapping[str, str] = {}
    """Names under which an event was once documented or guessed, with the canonical one."""
    listed_events: Mapping[str, str] = {}
    """Other clients' names that its document lists for an event of its own, with the canonical one: they name that
    event where a person types one, and are no names in its files."""
    tools: Tools = Tools()
    recognition: Recognition = Recognition()
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
    model_hooks: ModelHookRules = ModelHookRules()
    wire: WireFormat = WireFormat()
    overrides: Overrides = Overrides()
    """What this client alone does otherwise, as functions."""
    cannot_block: frozenset[str] = frozenset()
    """Events that can block elsewhere but not here."""
    can_block_too: frozenset[str] = frozenset()
    """Events that block here though they do not elsewhere."""
    effects: Mapping[str, str] = {}
    """In words, what a blocking answer does on an event where it is not obvious."""
    types_on: Mapping[str, frozenset[str]] = {}
    """Events on which only some hook types run."""
    disturbed_by_hooks: Mapping[str, str] = {}
    """Events on which even a hook that says nothing changes what the client does, and how."""
    switches: tuple[Switch, ...] = ()
    """Settings that turn hooks off."""
    settings: tuple[SettingsRule, ...] = ()
    """Settings whose value can cost the hooks of the file, or keep the client from starting."""
    variants: Mapping[str, Profile] = {}
    """Other facts for rules whose event name matches the pattern: Copilot treats PascalCase names as Claude's."""
    setup: tuple[str, ...] = ()
    """What a person must do before the client runs hooks of a project; ``{project}`` is its folder."""
    runs_hooks: bool = True
    """False: a format from which other clients' files are made; no client runs hooks by it."""

    def variant(self, native_event: str) -> Profile:
        """The profile that holds for a rule written under this event name."""
        for pattern, profile in self.variants.items():
            if re.fullmatch(pattern, native_event):
                return profile
        return self

    def blocks(self, event: str) -> bool:
        if event in self.cannot_block:
            return False
        return event in self.can_block_too or (event in BY_NAME and BY_NAME[event].can_block)
