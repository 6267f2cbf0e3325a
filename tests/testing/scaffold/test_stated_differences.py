"""The cases that ``anyhook init --client`` writes pass the matrix: they state what other clients do otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.deploy.target_files import writable_clients
from anyhook.dialects import profile
from anyhook.model.origin import Scope
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.matrix.play import play_matrix
from anyhook.testing.scaffold.scaffold import plan_scaffold, write_scaffold
from anyhook.testing.scaffold.stated_differences import with_differences
from tests.effort import share

pytestmark = pytest.mark.long

CLIENTS = share(writable_clients(Scope.PROJECT), 3, lambda name: profile(name).basis == "recorded")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_first_package_of_every_client_has_no_unknown_difference(client: str, tmp_path: Path) -> None:
    write_scaffold(tmp_path, with_differences(plan_scaffold(tmp_path, client)))
    suite = read_suite(tmp_path)
    matrix = play_matrix(suite, suite.everything)
    failing = [
        (row.case.name, cell.client, cell.reason) for row in matrix.rows for cell in row.cells if cell.status.fails
    ]
    assert failing == []
    assert not matrix.could_not_run


def test_a_difference_is_stated_with_its_reason(tmp_path: Path) -> None:
    scaffold = with_differences(plan_scaffold(tmp_path, "claude-code"))
    [case] = [file.text for file in scaffold.files if file.path.endswith("stop-gate-holds.yaml")]
    assert "    copilot-cli: proceed # exit 2 does not block on Stop, the agent stops\n" in case
