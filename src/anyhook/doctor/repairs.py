"""What ``anyhook doctor --fix`` does: only what is safe and can be undone."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping

from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.doctor.examine import Diagnosis, hooks_in_files
from anyhook.lint.checked_file import Hook
from anyhook.lint.disk import Disk
from anyhook.lint.fix import fix_paths
from anyhook.lint.roots import resolve
from anyhook.lint.rules.scripts import scripts_of
from anyhook.project.project import Project
from anyhook.serve.control import start_daemon, stop_daemon
from anyhook.sources.discover import Roots

_DAEMON_WAIT_SECONDS = 10.0


def repair(roots: Roots, diagnosis: Diagnosis, environment: Mapping[str, str]) -> Iterator[str]:
    """Carry out the repairs, and say what each of them did."""
    codes = {found.code for found in diagnosis.problems}
    if "C003" in codes:
        yield from _make_executable(roots)
    for fixed in fix_paths([roots.project], roots).fixed:
        for problem in fixed.problems:
            yield f"{fixed.file}: repaired {problem.code}: {problem.text}"
    if codes & {"H016", "H017"}:  # it is dead, or of another release
        folder = find_runtime_folder(environment)
        stop_daemon(folder, wait=_DAEMON_WAIT_SECONDS)
        start_daemon(folder)
        yield "the daemon was started again"


def _make_executable(roots: Roots) -> Iterator[str]:
    """Scripts of the project that hooks start directly, for those who may read them."""
    disk, done = Disk(), set[str]()
    for hook in hooks_in_files(Project(roots), disk):
        for path in _not_executable(hook, roots, disk):
            if path not in done:
                done.add(path)
                yield f"{path}: made executable"


def _not_executable(hook: Hook, roots: Roots, disk: Disk) -> Iterator[str]:
    for line in hook.commands():
        for script in scripts_of(line):
            path = resolve(hook, script.path)
            if script.interpreter or path is None or not path.resolve().is_relative_to(roots.project.resolve()):
                continue
            if disk.is_file(path) and not disk.is_executable(path):
                mode = stat.S_IMODE(path.stat().st_mode)
                path.chmod(mode | (mode & 0o444) >> 2)
                yield str(path)
