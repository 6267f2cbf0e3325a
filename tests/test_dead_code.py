"""Nothing in anyhook is there for tests alone: what it defines it uses, or the documentation shows it to users.

A name counts as used where code reads it: in anyhook, in the benchmarks, in the examples and in the Python of the
documentation. What a library calls, or what is found by its name, is listed below with the reason.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import anyhook
from tests.checkout import ROOT, SOURCE

PACKAGE = SOURCE / "anyhook"
FILES = sorted(PACKAGE.rglob("*.py"))

CALLED_BY_LIBRARIES = {
    # click
    "convert", "format_commands", "get_command", "get_invalid_choice_message", "list_commands", "parse_args",
    "resolve_command", "shell_complete",
    # asyncio's protocols
    "connection_lost", "connection_made", "data_received", "pipe_connection_lost", "pipe_data_received",
    "process_exited", "pause_writing",
    # uvicorn
    "on_response_complete",
    # http.server
    "do_GET", "do_HEAD", "do_POST", "handle_error", "log_message", "daemon_threads", "protocol_version",
    # importlib
    "create_module", "exec_module", "find_spec", "get_code",
    # pytest
    "collect", "reportinfo", "runtest",
    # the pytest plugin and the lookup of dialects
    "pytest_addoption", "pytest_collect_file", "pytest_configure", "pytest_ignore_collect", "pytest_unconfigure",
    "DIALECT", "DRIVER",
}  # fmt: skip
CALLED_BY_TEXTUAL = (
    r"action_\w+|on_\w+|compose|BINDINGS|CSS|ENABLE_COMMAND_PALETTE|TITLE|apply|get_line_filters|\w+_BREAKPOINTS"
    r"|_handle_exception|_print_error_renderables"
)
DATA_OF_HOOKS = {"model/payload.py", "model/payload_base.py", "model/output.py"}
"""What hooks receive and answer: their fields are for hooks, and for the JSON of clients."""
BY_NAME = {
    "status_message", "show_output", "context_limit",  # fields of actions, which the tables of keys name
    "modified",  # a part of the identity of a file, compared as a whole
    "feedback",  # a field of the public ToolResult
    "is_concluded",  # in the JSON of `anyhook test --recording`
    "bytes_in", "bytes_out",  # columns of an export of the journal
    "total_ms", "last_at", "last_effect", "last_status",  # in the JSON of `anyhook log --stats`
}  # fmt: skip


@cache
def parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


class Definition(NamedTuple):
    file: Path
    name: str
    lines: range
    is_top: bool
    """Defined by the module, not by a class."""

    def __str__(self) -> str:
        return f"{self.file.relative_to(SOURCE)}:{self.lines.start} {self.name}"


def definitions(file: Path) -> Iterator[Definition]:
    """Functions, classes, and what modules and classes assign; not what is inside of functions."""

    def visit(body: list[ast.stmt], *, is_top: bool) -> Iterator[Definition]:
        for node in body:
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    yield Definition(file, node.name, lines, is_top)
                    if isinstance(node, ast.ClassDef):
                        yield from visit(node.body, is_top=False)
                case ast.Assign() | ast.AnnAssign():
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    for name in (each for target in targets for each in ast.walk(target)):
                        if isinstance(name, ast.Name):
                            yield Definition(file, name.id, lines, is_top)
                case ast.If():
                    yield from visit([*node.body, *node.orelse], is_top=is_top)

    yield from visit(parse(file).body, is_top=True)


def reads(tree: ast.AST) -> Iterator[tuple[str, int, bool]]:
    """The names that code reads, each with its line, and whether it is an attribute."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                yield name, node.lineno, False
            case ast.Attribute(attr=name, ctx=ast.Load()):
                yield name, node.lineno, True
            case ast.MatchClass(kwd_attrs=names):
                yield from ((name, node.lineno, True) for name in names)


def imports(file: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


def shown_to_users() -> set[str]:
    """Names outside of the package's Python: documentation, the scripts of the web page, examples, benchmarks."""
    names: set[str] = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```python.*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            names.update(re.findall(r"\w+", block))
    for script in (PACKAGE / "ui" / "static").rglob("*.js"):  # the page reads the fields of what it is sent
        names.update(re.findall(r"\.(\w+)", script.read_text(encoding="utf-8")))
    for file in (*(ROOT / "examples").rglob("*.py"), *(ROOT / "bench").rglob("*.py")):
        names.update(name for name, _, _ in reads(parse(file)))
        names.update(name for _, name in imports(file))
    return names


def is_called_by_textual(found: Definition) -> bool:
    """By the name of an action or a message, or by the decorator for one."""
    if not found.file.is_relative_to(PACKAGE / "tui"):
        return False
    is_handler = lines_of(found.file)[found.lines.start - 2].strip().startswith("@on(")
    return is_handler or re.fullmatch(CALLED_BY_TEXTUAL, found.name) is not None


def is_found_by_name(found: Definition) -> bool:
    if is_called_by_textual(found):
        return True
    if found.file.relative_to(PACKAGE).as_posix() in DATA_OF_HOOKS or re.fullmatch("__.*__", found.name):
        return True
    node = next((node for node in parse(found.file).body if node.lineno in found.lines), None)
    decorators = getattr(node, "decorator_list", [])
    return any("command(" in ast.unparse(decorator) for decorator in decorators)  # click's


def test_everything_that_is_defined_is_used() -> None:
    read_at: dict[str, list[tuple[Path, int, bool]]] = defaultdict(list)
    for file in FILES:
        for name, line, is_attribute in reads(parse(file)):
            read_at[name].append((file, line, is_attribute))
    imported = {each for file in FILES for each in imports(file)}
    known = {*shown_to_users(), *anyhook.__all__, *CALLED_BY_LIBRARIES, *BY_NAME}

    def is_read(found: Definition) -> bool:
        """What a module defines is read there, imported, or an attribute; all else is known by its name alone."""
        if found.is_top and (module_name(found.file), found.name) in imported:
            return True
        return any(
            line not in found.lines if file == found.file else is_attribute or not found.is_top
            for file, line, is_attribute in read_at[found.name]
        )

    unused = [
        str(found)
        for file in FILES
        if file.parent.name != "frameworks"  # frameworks call them
        for found in definitions(file)
        if found.name not in known and not is_found_by_name(found) and not is_read(found)
    ]
    assert unused == []
