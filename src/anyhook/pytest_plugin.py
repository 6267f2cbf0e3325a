"""The pytest plugin: hook test cases are tests, and the fixture ``hooks`` runs hooks on events.

pytest loads this module in every run wherever anyhook is installed. So the rest of anyhook and its dependencies are
imported only when a case is found or the fixture is used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from anyhook.model.outcome import Outcome
    from anyhook.testing.cases.cases import BrokenCase, Case, Suite
    from anyhook.testing.hook_firer import HookFirer
    from anyhook.testing.runner import CaseResult, Runner, Trial

__all__ = ["Hooks"]

FOLDERS = (("hooks", "tests", "cases"), (".anyhook", "tests", "cases"))
"""Folders of cases. A copy of the table in testing/cases/case_files, to avoid its import; a test compares them."""
SUFFIXES = (".yaml", ".yml")
INI = "anyhook_package"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        INI,
        "The folder with the hooks for the fixture `hooks`, relative to this file. "
        "Default: the nearest folder above the test that has hooks.",
        default="",
    )


# --------------------------------------------------------------------------------------------------------------- cases


def pytest_configure(config: pytest.Config) -> None:
    """Collect the cases of the package above the start folder, too, unless pytest is told what to collect."""
    start = config.invocation_params.dir
    if config.args_source is not pytest.Config.ArgsSource.INVOCATION_DIR or _cases_in(start):
        return
    above = next(filter(None, map(_cases_in, start.parents)), [])
    config.args += [str(cases) for cases in above if not cases.is_relative_to(start) and cases not in start.parents]


def _cases_in(package: Path) -> list[Path]:
    return [cases for names in FOLDERS if (cases := package.joinpath(*names)).is_dir()]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Let pytest collect cases in the hidden folder, which it would skip."""
    hidden, *inner = FOLDERS[1]
    if collection_path.name != hidden or not collection_path.joinpath(*inner).is_dir():
        return None
    given = config.getoption("ignore") or ()
    return None if any(Path(path).absolute() == collection_path for path in given) else False


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> HookCaseFile | None:
    if file_path.suffix in SUFFIXES and file_path.parent.parts[-3:] in FOLDERS:
        return HookCaseFile.from_parent(parent, path=file_path)
    return None


class HookCaseFile(pytest.File):
    """A file with one case."""

    def collect(self) -> Iterable[HookCase]:
        package = _packages(self.config).of(self.path.parents[3])
        case = package.case(self.path)
        name = case.name if case.file == self.path else self.path.stem
        yield HookCase.from_parent(self, name=name, package=package, case=case)


class HookCase(pytest.Item):
    """One hook test case. A case that cannot run is an error of the item, an unmet expectation a failure."""

    def __init__(self, *, package: _TestedPackage, case: Case | BrokenCase, **more: Any) -> None:
        super().__init__(**more)
        self.package, self.case = package, case
        self.extra_keyword_matches.add(case.event)
        self.trial: Trial | None = None

    def setup(self) -> None:
        from anyhook.model.problems import Problem
        from anyhook.testing.cases.cases import BrokenCase
        from anyhook.testing.runner import CaseResult, CaseStatus

        case = self.case
        if isinstance(case, BrokenCase):
            self._fail(CaseResult(case=case, state=CaseStatus.BROKEN, problems=case.problems))
        elif isinstance(trial := self.package.runner.prepare_test(case), Problem):
            self._fail(CaseResult(case=case, state=CaseStatus.BROKEN, problems=(trial,)))
        else:
            self.trial = trial

    def runtest(self) -> None:
        import asyncio

        from anyhook.testing.runner import compare

        assert self.trial is not None
        result = compare(self.trial, asyncio.run(self.package.runner.play(self.trial)))
        if result.run is not None:
            self.add_report_section("call", "stdout", result.run.stdout)
            self.add_report_section("call", "stderr", result.run.stderr)
        if result.failures:
            self._fail(result)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name

    def _fail(self, result: CaseResult) -> None:
        """Fail with the message of ``anyhook test``."""
        from anyhook.testing.cases.case_reports import explain, location_of

        file, line = location_of(result)
        shown = file.relative_to(self.config.rootpath) if file.is_relative_to(self.config.rootpath) else file
        lines = [*explain(result), "", f"{shown}:{line}" if line else str(shown)]
        if result.run is not None:
            lines.append(f"{result.run.origin}: {result.run.summary}")
        pytest.fail("\n".join(lines), pytrace=False)


