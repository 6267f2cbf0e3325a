"""Prepares one event of a deployed entry: reads it, finds the packages to ask, matches their hooks; runs none.

Most events end here: so nothing in this module imports asyncio or subprocess, which take longer to import than all of
this takes to run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from msgspec import Struct, structs

from anyhook.bridge.exec_options import Options
from anyhook.bridge.match_package import AskedPackage, match_package
from anyhook.bridge.read_call import Call, Caller, answer_with, read_call, refuse
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.model.output import Reply
from anyhook.model.problems import AnyhookError, describe_bug
from anyhook.project.asked_packages import HookPackage, find_packages
from anyhook.sources import disk
from anyhook.sources.discover import Roots


class NotCachedError(Exception):
    """Raised by a :class:`FindPackages` that only looks into a cache."""


class FindPackages(Protocol):
    """Finds the packages to ask, as :func:`find_packages` does; may raise NotCachedError."""

    def __call__(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]: ...


class Prepared(Struct, frozen=True, kw_only=True):
    """An event whose packages are found, checked for trust and matched; no hook has run yet."""

    call: Call
    packages: tuple[AskedPackage, ...] = ()
    refusal: str = ""
    """Why no package can be asked; empty: they can."""
    is_unable: bool = False
    """This process has no descriptor left to find the packages; another may."""


def prepare(options: Options, caller: Caller, stdin: bytes, find: FindPackages = find_packages) -> Prepared:
    """The event with the plans of the hooks for it.

    Raises nothing but the NotCachedError of ``find``, and UsageError if the entry names an event that no client has and
    the payload names none.
    """
    call = read_call(options, caller, stdin)
    if call.unknown_event:
        return Prepared(call=call.as_guarded(), refusal=call.unknown_event)
    try:
        if _is_left_to_another(call):
            return Prepared(call=call)
        packages = _packages(call, find)
        if refusal := call.why_unreadable:
            return Prepared(call=call, refusal=refusal)
        return Prepared(call=call, packages=tuple(asked for package in packages for asked in _asked(call, package)))
    except NotCachedError:
        raise
    except disk.OutOfFilesError as error:
        guarded = structs.replace(call, fail="closed" if call.fail == "guard" else call.fail)
        return Prepared(call=guarded, refusal=f"the hooks cannot be read: {error}", is_unable=True)
    except AnyhookError as error:
        return Prepared(call=call, refusal=str(error))
    except Exception as error:
        return Prepared(call=call.as_guarded(), refusal=describe_bug(error))


def answer_without_hooks(prepared: Prepared) -> ProcessAnswer | None:
    """The answer to an event for which no hook has to run; None: hooks have to run."""
    if prepared.refusal:
        return refuse(prepared.call, prepared.refusal)
    replies = [package.reply for package in prepared.packages if package.reply is not None]
    if not prepared.packages:  # another entry answers
        return answer_with(prepared.call, [Reply()])
    return answer_with(prepared.call, replies) if len(replies) == len(prepared.packages) else None


def _is_left_to_another(call: Call) -> bool:
    """Whether the client that calls an entry of another one has an entry of its own, which answers this event."""
    if call.client == call.written_for:
        return False
    from anyhook.project.project import Project  # most events come from the client that the entry was written for

    try:
        client = Project(call.roots).started(call.client)
        return client.leaves(call.client_payload.event, call.written_for)
    except disk.OutOfFilesError:
        raise
    except Exception:  # a file of the project cannot keep this entry from answering
        return False


def _packages(call: Call, find: FindPackages) -> tuple[HookPackage, ...]:
    package = None if call.package is None else call.folder / call.package
    return find(call.roots, package=package, dialect=call.source, started_in=call.started_in)


def _asked(call: Call, package: HookPackage) -> tuple[AskedPackage, ...]:
    """What an event means for a package. That our own code fails for one must not silence the others."""
    try:
        return match_package(call, package)
    except Exception as error:
        why = str(error) if isinstance(error, AnyhookError) else describe_bug(error)
        return (AskedPackage(package=package, reply=call.as_guarded().failed(why)),)
