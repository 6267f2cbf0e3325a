"""What each client honours, as ``anyhook clients`` says it."""

from __future__ import annotations

import json
from pathlib import Path

from anyhook.dialects import NAMES
from tests.bridge.bridging import make_package, run_anyhook
from tests.ui.serving import serving


def test_clients(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    told = json.loads(run_anyhook(package, "clients", "codex", "--json").stdout)
    with serving(package) as asked:
        listed = asked.get("/api/clients")
        codex = asked.get("/api/clients/codex")
        assert asked.request("/api/clients/nonsense", Cookie=asked.log_in())[0] == 404
    assert [each["name"] for each in listed] == list(NAMES)
    [view] = [each for each in listed if each["name"] == "codex"]
    assert codex["view"] == view
    assert (view["title"], view["release"], view["events"]) == (told["title"], told["release"], len(told["events"]))
    assert {event["canonical"]: event["names"] for event in codex["events"]} == told["events"]
    assert 0 < view["blocking"] == sum(event["blocks"] for event in codex["events"]) < view["events"]
    assert [source["pattern"] for source in codex["sources"]] == [source["pattern"] for source in told["sources"]]
    assert dict(codex["rules"])["timeouts.default_ms"] == str(told["timeouts"]["default_ms"])
