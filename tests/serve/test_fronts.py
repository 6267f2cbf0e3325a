"""The limit on connections without a request, which both fronts have."""

from __future__ import annotations

from anyhook.serve.fronts import IdleConnections


def test_beyond_the_limit_the_oldest_is_aborted() -> None:
    aborted: list[str] = []
    idle = IdleConnections[str](2, aborted.append)
    for name in ("a", "b", "c"):
        idle.add(name)
    assert (aborted, idle.all()) == (["a"], ["b", "c"])


def test_one_that_has_sent_its_request_does_not_count() -> None:
    aborted: list[str] = []
    idle = IdleConnections[str](2, aborted.append)
    for name in ("a", "b", "c"):
        idle.add(name)
        idle.discard(name)
    idle.discard("unknown")
    assert (aborted, idle.all()) == ([], [])


def test_silent_ones_do_not_cut_off_one_that_has_sent_something() -> None:
    aborted: list[str] = []
    idle = IdleConnections[str](2, aborted.append)
    idle.add("alive", is_silent=False)
    for name in ("a", "b", "c"):
        idle.add(name)
    assert (aborted, idle.all()) == (["a", "b"], ["c", "alive"])
