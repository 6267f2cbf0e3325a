"""The guard ``notify``: tells the user that the agent waits or has ended. Nothing that it does can fail the event."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from anyhook.guards.call import GuardCall, is_excepted
from anyhook.guards.formatting import installed
from anyhook.model.output import Reply

_MAX_CHARACTERS = 300
_MOMENTS = {"Notification": "waits", "PermissionRequest": "waits", "Stop": "ends"}
_APPLE_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)
_TOAST = (
    "$m = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime];"
    "$x = $m::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02);"
    "$t = $x.GetElementsByTagName('text');"
    "$t[0].InnerText = $env:NOTICE_TITLE; $t[1].InnerText = $env:NOTICE_TEXT;"
    "$m::CreateToastNotifier('anyhook').Show([Windows.UI.Notifications.ToastNotification]::new($x))"
)
"""The texts are variables: in the script itself they could end a quotation."""


class Notice(Struct, frozen=True):
    title: str
    text: str


def judge(call: GuardCall) -> Reply | None:
    if _MOMENTS[call.event.event] not in _words(call.settings.get("on", ("waits", "ends"))) or is_excepted(call):
        return None
    notice = notice_of(call)
    if call.settings.get("bell", True):
        _ring()
    if call.settings.get("desktop", True):
        _show(call, notice)
    if call.settings.get("webhook", False):
        call.post(notice.title, notice.text)
    return None


def notice_of(call: GuardCall) -> Notice:
    """What the user is told: short, and without what a tool was given."""
    said = call.event.get("message")
    match call.event.event:
        case "Stop":
            text = "The agent has ended its turn."
        case "PermissionRequest":
            text = f"The agent asks for permission to use {call.event.get('tool_name') or 'a tool'}."
        case _:
            text = said if isinstance(said, str) and said else "The agent waits for you."
    return Notice(_plain(f"{call.client}: {call.project.name}"), _plain(text))


def _words(value: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _plain(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text[:_MAX_CHARACTERS])


def _ring() -> None:
    """Ring the bell of the terminal that this process belongs to; the daemon has none, and some clients leave it."""
    with suppress(OSError):
        terminal = os.open("/dev/tty", os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
        try:
            os.write(terminal, b"\a")
        finally:
            os.close(terminal)


def _show(call: GuardCall, notice: Notice) -> None:
    """Start the first program that this machine has, and do not wait for it."""
    for program, arguments in _programs(notice):
        found = installed(call, program)
        if found is None:
            continue
        variables = {**call.environment, "NOTICE_TITLE": notice.title, "NOTICE_TEXT": notice.text}
        with suppress(OSError):
            process = subprocess.Popen(
                [found, *arguments],
                cwd=os.sep,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            reap_later(process)
        return


def reap_later(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process in a thread that no one waits for: a daemon would collect processes that have ended."""
    from threading import Thread

    Thread(target=process.wait, daemon=True).start()


def _programs(notice: Notice) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "notify-send", ("--app-name=anyhook", "--", notice.title, notice.text)
    script = tuple(word for line in _APPLE_SCRIPT for word in ("-e", line))
    yield "osascript", (*script, notice.title, notice.text)
    yield "powershell", ("-NoProfile", "-NonInteractive", "-Command", _TOAST)
