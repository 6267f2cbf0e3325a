"""*Overview*: where hooks guard the tools, what waits for approval, what is wrong, and what was refused. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from anyhook.doctor.clients import protection_text
from anyhook.report.data import as_data
from anyhook.report.entries import entries_of
from anyhook.ui.api.problems import REFUSALS, Examined
from anyhook.ui.event_view import EventView, event_view

LISTED_PROBLEMS = 3
"""The worst of them; the page *Problems* has all."""


class ClientStanding(Struct, frozen=True, kw_only=True):
    """A client that is installed or has hooks here."""

    name: str
    title: str
    installed: str
    hooks: int
    active: int
    guards: int
    lack: str
    """Why its tools run without a guard; empty: they do not."""
    last: EventView | None
    """Its newest event in this project; None: the journal has none."""


class OverviewPage(Struct, frozen=True, kw_only=True):
    protection: str
    clients: tuple[ClientStanding, ...]
    """Those without protection first."""
    trust: str
    problems: list[dict[str, Any]]
    counts: dict[str, int]
    refused: tuple[EventView, ...]
    """The newest first."""
    journal_error: str


def overview_page(examined: Examined) -> OverviewPage:
    views = [event_view(row) for row in examined.newest]
    last = {view.client: view for view in reversed(views)}
    clients = (
        ClientStanding(
            name=client.name,
            title=client.title,
            installed=client.installed,
            hooks=client.hooks,
            active=client.active,
            guards=client.guards,
            lack=client.lack,
            last=last.get(client.name),
        )
        for client in examined.diagnosis.clients
    )
    entries = entries_of(examined.diagnosis.problems)
    return OverviewPage(
        protection=protection_text(examined.diagnosis.clients, examined.diagnosis.problems),
        clients=tuple(sorted(clients, key=lambda client: not client.lack)),
        trust=examined.diagnosis.trust,
        problems=as_data(entries[:LISTED_PROBLEMS])["problems"],
        counts=as_data(entries)["counts"],
        refused=tuple(view for view in views if view.effect in REFUSALS),
        journal_error=examined.journal_error,
    )
