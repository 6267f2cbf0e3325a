"""Fixtures: the payloads of cases, translated from any client's spelling to that of the client under test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anyhook.dialects import NAMES
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import find_event, native_name, native_names
from anyhook.dialects.files.entries import describe
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.translate import translate_payload
from anyhook.dialects.wire.payload_codec import event_key
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.document import Format
from anyhook.model.origin import Origin
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem, problem
from anyhook.sources.load import Loader
from anyhook.testing.cases.cases import Case
from anyhook.testing.cases.overrides import OverrideError, apply_overrides


def read_fixture(case: Case, loader: Loader) -> dict[str, Any] | Problem:
    """The payload of a case, with its overrides, as plain data in the spelling of the file."""
    data: Any = {}
    if case.input.fixture is not None:
        data = _read_file(case, case.input.fixture, loader)
        if isinstance(data, Problem):
            return data
    try:
        return apply_overrides(data, case.input.overrides)
    except OverrideError as error:
        origin = case.origin(f"input.overrides.{error.key}")
        return problem("K007", origin, f"this override cannot be applied: {error}")


def read_earlier(case: Case, loader: Loader, profile: Profile) -> tuple[Payload, ...] | Problem:
    """The earlier events of a case, each the event that its fixture names."""
    found: list[Payload] = []
    for name in case.input.earlier:
        data = _read_file(case, name, loader, "input.earlier")
        if isinstance(data, Problem):
            return data
        event = next(filter(None, (find_event(_named_event(profile_of(each), data), each) for each in NAMES)), None)
        native = None if event is None else native_name(event.name, profile.name)
        if event is None or native is None:
            text = f"{name} names no event that {profile.title} has"
            return problem("K007", case.origin("input.earlier"), text, 'add "hookEventName" to it')
        found.append(decode_fixture(profile, data, event.name, native))
    return tuple(found)


def _read_file(case: Case, name: str, loader: Loader, key: str = "input.fixture") -> Any:
    path = case.folder.path / name
    origin = case.origin(key)
    if not path.exists():
        fix = f"paths start from {case.folder.path.name}/, the folder with fixtures/ and cases/"
        return problem("F005", origin, f"there is no fixture {name}", fix)
    document = loader.document(path, Format.JSON)
    if isinstance(document, Problem):
        return problem(document.code, origin, f"{name}: {document.text}", document.fix)
    if quirk := document.broken:
        line, column = document.line_column(quirk.offset)
        return problem("F001", Origin(file=str(path), line=line, column=column), f"the fixture: {quirk.text}")
    if not isinstance(document.data, dict):
        text = f"a fixture is an object with keys, not {describe(document.data)}"
        return problem("S008", Origin(file=str(path), line=1), text)
    return document.data


# ------------------------------------------------------------------------------------------------------------ spelling


def decode_fixture(profile: Profile, data: Mapping[str, Any], event: str, native_event: str) -> Payload:
    """The payload of an event for a client, from data in its own or in another client's spelling.

    The data are the client's own if they name one of its events as it does and nothing is wrong with them. Otherwise
    they belong to the first client of which that is true, and are translated. If there is none, they need not name an
    event; as a last resort the client reads what it can. Whichever event they name, the payload is one of ``event``.
    """
    speaker = next(_speakers(profile, data, event), profile)
    own_names = (native_name(event, speaker.name), _named_event(speaker, data)) if speaker is not profile else ()
    for own_name in filter(None, own_names):
        translated = translate_payload(_decode(speaker, data, own_name), speaker, profile).payload
        if translated is not None and translated.event == event:
            return translated
    return _decode(profile, data, native_event)


def _speakers(profile: Profile, data: Mapping[str, Any], event: str) -> Iterator[Profile]:
    """The clients that would have sent exactly this, the one under test first; those that name the event go before."""
    names = (profile.name, *(name for name in NAMES if name != profile.name))
    for speaker in map(profile_of, names):  # nearly always the first: no other is loaded
        if _is_payload_of(speaker, data, _named_event(speaker, data)):
            yield speaker
    for speaker in map(profile_of, names):
        if _is_payload_of(speaker, data, native_name(event, speaker.name) or ""):
            yield speaker


def _is_payload_of(profile: Profile, data: Mapping[str, Any], native_event: str) -> bool:
    return native_event in native_names(profile.name) and not decode_payload(profile, data, native_event)[1]


def _named_event(profile: Profile, data: Mapping[str, Any]) -> str:
    for variant in (profile, *profile.variants.values()):
        for key in filter(None, (variant.wire.event_key, *variant.wire.also_event_keys)):
            if isinstance(name := data.get(key), str):
                return name
    return ""


def _decode(profile: Profile, data: Mapping[str, Any], native_event: str) -> Payload:
    """The data as this client's payload of the event, named as the client names it."""
    known = find_event(native_event, profile.name)
    bound = bind_event(profile, known.name if known else native_event, native_event)
    wire = bound.profile.wire
    keys = {key for key in (wire.event_key, *wire.also_event_keys) if key}
    key = next((each for each in data if each in keys), event_key(wire, bound.event))
    named = {key: native_event, **{k: v for k, v in data.items() if k not in keys}} if key else dict(data)
    return decode_payload(profile, named, native_event)[0]
