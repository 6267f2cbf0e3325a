"""What the doctor finds, as data."""

from __future__ import annotations

from msgspec import Struct

from anyhook.model.codes import Severity
from anyhook.trust.decide import TrustState


class HealthFinding(Struct, frozen=True, kw_only=True):
    """Something that keeps hooks from working, or soon will."""

    check: str
    """Its name, or the code of a rule of the linter."""
    severity: Severity
    text: str
    remedy: str
    client: str = ""
    file: str = ""
    line: int = 0


class ExaminedClient(Struct, frozen=True, kw_only=True):
    """A client that is installed here or has hooks here."""

    name: str
    title: str
    installed: str
    """The release that PATH finds; empty: none, or its files do not tell."""
    measured: str
    """The release whose rules anyhook knows."""
    basis: str
    """How they are known: recorded, documented or specified."""
    files: tuple[str, ...]
    """Where its hooks come from."""
    hooks: int = 0
    active: int = 0
    limit_ms: int | None = 0
    """How long its hooks can make one tool call wait; None: without a limit."""


class ExaminedHook(Struct, frozen=True, kw_only=True):
    """A hook of a client: configured, loaded, and what the journal knows of it."""

    client: str
    event: str
    """By the client's name for it."""
    canonical: str
    hook: str
    file: str
    line: int
    pointer: str
    matcher: str | None
    loaded: str
    """What becomes of it in the client: "active", or why it does not run."""
    passes_anyhook: bool
    """Otherwise the client runs it itself, and the journal does not see it."""
    last_fired: str = ""
    """When, as ISO text; empty: never."""
    last_effect: str = ""
    last_status: str = ""
    p95_ms: float = 0.0


class DaemonState(Struct, frozen=True, kw_only=True):
    is_running: bool
    version: str = ""
    pid: int = 0


class Diagnosis(Struct, frozen=True, kw_only=True):
    clients: tuple[ExaminedClient, ...]
    hooks: tuple[ExaminedHook, ...]
    findings: tuple[HealthFinding, ...]
    """Errors first."""
    daemon: DaemonState
    trust: TrustState | None
    """None: nothing is deployed, so no hooks here need it."""

    @property
    def is_healthy(self) -> bool:
        return all(finding.severity is Severity.NOTE for finding in self.findings)
