"""What one client does otherwise: functions of its own module, where the stages of the engine meet.

An override takes what the stage works on and the default, and returns what the default would. It may change what the
default gets, or what it returned, or do without it. Its docstring is one line that tells users the oddity; the comment
below cites the recording. Several overrides of one stage are nested: the default of the first is the second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from anyhook.dialects.files.actions import Reading
    from anyhook.dialects.profile import Layout, LossScope
    from anyhook.dialects.stages import (
        Answer,
        Asked,
        Called,
        Ended,
        Entry,
        Fold,
        FoundJson,
        Interpreter,
        Judged,
        Lost,
        Opened,
        Posted,
        Printouts,
        Result,
        Said,
        ShellNamed,
        Starting,
        Weighed,
    )
    from anyhook.dialects.wire.answers import ProcessAnswer
    from anyhook.model.outcome import Outcome, Run
    from anyhook.model.output import Reply

Given = TypeVar("Given")
Returned = TypeVar("Returned")

Override = Callable[[Given, Callable[[Given], Returned]], Returned]


class Overrides(Struct, frozen=True, kw_only=True):
    """The functions of a client, by the stage that they take part in; a client without any does as its fields say."""

    layout: tuple[Override[Opened, Layout], ...] = ()
    """What a file of some kind may look like."""
    loss: tuple[Override[Lost, LossScope], ...] = ()
    """How much is lost with a part of a file."""
    read_entry: tuple[Override[Entry, Reading], ...] = ()
    """The hook that an entry of a file describes."""
    why_not_started: tuple[Override[Starting, str], ...] = ()
    """Why the client does not start a command; empty: it does."""
    interpreter: tuple[Override[ShellNamed, Interpreter | None], ...] = ()
    """What runs a command that names its shell; None: the client's own shell."""
    command_text: tuple[Override[Starting, str], ...] = ()
    """What the shell gets of a command."""
    url: tuple[Override[Posted, str], ...] = ()
    """The address that an HTTP hook calls."""
    why_not_called: tuple[Override[Called, str], ...] = ()
    """Why the client leaves an HTTP hook out; empty: it does not."""
    read_http: tuple[Override[Called, bytes | None], ...] = ()
    """What an answer counts as, as if a command had printed it; None: the hook fails."""
    judge: tuple[Override[Asked, Reply | None], ...] = ()
    """The reply that a model's verdict amounts to; None: no effect."""
    ends_sequence: tuple[Override[Judged, bool], ...] = ()
    """Whether no further hook of the event is started after a run."""
    find_json: tuple[Override[Ended, FoundJson], ...] = ()
    """The JSON that the client reads in what a command printed."""
    decode: tuple[Override[Answer, Reply], ...] = ()
    """The reply that the client reads in a JSON object."""
    encode: tuple[Override[Said, ProcessAnswer], ...] = ()
    """How a reply is written for the client."""
    interpret: tuple[Override[Result, Run], ...] = ()
    """What a command means by its exit status, its text and its reply."""
    report: tuple[Override[Judged, Run], ...] = ()
    """What is told of a run, however it ended."""
    merge: tuple[Override[Printouts, Reply | None], ...] = ()
    """What the client reads in the JSON of several hooks that it makes one object of; None: it reads each by itself."""
    weigh: tuple[Override[Weighed, Reply], ...] = ()
    """What one reply counts for among others."""
    fold: tuple[Override[Fold, Outcome], ...] = ()
    """What all replies to an event amount to."""


def overridden(
    overrides: tuple[Override[Given, Returned], ...], given: Given, default: Callable[[Given], Returned]
) -> Returned:
    """What a stage returns with a client's overrides."""
    if not overrides:
        return default(given)
    first, *others = overrides
    return first(given, lambda changed: overridden(tuple(others), changed, default))


def explanation(override: Callable[..., object]) -> str:
    """What an override does, in words for users."""
    return (override.__doc__ or "").strip().partition("\n")[0]
