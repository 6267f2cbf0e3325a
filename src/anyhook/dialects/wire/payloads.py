"""Payloads from a client's JSON and back, by the client's :class:`~anyhook.dialects.profile.WireFormat` alone.

Only the top level is decoded; values stay raw until they are read. Nothing here raises for what a client sends:
what cannot be used is kept in ``extra`` and reported. Writing a payload back gives the JSON it was read from.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct

from anyhook.dialects.bound_event import BoundEvent, bind_event
from anyhook.dialects.contract import WireFormat
from anyhook.dialects.events import find_event, fold_spelling, native_name, native_names, owners
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.payload_codec import FieldCodec, PayloadCodec, event_key, payload_codec
from anyhook.model.document import json_pointer
from anyhook.model.events import Event
from anyhook.model.lazyjson import LazyJson, dump_json, load_any_json, load_json
from anyhook.model.origin import Origin
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload, Spelling
from anyhook.model.problems import Problem, problem

_OBJECT = msgspec.json.Decoder(dict[str, Raw])

Members = dict[str, LazyJson]


def decode_payload(
    profile: Profile, data: bytes | Mapping[str, Any] | None, event: str = ""
) -> tuple[Payload, tuple[Problem, ...]]:
    """What a client sent, and what is wrong with it.

    ``data`` is its JSON, or what :func:`read_members` made of it. ``event`` is the event's name when the payload does
    not tell it, in any spelling; where the two mean different events, it wins.
    """
    members = None if data is None else read_members(data)
    if members is None:
        known = _own_event(profile, event)
        payload = Payload(event=known.name if known else event, native_event=event, spelling=Spelling(profile.name))
        return payload, (problem("F001", Origin(profile.name), "the payload is not a JSON object"),)
    return _Reading(profile, members, event).result()


def encode_payload(bound: BoundEvent, payload: Payload) -> dict[str, Any]:
    """The JSON object that the client sends for this payload, as plain data."""
    plain: dict[str, Any] = load_json(payload_bytes(bound, payload))
    return plain


def payload_bytes(bound: BoundEvent, payload: Payload) -> bytes:
    """The JSON text that a hook gets on stdin; large values are copied, not parsed.

    ``bound`` is the event under the name that the hook is registered for: in some clients the payload depends on it.
    """
    text = dump_json(_written(bound, payload))
    return text + b"\n" if bound.profile.wire.final_newline else text


# ----------------------------------------------------------------------------------------------------------- reading


def read_members(data: bytes | Mapping[str, Any]) -> Members | None:
    """The members of a JSON object, each still raw; None when it is no object."""
    if isinstance(data, Mapping):
        return {str(key): LazyJson.of(value) for key, value in data.items()}
    try:
        if not data.isascii():
            data.decode()  # msgspec does not look into values that stay raw; a hook could not read them
        return {key: LazyJson(raw) for key, raw in _OBJECT.decode(data).items()}
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        value = load_any_json(data)  # slower, and accepts what clients write though it is no good JSON
    except (ValueError, RecursionError):
        return None
    return read_members(value) if isinstance(value, Mapping) else None


def _members_of(value: LazyJson) -> Members | None:
    if value.is_decoded:
        return read_members(value.value) if isinstance(value.value, Mapping) else None
    return read_members(value.raw)


def _joined(members: Members) -> LazyJson:
    """One object of these members, raw again if all of them are."""
    if any(value.is_decoded for value in members.values()):
        return LazyJson.of({key: value.value for key, value in members.items()})
    return LazyJson(dump_json(members))


def _own_event(profile: Profile, name: str) -> Event | None:
    """The client's event of this name, or the one whose native or canonical name differs only in its spelling."""
    names = native_names(profile.name)
    if name in names or not name:
        return names.get(name)
    folded = fold_spelling(name)
    return next((e for native, e in names.items() if folded in (fold_spelling(native), fold_spelling(e.name))), None)


