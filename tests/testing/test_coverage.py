"""Coverage: which hooks, events and outcomes no case exercises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyhook.testing.coverage import Coverage, measure
from anyhook.testing.runner import Runner
from tests.testing.packages import case, group, package

EVENTS = {
    "pre-tool-use": [group("grep -q etc && exit 2; exit 0"), group("true", "exit 1")],
    "post-tool-use": [group("true")],
    "notification": [group("true")],
}


def covered(folder: Path, *cases: dict[str, Any]) -> Coverage:
    named = {str(n): {**each, "name": f"n{n}"} for n, each in enumerate(cases)}
    suite = package(folder, EVENTS, named)
    with Runner(suite) as runner:
        results = runner.run_all(suite.cases)
        return measure(runner.hook_sets(results), results)


def test_without_cases_everything_is_missing(tmp_path: Path) -> None:
    coverage = covered(tmp_path)
    assert coverage.missed_events == ("pre-tool-use", "post-tool-use", "notification")
    assert [(hook.group, hook.action, hook.seen) for hook in coverage.hooks[:3]] == [(0, 0, ()), (1, 0, ()), (1, 1, ())]
    assert coverage.hooks[0].missing == ("allow", "block", "error")
    assert coverage.hooks[-1].missing == ("allow", "error")
    assert coverage.endings == (0, 13)


def test_what_a_hook_did_is_covered_whether_the_case_passes_or_not(tmp_path: Path) -> None:
    bad = {"fixture": "fixtures/write.json", "overrides": {"toolInput.file_path": "/etc/passwd"}}
    coverage = covered(tmp_path, case(input=bad), case(expected={"exit-code": 5}), case(hook_index=1))
    first, second, third, *_ = coverage.hooks
    assert (first.seen, first.missing) == (("allow", "block"), ("error",))
    assert (second.seen, third.seen) == (("allow",), ("error",))
    assert coverage.missed_events == ("post-tool-use", "notification")


def test_a_case_in_a_sandbox_covers_the_same_hook(tmp_path: Path) -> None:
    assert covered(tmp_path, case("post-tool-use", sandbox=True)).hooks[3].seen == ("allow",)


def test_a_hook_that_did_not_match_is_not_covered(tmp_path: Path) -> None:
    assert covered(tmp_path, case(hook_index=7)).hooks[0].seen == ()
