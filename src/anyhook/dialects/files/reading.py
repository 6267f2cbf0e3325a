"""Reads a hook file as its client would: the same hooks, the same losses, and a problem for each loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.dialects.events import find_event, is_well_formed, likely_names, native_names, owners, some_events
from anyhook.dialects.files.actions import BadEntryError, keys_of, read_action
from anyhook.dialects.files.entries import (
    EXPECTED_ENTRY,
    FILE_NOTES,
    describe,
    hook_like,
    is_timeout_key,
    own_timeout_key,
    shorten,
    unread_key_fix,
)
from anyhook.dialects.files.whole_file import WholeFile
from anyhook.dialects.overrides import overridden
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import LossScope, Profile, Shape
from anyhook.dialects.stages import Lost
from anyhook.dialects.vocabulary import wrong_kinds
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Format, Pointer
from anyhook.model.events import BY_NAME, Event, Subject
from anyhook.model.hooks import ACTIVE, Action, Fate, FateState, HookFile, Rule, Unreadable
from anyhook.model.origin import Scope
from anyhook.model.wording import join_and

_GROUP_FIELDS = frozenset({"matcher", "hooks", "sequential", "commandRegex", "kind"})


def read_file(profile: Profile, document: Document, kind: FileKind, scope: Scope) -> HookFile:
    """What the client of this profile makes of a file."""
    return FileReader(profile, document, kind, scope).read()


class EventMap(Struct, frozen=True):
    """An object whose keys are events: where it is, the fate of everything in it, and its name if it has one."""

    events: Mapping[str, Any]
    pointer: Pointer
    fate: Fate = ACTIVE
    name: str = ""


class FileReader(WholeFile):
    """One pass over one file. Every entry becomes an action, the lost ones too, so that none vanishes unseen.

    A client with a file shape of its own overrides what it needs: ``event_maps`` when events are elsewhere,
    ``prepared`` when a hook is written in another form, ``read_hooks`` when there is no object of events at all.
    """

    harmless: ClassVar[frozenset[str]] = frozenset()
    """Codes of mistakes that cost only the entry they are in, although others cost the file."""

    def __init__(self, profile: Profile, document: Document, kind: FileKind, scope: Scope) -> None:
        super().__init__(profile, document, kind, scope)
        self.rules: list[Rule] = []
        self.map_name = ""
        """The name of the event map that is being read."""
        self.hook_keys: set[str] = {"hooks", "version"}
        """Top-level keys that are part of the hooks, and so not kept as notes."""

    # ------------------------------------------------------------------------------------------------------- the file

    def read(self) -> HookFile:
        self.check_text()
        data = self.document.data
        extra: Mapping[str, Any] = {}
        if data is not None:
            self.read_hooks(data)
            if isinstance(data, dict) and self.kind is FileKind.HOOKS:
                extra = {key: value for key, value in data.items() if key not in self.hook_keys}
        elif self.document.format is Format.JSON and self.kind is FileKind.HOOKS and not self.file_lost:
            self.lose_everything("S008", (), "the file holds null, not an object", data)
        self.check_settings(data, has_hooks=bool(self.rules))
        rules = tuple(self.rules)
        if self.file_lost:
            lost = Fate(FateState.DROPPED, self.file_lost)
            rules = tuple(_dropped(rule, lost) for rule in rules)
        return HookFile(
            dialect=self.profile.name,
            path=self.document.path,
            scope=self.scope,
            kind=self.kind,
            rules=rules,
            problems=tuple(self.problems),
            switches=self.read_switches(data),
            extra=extra,
        )

    def read_hooks(self, data: Any) -> None:
        for found in self.event_maps(data):
            self.map_name = found.name
            self.hook_keys.update(str(key) for key in found.pointer[:1] or found.events)
            for native, value in found.events.items():
                self.read_event(native, value, (*found.pointer, native), found.fate)

    # ----------------------------------------------------------------------------------------------- finding the events

    def event_maps(self, data: Any) -> Iterator[EventMap]:
        """Every object of the file whose keys are events."""
        if not isinstance(data, dict):
            if self.kind in (FileKind.HOOKS, FileKind.MANIFEST):
                self.lose_everything("S008", (), f"the file holds {describe(data)}, not an object", data)
            return
        if self.kind is FileKind.HOOKS:
            self.check_file_keys(data)
        if "hooks" in data:
            hooks = data["hooks"]
            if isinstance(hooks, dict):
                yield EventMap(hooks, ("hooks",))
                return
            if self.kind is FileKind.MANIFEST or (self.kind is FileKind.TOML and isinstance(hooks, str)):
                return  # a path, which is followed when files are looked for
            code = "S002" if isinstance(hooks, list) else "S008"
            self.lose_everything(code, ("hooks",), f'"hooks" is {describe(hooks)}, not an object of events', hooks)
            return
        if self.kind is not FileKind.HOOKS:
            return
        events = {key: value for key, value in data.items() if isinstance(value, list | dict) and find_event(key)}
        if not events and (data or not self.layout.bare_map):
            text = 'the file has no "hooks" key, so it holds no hooks'
            self.lose_everything("S001", (), text, data)
            return
        if self.layout.bare_map:
            yield EventMap({key: value for key, value in data.items() if key not in FILE_NOTES}, ())
            return
        why = f'events are at the top level; {self.profile.title} looks under "hooks"'
        self.report("S001", (next(iter(events)),), why, 'wrap the events: {"hooks": {...}}')
        yield EventMap(events, (), Fate(FateState.DROPPED, why))

    def lose_everything(self, code: str, pointer: Pointer, text: str, value: Any) -> None:
        """Report that no event can be found, and keep each thing that looks like a hook as a lost one."""
        self.report(code, pointer, text, f"{self.profile.title} wants {self.expected}")
        fate = Fate(FateState.DROPPED, text)
        for native, entry, at in hook_like(value, pointer, "?"):
            self.add_rule(native, at, [self.unreadable(entry, at, fate)])

    # ------------------------------------------------------------------------------------------------------- the events

    def event_of(self, native: str) -> Event | None:
        """The event that this client means by a name."""
        return native_names(self.profile.name).get(native)

    def accepts(self, native: str) -> bool:
        """Whether the client knows an event of this name."""
        return self.event_of(native) is not None

    def shape_of(self, native: str) -> Shape:
        """How the hooks of an event are written."""
        return self.layout.shape

    def read_event(self, native: str, value: Any, pointer: Pointer, fate: Fate) -> None:
        accepted = self.accepts(native)
        if native in self.layout.event_settings or not (accepted or isinstance(value, list | dict | str)):
            text = f'"{native}" is a setting, not an event; {self.profile.title} does not read it here'
            self.report("E003", pointer, text, "move it to where the client's settings are, or remove it")
            return
        if not accepted:
            fate = self.unknown_event(native, pointer, fate)
        if isinstance(value, dict) and self.layout.single_object:
            value = [value]
        if not isinstance(value, list):
            self._bad_event(native, value, pointer, fate)
            return
        if not value:
            self.report("S007", pointer, f"{native} has an empty list", "remove the event or add a hook")
        for index, entry in enumerate(value):
            self._read_entry(native, entry, (*pointer, index), fate)

    def unknown_event(self, native: str, pointer: Pointer, fate: Fate) -> Fate:
        client, title = self.profile.name, self.profile.title
        guesses, whose = likely_names(native, client), owners(native)
        fix = f"did you mean {guesses[0]}?" if guesses else some_events(client)
        if whose:
            titles = [profile(name).title for name in whose]
            more = [f"{len(titles) - 3} more clients"] if len(titles) > 4 else titles[3:]
            text = f"{native} is an event of {join_and((*titles[:3], *more))}; {title} never fires it"
        elif is_well_formed(native):
            text = f"no client has an event called {native}"
        else:
            text = f"{native!r} is not an event name"
        is_expected = self.layout.many_hosts and is_well_formed(native) and not guesses
        severity = Severity.NOTE if is_expected else None  # a name that is nearly right is a mistake everywhere
        self.report("E002" if whose else "E001", pointer, text, fix, severity)
        self.lose(native, self.layout.unknown_event, text, pointer, fate)
        return fate if fate.state is FateState.DROPPED else Fate(FateState.DROPPED, text)

    def _bad_event(self, native: str, value: Any, pointer: Pointer, fate: Fate) -> None:
        text = f"{native} holds {describe(value)}; {self.profile.title} wants a list"
        self.report("S008", pointer, text, f"write {EXPECTED_ENTRY[self.shape_of(native)]}")
        self.lose(native, self.layout.on_bad_event, text, pointer, fate)
        self.add_rule(native, pointer, [self.unreadable(value, pointer, Fate(FateState.DROPPED, text))])

    def _read_entry(self, native: str, entry: Any, pointer: Pointer, fate: Fate) -> None:
        shape, title = self.shape_of(native), self.profile.title
        if not isinstance(entry, dict):
            self.bad_entry(native, entry, pointer, fate, "S008", f"{describe(entry)} in the list of {native}")
        elif "hooks" in entry:
            if shape is Shape.FLAT:
                text = f"{title} does not read {{matcher, hooks}} groups: the hooks inside never run"
                fix = "put each hook directly into the event's list"
                self.bad_entry(native, entry, pointer, fate, "S004", text, fix)
            else:
                self._read_group(native, entry, pointer, fate)
        elif shape is Shape.GROUPS:
            text = f"a hook directly under {native}; {title} wants {{matcher, hooks: [...]}}"
            fix = 'wrap it: {"hooks": [ ... ]}'
            if self.layout.flat_entry == "ignored":
                self.report("S003", pointer, f"{text}, so this one never runs", fix)
                lost = Fate(FateState.DROPPED, text)
                self.add_rule(native, pointer, [self.unreadable(entry, pointer, lost)], is_nested=False)
            else:
                self.bad_entry(native, entry, pointer, fate, "S003", text, fix)
        else:
            if "matcher" in entry and self.is_bad_matcher(native, entry["matcher"]):
                text = f"the matcher is {describe(entry['matcher'])}, not text"
                fate = self._group_lost(native, (*pointer, "matcher"), fate, text)
            action, matcher = self.read_action(native, entry, pointer, fate)
            extra = {"matcher": matcher} if matcher is not None and not isinstance(matcher, str) else {}
            self.add_rule(
                native,
                pointer,
                [action],
                matcher=matcher if isinstance(matcher, str) else None,
                is_nested=False,
                extra=extra,
            )

    def _read_group(self, native: str, group: Mapping[str, Any], pointer: Pointer, fate: Fate) -> None:
        title = self.profile.title
        matcher, hooks = group.get("matcher"), group["hooks"]
        is_read = "matcher" in group and self.layout.bad_matcher != "flat entry"
        is_bad = is_read and self.is_bad_matcher(native, matcher)
        if is_bad:
            fate = self._bad_matcher(native, matcher, (*pointer, "matcher"), fate)
        if not isinstance(hooks, list):
            self.bad_entry(native, group, pointer, fate, "S008", f'"hooks" is {describe(hooks)}, not a list')
            return
        known = self.layout.group_keys
        for key in group:
            if key not in known:
                text = f'{title} does not read "{key}" on a group'
                self.report("K001", (*pointer, key), text, unread_key_fix(key, known))
        kinds: tuple[str, ...] = ()
        if "kind" in known and "kind" in group:
            kinds, fate = self._read_kinds(native, group["kind"], (*pointer, "kind"), fate)
        actions = []
        for index, entry in enumerate(hooks):
            action, _ = self.read_action(native, entry, (*pointer, "hooks", index), fate)
            actions.append(action)
        if is_bad and any(action.fate.state is FateState.ACTIVE for action in actions):
            self._lose_event_by_matcher(native, matcher)
        pattern = group.get("commandRegex") if "commandRegex" in known else None
        self.add_rule(
            native,
            pointer,
            actions,
            matcher=matcher if isinstance(matcher, str) else None,
            sequential=group.get("sequential") is True and "sequential" in known,
            command_pattern=pattern if isinstance(pattern, str) else None,
            kinds=kinds,
            extra={k: v for k, v in group.items() if k not in _GROUP_FIELDS},
        )

    def _read_kinds(self, native: str, value: Any, pointer: Pointer, fate: Fate) -> tuple[tuple[str, ...], Fate]:
        """What the tools of a group must do; a group whose kinds are wrong would be another one without them."""
        kinds = [value] if isinstance(value, str) else value
        event = self.event_of(native)
        wrong = [*wrong_kinds(kinds)]
        if event is not None and self.profile.matching.subject(event.name) is not Subject.TOOL:
            wrong.append((f"{native} is not about a tool", "leave the kind out"))
        if not wrong or self.document.format.is_own:  # of those, the parser has said what is wrong
            return tuple(kinds), fate
        for text, fix in wrong:
            self.report("K007", pointer, text, fix)
        return (), fate if fate.state is FateState.DROPPED else Fate(FateState.DROPPED, wrong[0][0])

    def is_bad_matcher(self, native: str, matcher: Any) -> bool:
        """Whether the client rejects a matcher for its type."""
        if isinstance(matcher, str) or (matcher is None and self.layout.null_matcher):
            return False
        return self.layout.unused_matchers_checked or not self._is_unused(native)

    def _is_unused(self, native: str) -> bool:
        """Whether matchers have no effect on an event."""
        event = self.event_of(native)
        return event is not None and self.profile.matching.subject(event.name) is Subject.NOTHING

    def _bad_matcher(self, native: str, matcher: Any, pointer: Pointer, fate: Fate) -> Fate:
        """What becomes of a group whose matcher is no text."""
        text = f"the matcher is {describe(matcher)}, not text"
        event = self.event_of(native)
        if self.layout.bad_matcher == "entry" or event is None:
            return self._group_lost(native, pointer, fate, text)
        self.report("S008", pointer, text, "write the matcher as text, or leave it out to match everything")
        return fate

    def _lose_event_by_matcher(self, native: str, matcher: Any) -> None:
        """Where such a matcher keeps every hook of the event from running: a group without a good hook is not read."""
        event = self.event_of(native)
        if self.layout.bad_matcher == "entry" or event is None or matcher in (0, False):
            return
        if self.profile.matching.subject(event.name) is not Subject.NOTHING:
            self.events_lost.add(event.name)

    def _group_lost(self, native: str, pointer: Pointer, fate: Fate, text: str) -> Fate:
        self.report("S008", pointer, text, "write the matcher as text, or leave it out to match everything")
        self.lose(native, self.layout.on_bad_entry, text, pointer, fate)
        return fate if fate.state is FateState.DROPPED else Fate(FateState.DROPPED, text)

    def prepared(self, entry: Any) -> Any:
        """The entry in the form that :mod:`actions` reads. BadEntryError: only this client refuses it."""
        return entry

    def read_action(self, native: str, entry: Any, pointer: Pointer, fate: Fate) -> tuple[Action, Any]:
        """The action an entry describes, and the matcher that a flat entry may carry."""
        try:
            reading = read_action(self.profile, self.prepared(entry))
        except BadEntryError as bad:
            at = (*pointer, bad.key) if bad.key and isinstance(entry, dict) and bad.key in entry else pointer
            self.report(bad.code, at, bad.text, bad.fix)
            if not (bad.harmless or bad.code in self.harmless):
                self.lose(native, self.layout.on_bad_entry, bad.text, pointer, fate)
            matcher = entry.get("matcher") if isinstance(entry, dict) else None
            lost = fate if fate.state is FateState.DROPPED else Fate(FateState.DROPPED, bad.text)
            return self.unreadable(entry, pointer, lost), matcher
        if (why := self.why_lost(pointer)) and fate.state is not FateState.DROPPED:
            fate = Fate(FateState.DROPPED, why)
        for key in reading.unread:
            text = f'{self.profile.title} does not read "{key}" on a hook'
            if is_timeout_key(key):
                own = own_timeout_key(self.layout)
                fix = f'write it as "{own}"' if own else "remove it: this client has no timeout setting"
                self.report("T003", (*pointer, key), text, fix)
            else:
                fix = unread_key_fix(key, keys_of(self.layout, reading.action.kind))
                self.report("K002", (*pointer, key), text, fix)
        return structs.replace(reading.action, origin=self.origin(pointer), fate=fate), reading.matcher

    # ----------------------------------------------------------------------------------------------------- what is lost

    def bad_entry(
        self, native: str, entry: Any, pointer: Pointer, fate: Fate, code: str, text: str, fix: str = ""
    ) -> None:
        self.report(code, pointer, text, fix or f"{self.profile.title} wants {EXPECTED_ENTRY[self.shape_of(native)]}")
        if code not in self.harmless:
            self.lose(native, self.layout.on_bad_entry, text, pointer, fate)
        lost = fate if fate.state is FateState.DROPPED else Fate(FateState.DROPPED, text)
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        entries = list(enumerate(inner)) if isinstance(inner, list) else []
        actions = [self.unreadable(hook, (*pointer, "hooks", index), lost) for index, hook in entries]
        matcher = entry.get("matcher") if isinstance(entry, dict) else None
        self.add_rule(
            native,
            pointer,
            actions or [self.unreadable(entry, pointer, lost)],
            matcher=matcher if isinstance(matcher, str) else None,
            is_nested=bool(actions),
        )

    def lose(self, native: str, loss: LossScope, why: str, pointer: Pointer, fate: Fate = ACTIVE) -> None:
        """Note that the whole file is lost where this client is that strict; what was lost before costs no more."""
        event = self.event_of(native)
        lost_part = Lost(self.profile, event.name if event else "", loss)
        loss = overridden(self.profile.overrides.loss, lost_part, lambda it: it.scope)
        if loss is not LossScope.ENTRY and not self.file_lost and fate.state is not FateState.DROPPED:
            line, _ = self.document.position(pointer)
            ends = loss is LossScope.START
            self.lost_scope = loss if ends else self.lost_scope
            is_component = self.kind is FileKind.COMPONENT  # what else is in the file is used
            lost = "drops all hooks of this file" if is_component else "drops the whole file"
            consequence = f"{self.profile.title} {'refuses to start' if ends else lost}"
            self.file_lost = f"{consequence} because of line {line}: {why}"
            text = f"because of this entry {consequence}" + ("" if ends or is_component else ", every hook in it")
            if self.kind is FileKind.SETTINGS:
                text += " and its other settings"
            self.report("S009", pointer, text, "correct or remove the entry")

    def unreadable(self, value: Any, pointer: Pointer, fate: Fate) -> Unreadable:
        return Unreadable(text=shorten(value), origin=self.origin(pointer), fate=fate, extra={"entry": value})

    def add_rule(self, native: str, pointer: Pointer, actions: Sequence[Action], **more: Any) -> None:
        event = self.event_of(native) or BY_NAME.get(native)
        self.rules.append(
            Rule(
                event=event.name if event else native,
                native_event=native,
                actions=tuple(actions),
                origin=self.origin(pointer),
                **more,
            )
        )


def _dropped(rule: Rule, fate: Fate) -> Rule:
    """The rule with this fate for every action that was not lost before."""
    return structs.replace(
        rule, actions=tuple(structs.replace(a, fate=fate) if a.is_loaded else a for a in rule.actions)
    )