class _Reading:
    """One payload on its way in."""

    def __init__(self, profile: Profile, members: Members, wanted: str) -> None:
        self.members = members
        self.problems: list[Problem] = []
        self.profile = bind_event(profile, "", wanted).profile if wanted else _speaker(profile, members)
        self.wire = self.profile.wire
        self.event_key, self.name = self._named(wanted)
        self.event = _own_event(self.profile, self.name)

    def _named(self, wanted: str) -> tuple[str, str]:
        """The key that names the event, and the name; the key is empty when it says something else than wanted."""
        event = _own_event(self.profile, wanted)
        for key in filter(None, (self.wire.event_key, *self.wire.also_event_keys)):
            name = self.members[key].value if key in self.members else None
            if isinstance(name, str):
                if wanted in ("", name) or (event and _own_event(self.profile, name) is event):
                    return key, name
                self._report("K007", f"the payload says {name}, but it is read as {wanted}", key)
        if event is None or wanted in native_names(self.profile.name):
            return "", wanted
        return "", native_name(event.name, self.profile.name) or wanted

    def result(self) -> tuple[Payload, tuple[Problem, ...]]:
        payload = self._unknown() if self.event is None else self._known(self.event)
        return payload, tuple(self.problems)

    def _known(self, event: Event) -> Payload:
        if self.name not in native_names(self.profile.name):
            right = native_name(event.name, self.profile.name)
            self._report("E004", f"{self.profile.title} spells {self.name} as {right}", self.event_key)
        taken = self._take(PAYLOADS[event.name], event.name)
        self._report_bad(taken)
        missing = taken.codec.required - taken.values.keys()
        if not missing:
            return self._built(PAYLOADS[event.name], taken, event.name)
        for names in (taken.codec.fields[field].names for field in sorted(missing)):
            if not taken.bad & set(names):
                self._report("K006", f"{self.name} without {names[0]}")
        return self._built(Payload, self._take(Payload, event.name), event.name)

    def _unknown(self) -> Payload:
        foreign = find_event(self.name) if self.name else None
        if foreign:
            others = ", ".join(owners(self.name)) or "others"
            text = f"{self.profile.title} has no event {self.name}: it is one of {others}"
            self._report("E002", text, self.event_key)
        elif self.name:
            self._report("E001", f"no client has an event {self.name!r}", self.event_key)
        else:
            self._report("E001", "the payload does not name its event")
        canonical = foreign.name if foreign else self.name
        taken = self._take(Payload, canonical)
        self._report_bad(taken)
        return self._built(Payload, taken, canonical)

    def _take(self, cls: type[Payload], event: str) -> _Taken:
        """Sort the members into fields of the class and all the rest."""
        taken = _Taken(codec=payload_codec(self.wire, cls, event))
        outer = dict(self.members)
        if self.event_key:
            del outer[self.event_key]
        if self.wire.container and self.wire.container in outer:
            container = outer.pop(self.wire.container)
            inner = _members_of(container)
            rest = {} if inner is None else _take_from(inner, taken, taken.codec.inner)
            if inner is None:
                taken.bad.add(self.wire.container)
                taken.extra[self.wire.container] = container
            elif rest or not taken.values:
                taken.extra[self.wire.container] = _joined(rest)
        taken.extra.update(_take_from(outer, taken, taken.codec.outer))
        return taken

    def _built(self, cls: type[Payload], taken: _Taken, event: str) -> Payload:
        if self.event_key != event_key(self.wire, event):
            taken.names["event"] = self.event_key
        spelling = Spelling(self.profile.name, taken.names, frozenset(taken.unquoted), frozenset(taken.nulls))
        return cls(event=event, native_event=self.name, extra=taken.extra, spelling=spelling, **taken.values)

    def _report_bad(self, taken: _Taken) -> None:
        for key in sorted(taken.bad):
            self._report("K007", f"{key} has a type that {self.profile.title} never sends", key)

    def _report(self, code: str, text: str, key: str = "") -> None:
        pointer = json_pointer((key,)) if key else ""
        self.problems.append(problem(code, Origin(self.profile.name, pointer=pointer), text))


def _speaker(profile: Profile, members: Members) -> Profile:
    """The variant of a client that a payload was written in, told by the key of its event."""
    variants = (profile, *profile.variants.values())
    return next(
        (variant for variant in variants if variant.wire.event_key and variant.wire.event_key in members), profile
    )


class _Taken(Struct):
    """What has been found so far."""

    codec: PayloadCodec
    values: dict[str, Any] = {}
    extra: dict[str, LazyJson] = {}
    names: dict[str, str] = {}
    unquoted: set[str] = set()
    nulls: set[str] = set()
    bad: set[str] = set()