class _TestedPackage:
    """The cases of one package, and the runner that they share."""

    def __init__(self, suite: Suite, runner: Runner) -> None:
        self.suite, self.runner = suite, runner

    def case(self, file: Path) -> Case | BrokenCase:
        """The case of a file; a broken test-config.json breaks all cases beside it."""
        from anyhook.testing.cases.case_files import CONFIG

        by_file = {case.file: case for case in self.suite.everything}
        return by_file.get(file) or by_file[file.parents[1] / CONFIG]


class _Packages:
    """The packages of this run of pytest."""

    def __init__(self) -> None:
        self.open = ExitStack()
        self._packages: dict[Path, _TestedPackage] = {}

    def of(self, root: Path) -> _TestedPackage:
        if root not in self._packages:
            from anyhook.testing.cases.case_files import read_suite
            from anyhook.testing.runner import Runner

            suite = read_suite(root)
            self._packages[root] = _TestedPackage(suite, self.open.enter_context(Runner(suite)))
        return self._packages[root]


_PACKAGES = pytest.StashKey[_Packages]()


def _packages(config: pytest.Config) -> _Packages:
    if _PACKAGES not in config.stash:
        config.stash[_PACKAGES] = _Packages()
    return config.stash[_PACKAGES]


def pytest_unconfigure(config: pytest.Config) -> None:
    if _PACKAGES in config.stash:
        config.stash[_PACKAGES].open.close()


# ------------------------------------------------------------------------------------------------------------- fixture


@pytest.fixture
def hooks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """Runs the hooks of the project that contains the test.

    def test_rm_is_blocked(hooks):
        assert hooks.fire("PreToolUse", tool="Bash", input={"command": "rm -rf /"}).effect == "block"
    """
    return Hooks(_package_of(request), tmp_path_factory.mktemp("anyhook-home"))


class Hooks:
    """The hooks of a package. They run as in a test case: few variables, an empty home folder."""

    def __init__(self, package: Path, home: Path) -> None:
        self.package = package
        """The folder that the hooks belong to, and in which they run."""
        self._home = home
        self._firer: HookFirer | None = None

    def fire(
        self,
        event: str,
        *,
        tool: str | None = None,
        input: Mapping[str, Any] | None = None,
        client: str | None = None,
        verdict: str | Mapping[str, Any] | None = None,
        allow_failure: bool = False,
        **fields: Any,
    ) -> Outcome:
        """The outcome of an event: ``.effect``, ``.reason``, ``.updated_input``, ``.runs`` and more.

        ``event`` and ``tool`` may have any client's name. With ``client``, the event runs as in that client, with the
        hooks converted if they are written for another one. ``verdict`` is what a model answers to prompt and agent
        hooks. A hook that fails fails the test, unless ``allow_failure`` is set. Further fields of the payload have the
        names of Claude Code: ``prompt="..."``, ``stop_hook_active=True``.
        """
        __tracebackhide__ = True
        from anyhook.model.problems import UsageError
        from anyhook.testing.expectations import describe_failure
        from anyhook.testing.hook_firer import HookFirer

        about = {} if tool is None else {"tool_name": tool, "tool_input": dict(input or {})}
        try:
            if self._firer is None:
                self._firer = HookFirer(self.package, self._home)
            outcome = self._firer.fire(event, {**about, **fields}, client=client, verdict=verdict)
            failed = next((run for run in outcome.runs if run.status.is_failure), None)
            if failed is None or allow_failure:
                return outcome
            wrong = f"{failed.summary}: {describe_failure(failed)} (if intended: allow_failure=True)"
        except UsageError as error:
            wrong = str(error)
        pytest.fail(wrong)  # outside the handler, so that pytest shows only the line of the test


def _package_of(request: pytest.FixtureRequest) -> Path:
    """The folder in pytest's settings, or else the nearest folder above the test that has hooks."""
    from anyhook.model.problems import UsageError
    from anyhook.testing.scaffold.example_events import find_hooks

    config = request.config
    named: str = config.getini(INI)
    if named:
        base = config.inipath.parent if config.inipath else config.rootpath
        return Path(os.path.normpath(base / named))
    try:
        return find_hooks(request.path.parent).root
    except UsageError as error:
        pytest.fail(f"{error}\nSet {INI} in the settings of pytest to their folder.", pytrace=False)
