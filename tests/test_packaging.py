"""The files that build, test and release anyhook name commands, modules and files that exist."""

from __future__ import annotations

import ast
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.checkout import ROOT

pytestmark = pytest.mark.long

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PYTHON_CODE = re.compile(r'python -c "([^"]+)"')


def read_yaml(path: Path) -> Any:
    return YAML(typ="safe").load(path)


def test_project_urls() -> None:
    urls: dict[str, str] = PROJECT["project"]["urls"]
    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith("https://github.com/anyhook/anyhook") for url in urls.values())


FEATURES = {
    "agents": "openai-agents",
    "claude_agent_sdk": "claude-agent-sdk",
    "google": "google-adk",
    "h11": "http",
    "httpx": "http",
    "httpx2": "llm",
    "langchain": "langchain",
    "langchain_core": "langchain",
    "langgraph": "langchain",
    "mcp": "openai-agents",
    "opentelemetry": "otel",
    "psycopg": "postgres",
    "pyarrow": "parquet",
    "pydantic_ai": "llm",
    "pydantic_graph": "pydantic-ai",
    "pytest": "pytest",
    "requests": "otel",
    "starlette": "ui",
    "strands": "strands",
    "textual": "tui",
    "uvicorn": "ui",
    "watchfiles": "watch",
}
"""Modules of extras: without one, the feature is missing and says so. No other module may be."""
DISTRIBUTIONS = {"re2": "google-re2", "ruamel": "ruamel.yaml"}


def test_what_decides_is_installed_with_anyhook() -> None:
    """Without the extra for shell commands, two recorded situations once had another outcome."""
    core = {re.split(r"[<>=]", text)[0] for text in PROJECT["project"]["dependencies"]}
    assert set(FEATURES.values()) <= set(PROJECT["project"]["optional-dependencies"])
    used = {name for path in (ROOT / "src" / "anyhook").rglob("*.py") for name in imported(path)}
    foreign = used - sys.stdlib_module_names - {"anyhook", "_sha2"} - set(FEATURES)  # Python 3.12 has _sha2 itself
    assert {DISTRIBUTIONS.get(name, name.replace("_", "-")) for name in foreign} == core


def imported(path: Path) -> Iterator[str]:
    """The packages that a module imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from (alias.name.partition(".")[0] for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def test_vectors_are_played_on_a_wheel_without_extras() -> None:
    steps = [
        step.get("run", "")
        for job in read_yaml(ROOT / ".github" / "workflows" / "test.yml")["jobs"].values()
        for step in job["steps"]
    ]
    assert any("make test-wheel" in step for step in steps)
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ntest-wheel:")[2].partition("\n\n")[0]
    assert "tools/try_distribution.py" in recipe
    assert "conformance/referee.py" in recipe
    script = (ROOT / "tools" / "try_distribution.py").read_text(encoding="utf-8")
    assert 'make_environment(folder / "venv", [wheel])' in script


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](docs/a.md#b)", "[a](PAGES/docs/a.md#b)"),
        ("[a](#b) [c](https://example.com/d)", "[a](#b) [c](https://example.com/d)"),
        ("![a b](docs/a.svg)", "![a b](PICTURES/docs/a.svg)"),
        ("[![a](docs/a.svg)](docs/b.md)", "[![a](PICTURES/docs/a.svg)](PAGES/docs/b.md)"),
        (
            '<a href="docs/b.md"><img src="docs/a.png"></a>',
            '<a href="PAGES/docs/b.md"><img src="PICTURES/docs/a.png"></a>',
        ),
        ('<source srcset="docs/dark.svg">', '<source srcset="PICTURES/docs/dark.svg">'),
    ],
)
def test_the_description_has_links_that_work_everywhere(
    text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index shows the README without the files of the repository."""
    for name in ("builders.hooks", "metadata"):  # hatchling is there only while a wheel is built
        module = ModuleType(f"hatchling.{name}.plugin.interface")
        for interface in ("BuildHookInterface", "MetadataHookInterface"):
            setattr(module, interface, type(interface, (), {"__class_getitem__": lambda interface, of: object}))
        monkeypatch.setitem(sys.modules, module.__name__, module)
    build = runpy.run_path(str(ROOT / "hatch_build.py"))
    pages, pictures = build["PAGES"].rstrip("/"), build["PICTURES"].rstrip("/")
    made: str = build["make_links_absolute"](text)
    assert made.replace(pages, "PAGES").replace(pictures, "PICTURES") == expected