def _take_from(members: Members, taken: _Taken, codecs: Mapping[str, FieldCodec]) -> Members:
    """Fill fields from one object; what is left over is returned."""
    rest: Members = {}
    for key, member in members.items():
        codec = codecs.get(key)
        if codec is None or _is_second_choice(key, codec, members):
            rest[key] = member
            continue
        value = _typed(member, codec)
        if value is UNSET:
            taken.bad.add(key)
            rest[key] = member
            continue
        taken.values[codec.field] = value
        if value is None:
            taken.nulls.add(codec.field)
        if key != codec.names[0]:
            taken.names[codec.field] = key
        if codec.is_text and member.is_container:
            taken.unquoted.add(codec.field)
    return rest


def _is_second_choice(key: str, codec: FieldCodec, members: Members) -> bool:
    """Whether the field is also there under a name that goes before this one."""
    if len(codec.names) == 1:
        return False
    return any(name in members for name in codec.names[: codec.names.index(key)])


def _typed(value: LazyJson, codec: FieldCodec) -> Any:
    """The value of a field, or UNSET when it has a type that the field cannot have."""
    if codec.decoder is None:
        return _unquoted(value) if codec.is_text else value
    try:
        return value.typed(codec.decoder)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return UNSET


def _unquoted(value: LazyJson) -> LazyJson:
    """JSON text in a string as the value that it holds; any other string stays what it is."""
    if value.is_container or not isinstance(value.value, str) or not value.value.lstrip().startswith(("{", "[")):
        return value
    try:
        text = value.value.encode()
        msgspec.json.decode(text, type=Raw)  # checked, not built
        return LazyJson(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return value


# ----------------------------------------------------------------------------------------------------------- writing


def _tool_name(bound: BoundEvent, payload: Payload, name: str) -> str:
    """What one variant of a client calls a tool of another one (Copilot's PascalCase events use Claude's names)."""
    shown = bind_event(bound.client, payload.event, payload.native_event).profile.matching.renamed_tools
    own = next((own for own, other in shown.items() if other == name), name)
    # A payload that does not name its event keeps the client's own names (Copilot's PermissionRequest).
    is_named = event_key(bound.profile.wire, payload.event)
    return bound.profile.matching.renamed_tools.get(own, own) if is_named else own


def _written(bound: BoundEvent, payload: Payload) -> dict[str, Any]:
    wire, name = bound.profile.wire, bound.native_event
    is_named_so = name == payload.native_event
    is_own = payload.spelling.dialect == bound.client.name and is_named_so
    is_completed = not payload.spelling.dialect and is_named_so  # what a person wrote; the client's fields are added
    spelling = payload.spelling if is_own or is_completed else Spelling()
    plan = payload_codec(wire, type(payload), payload.event)
    outer: dict[str, Any] = dict(payload.extra)
    leftover = outer.get(wire.container) if wire.container else None
    inner: dict[str, Any] = dict(leftover.value) if leftover is not None and leftover.is_object else {}
    for codec in plan.fields.values():
        value = getattr(payload, codec.field)
        if value is None and codec.field not in payload.spelling.nulls:
            continue
        if codec.field == "timestamp" and not is_own:
            value = _time(value, wire)
        if codec.field == "tool_name" and not is_own:
            value = _tool_name(bound, payload, value)
        if codec.is_text and codec.field not in spelling.unquoted and value.is_container:
            value = value.raw.decode()
        (inner if codec.inside else outer)[spelling.names.get(codec.field, codec.names[0])] = value
    if inner or (wire.container and not is_own):
        outer[wire.container] = inner
    if not is_own:
        _add_constants(outer, wire, payload)
    key = spelling.names.get("event", event_key(wire, payload.event))
    if not key:
        return outer
    outer.pop(key, None)
    return {key: name, **outer}


def _add_constants(outer: dict[str, Any], wire: WireFormat, payload: Payload) -> None:
    for key, field in wire.copies.items():
        if (value := getattr(payload, field, None)) is not None:
            outer.setdefault(key, value)
    for event in (payload.event, "*"):
        for key, constant in wire.constants.get(event, {}).items():
            outer.setdefault(key, constant)


def _time(value: object, wire: WireFormat) -> object:
    """A time as this client writes it; one that cannot be read stays as it is."""
    try:
        if wire.timestamps == "iso" and isinstance(value, int | float):
            moment = datetime.fromtimestamp(value / 1000, UTC)
            return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if wire.timestamps == "milliseconds" and isinstance(value, str):
            return round(datetime.fromisoformat(value).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        pass
    return value
