"""Which native name every field of a payload class has in a client, worked out once per client and event."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct, structs

from anyhook.dialects.contract import WireFormat
from anyhook.model.events import BY_NAME
from anyhook.model.payload_base import Payload, json_fields

OWN_FIELDS = frozenset({"event", "native_event", "extra", "spelling"})
"""Fields of a payload that are about it, not part of it."""

_COMMON = frozenset(Payload.__struct_fields__)


class FieldCodec(Struct, frozen=True):
    """The way of one field between a payload and a client's JSON."""

    field: str
    names: tuple[str, ...]
    """Native names, the one that is written first."""
    inside: bool
    decoder: msgspec.json.Decoder[Any] | None
    """None: any JSON, kept raw."""
    is_text: bool


class PayloadCodec(Struct, frozen=True):
    """The fields of one payload class, by their own names; ``outer`` and ``inner`` find them by native name."""

    fields: Mapping[str, FieldCodec]
    outer: Mapping[str, FieldCodec]
    inner: Mapping[str, FieldCodec]
    required: frozenset[str]


def payload_codec(wire: WireFormat, cls: type[Payload], event: str) -> PayloadCodec:
    """The codec of a class. ``event`` is the canonical name: a generic payload may be of any event."""
    return _payload_codec(wire, cls, event if event in BY_NAME else "")


def event_key(wire: WireFormat, event: str) -> str:
    """The key under which the name of an event is written; empty: nowhere."""
    return wire.event_keys_on.get(event, wire.event_key)


@cache
def _payload_codec(wire: WireFormat, cls: type[Payload], event: str) -> PayloadCodec:
    raw, fields = json_fields(cls), structs.fields(cls)
    texts = wire.text_fields.get(event, frozenset())
    codecs = [
        FieldCodec(
            field=field.name,
            names=_names(wire, event, field.name),
            inside=bool(wire.container) and (field.name not in _COMMON or field.name in wire.inside),
            decoder=None if field.name in raw else msgspec.json.Decoder(field.type),
            is_text=field.name in texts,
        )
        for field in fields
        if field.name not in OWN_FIELDS
    ]
    return PayloadCodec(
        fields={codec.field: codec for codec in codecs},
        outer={name: codec for codec in codecs if not codec.inside for name in codec.names},
        inner={name: codec for codec in codecs if codec.inside for name in codec.names},
        required=frozenset(field.name for field in fields if field.required),
    )


def _names(wire: WireFormat, event: str, field: str) -> tuple[str, ...]:
    renames = {**wire.renames_on.get(event, {}), **wire.renames}
    listed = [native for native, canonical in renames.items() if canonical == field]
    if listed:
        return tuple(dict.fromkeys(listed))
    match wire.case:
        case "snake":
            return (field,)
        case "camel":
            return (camel(field),)
        case "camel or snake":
            return tuple(dict.fromkeys((camel(field), field)))


def camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