def test_the_wheel_has_the_pages_of_the_rules() -> None:
    """``anyhook check --explain`` prints them where there is no checkout."""
    added: dict[str, str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert added == {"docs/rules": "anyhook/report/pages"}
    assert (ROOT / "docs" / "rules" / "M006.md").is_file()


def test_the_wheel_has_the_files_of_the_page() -> None:
    """``anyhook ui`` serves them."""
    pytest.importorskip("hatchling")
    from hatchling.builders.wheel import WheelBuilder

    packed = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    static = ROOT / "src" / "anyhook" / "ui" / "static"
    files = {path.relative_to(ROOT / "src").as_posix() for path in static.rglob("*") if path.is_file()}
    assert files
    assert files <= packed


# --- the source distribution


def included() -> set[str]:
    """The top-level names in the source distribution; README and LICENSE are added by the build."""
    names: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    return {name.removeprefix("/") for name in names} | {"README.md", "LICENSE", "pyproject.toml"}


def names_below_root(path: Path) -> Iterator[str]:
    """The first component of every ``ROOT / "name"`` in a test."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.BinOp(left=ast.Name(id="ROOT"), op=ast.Div(), right=ast.Constant(value=str(name))):
                yield name.partition("/")[0]


def test_the_source_distribution_has_what_tests_read() -> None:
    read = {name for path in (ROOT / "tests").rglob("*.py") for name in names_below_root(path)}
    assert {"docs", "schemas", "examples", ".github"} <= read
    assert read <= included()


def test_what_the_source_distribution_includes_exists() -> None:
    assert [name for name in included() if not (ROOT / name).exists()] == []


# --- workflows and pre-commit


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    for job in read_yaml(workflow)["jobs"].values():
        yield from job["steps"]


def commands(workflow: Path) -> list[str]:
    """Everything that a workflow runs, with what cibuildwheel runs for it."""
    found = [step["run"] for step in steps(workflow) if "run" in step]
    variables = [step.get("env", {}) for step in steps(workflow)]
    return found + [each["CIBW_TEST_COMMAND"] for each in variables if "CIBW_TEST_COMMAND" in each]


def check_python(code: str) -> None:
    """The code can be compiled, and what it imports from anyhook exists."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                assert hasattr(import_module(node.module), alias.name), f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                assert find_spec(alias.name), alias.name


def check_command(line: str) -> None:
    """One command line names a make target, a module, or a command of anyhook."""
    match shlex.split(line):
        case ["make", target, *variables]:
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert re.search(rf"^{target}:", makefile, re.MULTILINE)
            for variable in variables:
                assert re.search(rf"\b{variable.partition('=')[0]}\b", makefile), variable
        case ["python", "-c", code]:
            check_python(code)
        case ["python", "-m", "anyhook", command, *paths]:
            check_anyhook(command)
            assert all((ROOT / path).exists() for path in paths)
        case ["python", "-m", "build" | "pip" | "twine", *_]:
            pass  # installed by the workflow
        case ["python", "-m", module, *_]:
            assert find_spec(module), module
        case ["anyhook-client", "anyhook", command, *_]:
            check_anyhook(command)
        case ["sudo", "sysctl", *_] | ["gh", "issue", "create", *_] | ["false"]:
            pass  # of the machine that runs it
        case ["codespell"]:
            assert find_spec("codespell_lib")
        case ["lint-imports"]:
            assert find_spec("importlinter")
        case words:
            pytest.fail(f"no rule says whether this works: {words}")


def check_anyhook(command: str) -> None:
    from anyhook.cli.main import COMMANDS

    assert command in {*COMMANDS, "exec"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_the_commands_of_a_workflow_exist(workflow: Path) -> None:
    lines = [line for command in commands(workflow) for line in command.split("&&")]
    assert lines
    for line in lines:
        check_command(line)


def test_every_workflow_is_checked() -> None:
    assert [path.stem for path in WORKFLOWS] == ["drift", "test", "wheels"]


def test_a_missing_name_is_noticed() -> None:
    with pytest.raises(AssertionError, match=r"daemon_client\.program"):
        check_command('python -c "from anyhook.entries.daemon_client import program"')
    with pytest.raises(AssertionError):
        check_command("make nonsense")
    with pytest.raises(AssertionError, match="TABEL"):
        check_command("make drift TABEL=drift.md")


def test_tests_run_on_every_system_and_python() -> None:
    matrix = read_yaml(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["test"]["strategy"]["matrix"]
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    classifiers: list[str] = PROJECT["project"]["classifiers"]
    minor = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    assert matrix["python"] == [found[1] for text in classifiers if (found := minor.fullmatch(text))]


def test_pre_commit_runs_what_make_lint_runs() -> None:
    [repository] = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    for hook in repository["hooks"]:
        assert hook["language"] == "system"
        check_command(hook["entry"])
        if "files" in hook:
            re.compile(hook["files"])
    entries = {hook["id"] for hook in repository["hooks"]}
    assert entries == {"ruff-check", "ruff-format", "mypy", "import-linter", "codespell", "anyhook-check"}


def test_the_python_client_runs_in_the_environment_that_has_anyhook() -> None:
    """Installers replace exactly ``#!python``; any other line could start a Python without anyhook."""
    launcher = ROOT / "src" / "anyhook" / "serve" / "client" / "launcher.py"
    assert launcher.read_text(encoding="utf-8").partition("\n")[0] == "#!python"
