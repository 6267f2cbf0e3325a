from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.ui.jobs import BackgroundJob, CancelledJobError, JobProgress, JobView
from tests.later import later


def ended(job: BackgroundJob[str]) -> JobView[str]:
    while (view := job.poll()).state == "running":
        pass  # each look waits a while
    return view


def counting(file: Path) -> tuple[Callable[[JobProgress], str], list[str]]:
    """A computation that reads a file, and what it has read so far."""
    read: list[str] = []

    def compute(progress: JobProgress) -> str:
        content = disk.read_small_file(file, 1000)
        read.append("" if content is None else content.decode())
        return read[-1]

    return compute, read


def test_a_result_is_kept_until_a_file_changes(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("one")
    compute, read = counting(tmp_path / "file")
    job = BackgroundJob(compute, later)
    assert [ended(job).result for _ in range(3)] == ["one"] * 3
    assert read == ["one"]
    (tmp_path / "file").write_text("another")
    assert ended(job).result == "another"
    assert read == ["one", "another"]


def test_a_result_is_kept_until_the_stamp_changes(tmp_path: Path) -> None:
    compute, read = counting(tmp_path / "missing")
    stamps = [1]
    job = BackgroundJob(compute, later, lambda: stamps[-1])
    ended(job)
    ended(job)
    assert len(read) == 1
    stamps.append(2)
    ended(job)
    assert len(read) == 2


def test_progress_is_shown_and_one_computation_runs() -> None:
    go, started = threading.Event(), []

    def compute(progress: JobProgress) -> str:
        started.append(1)
        progress.total = 7
        progress.advance()
        go.wait(60)
        return "done"

    job = BackgroundJob(compute, later)
    views = [job.poll(), job.poll()]
    go.set()
    assert [(view.state, view.done, view.total) for view in views] == [("running", 1, 7)] * 2
    assert ended(job).result == "done"
    assert started == [1]


@pytest.mark.parametrize(
    ("error", "text"),
    [(AnyhookError("the file is broken"), "the file is broken"), (KeyError("k"), "internal error: KeyError: 'k'")],
)
def test_a_failure_is_told_and_tried_again(error: Exception, text: str) -> None:
    tries: list[int] = []

    def compute(progress: JobProgress) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise error
        return "now"

    job = BackgroundJob(compute, later, lambda: len(tries))
    failed = ended(job)
    assert (failed.state, failed.error.startswith(text)) == ("failed", True)
    assert ended(job).result == "now"


def test_a_computation_ends_with_the_server() -> None:
    cleaned = threading.Event()

    def compute(progress: JobProgress) -> str:
        try:
            while True:
                progress.advance()
        except CancelledJobError:
            cleaned.set()
            raise

    job = BackgroundJob(compute, later)
    assert job.poll().state == "running"
    job.close()
    assert cleaned.is_set()
