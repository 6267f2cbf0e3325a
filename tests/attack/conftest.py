"""Counts the attacks that were tried, for ``make attack``."""

from __future__ import annotations

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tried = [report.nodeid.partition("::")[0] for report in terminalreporter.getreports("passed")]
    if "tests/attack" not in terminalreporter.config.args:
        return  # other tests run, too
    terminalreporter.section("attacks")
    for file, number in Counter(tried).most_common():
        terminalreporter.write_line(f"{number:6}  {file}")
    terminalreporter.write_line(f"{len(tried):6}  attacks without success")
