"""What ``anyhook exec`` does with one event. The command and the daemon both call this, so they answer alike.

The two halves are apart because the first only reads files, which the daemon leaves to a thread, and the second runs
hooks, many at a time in one event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, structs

from anyhook.bridge.ask_packages import Call, GoesOn, answer, has_background, let_go, refuse, run_background
from anyhook.bridge.packages import HookPackage, find_packages
from anyhook.dialects import NAMES, profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.hooks import Command, Python
from anyhook.model.payload_base import Payload
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.sources import disk
from anyhook.sources.discover import Roots, roots_for

if TYPE_CHECKING:
    from anyhook.engine.functions.function_host import FunctionHost

_OPTIONS = frozenset({"--client", "--event", "--from", "--package", "--fail", "--answered", "--background"})


class NotCachedError(Exception):
    """Whoever was to find the hooks would have to search for them."""


class FindPackages(Protocol):
    """Finds the hooks to ask, as :func:`find_packages` does; may raise UnknownYetError."""

    def __call__(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]: ...


class Caller(Struct, frozen=True, kw_only=True):
    """Where the asking process runs, which need not be this one."""

    cwd: Path | None
    """None: nobody tells, so the session's, which is in the payload."""
    home: Path
    environment: Mapping[str, str]
    is_process: bool = True
    """False: it has no exit status and no stderr to give (an HTTP hook)."""


Options = Mapping[str, str]
"""Those of ``anyhook exec``."""
Answering = Callable[[Options, Caller, bytes], Coroutine[Any, Any, ProcessAnswer | None]]
"""Answers an event for somebody who has asked the daemon; None: a process of the client's has to."""


class Prepared(Struct, frozen=True, kw_only=True):
    """An event whose hooks are found and checked."""

    call: Call
    packages: tuple[HookPackage, ...] = ()
    refusal: str = ""
    """Why nobody can be asked; empty: somebody can."""


def read_options(arguments: Sequence[str]) -> Options:
    """The options of ``anyhook exec``; raises UsageError."""
    options = dict(zip(arguments[::2], arguments[1::2], strict=False))
    if unknown := next((name for name in arguments[::2] if name not in _OPTIONS), ""):
        raise UsageError(f"there is no option {unknown}")
    if len(arguments) % 2:
        raise UsageError(f"{arguments[-1]} needs a value")
    if options.get("--fail", "open") not in ("open", "closed"):
        raise UsageError("--fail is open or closed")
    if not options.get("--answered", "0").isdecimal():
        raise UsageError("--answered is a number")
    for option in ("--client", "--from"):
        if (name := options.get(option, NAMES[0] if option == "--from" else "")) not in NAMES:
            raise UsageError(f"{option} is one of: {', '.join(NAMES)}" + (f"; not {name}" if name else ""))
    return options


def prepare(
    options: Options,
    caller: Caller,
    stdin: bytes,
    find: FindPackages = find_packages,
    functions: FunctionHost | None = None,
) -> Prepared:
    """Find the hooks that are asked, and check that they may run. What is wrong is a refusal.

    ``find`` may know them already; ``functions`` calls hooks that are Python functions here. Nothing is raised but what
    ``find`` has not found yet.
    """
    client_payload, problems = decode_payload(profile(options["--client"]), stdin, options.get("--event", ""))
    call = Call(
        client=options["--client"],
        client_payload=client_payload,
        problems=problems,
        home=caller.home,
        fail="closed" if options.get("--fail") == "closed" else "open",
        environment=caller.environment,
        functions=functions,
        is_process=caller.is_process,
    )
    try:
        project = caller.environment.get(profile(call.client).execution.project_variable) or "."
        cwd = caller.cwd or Path(client_payload.cwd if isinstance(client_payload.cwd, str) else "/")
        roots = roots_for(cwd / project, caller.home, caller.environment)
        package = cwd / options["--package"] if "--package" in options else None
        started_in = _session_folder(client_payload) or cwd
        packages = find(roots, package=package, dialect=options.get("--from"), started_in=started_in)
        return Prepared(call=call, packages=packages)
    except NotCachedError:
        raise
    except AnyhookError as error:
        return Prepared(call=call, refusal=str(error))
    except Exception as error:
        return Prepared(call=call, refusal=_bug(error))


def with_functions(prepared: Prepared) -> Prepared:
    """The event with its hooks that are Python functions to be called in this process, if there are any."""
    actions = (action for package in prepared.packages for rule in package.hooks.rules for action in rule.actions)
    if not any(isinstance(action, Python) for action in actions):
        return prepared
    from anyhook.engine.functions.function_host import FunctionHost

    return structs.replace(prepared, call=structs.replace(prepared.call, functions=FunctionHost()))


def _session_folder(client_payload: Payload) -> Path | None:
    """The folder that the agent is in, where some clients' hooks are started: what lies there is what would run."""
    cwd = client_payload.cwd
    return Path(cwd) if isinstance(cwd, str) and disk.is_dir(Path(cwd)) else None


def may_go_on(prepared: Prepared) -> bool:
    """Whether there are hooks that can say, once they run, that nobody needs to wait for them."""
    return any(
        isinstance(action, Command)
        for package in prepared.packages
        if profile(package.hooks.dialect).execution.honours_async
        for rule in package.hooks.rules
        for action in rule.actions
    )


async def answer_prepared(
    prepared: Prepared, start_background: Callable[[], None], goes_on: GoesOn = let_go
) -> ProcessAnswer:
    """Ask the hooks. Never raises.

    ``start_background`` is to see to :func:`work_left`, which nobody waits for; ``goes_on`` is told of hooks that have
    started and may go on.
    """
    call, packages = prepared.call, prepared.packages
    if prepared.refusal:
        return refuse(call, f"anyhook: {prepared.refusal}")
    try:
        if any(map(has_background, packages)):
            start_background()
        return await answer(call, packages, goes_on)
    except AnyhookError as error:
        return refuse(call, f"anyhook: {error}")
    except Exception as error:
        return refuse(call, f"anyhook: {_bug(error)}")


async def work_left(prepared: Prepared) -> None:
    """Run the background hooks of the event to their end."""
    if not prepared.refusal:
        await run_background(prepared.call, prepared.packages)


def exit_status(options: Options, sent: ProcessAnswer) -> int:
    """The status of the process, which tells an answer from a failure when the entry asks for that."""
    return int(options.get("--answered", "0")) + sent.exit_code


def _bug(error: Exception) -> str:
    return f"{type(error).__name__}: {error}. This is a bug in anyhook; its hooks were not asked"
