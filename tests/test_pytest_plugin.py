"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest

from anyhook.dialects.events import unknown_event_text
from anyhook.pytest_plugin import FOLDERS, SUFFIXES
from anyhook.testing.cases import case_files
from anyhook.testing.scaffold.scaffold import plan_scaffold, write_scaffold
from tests.checkout import ROOT, SOURCE

# Where anyhook is installed, pytest finds the plugin through its entry point, and would load it twice.
INSTALLED = bool(entry_points(group="pytest11", name="anyhook"))
HEAVY = {"asyncio", "click", "msgspec", "re2", "regex", "rich", "ruamel", "tomlkit"}
"""What a project without hook cases must not pay for."""
PLUGIN = () if INSTALLED else ("-p", "anyhook.pytest_plugin")


@pytest.fixture
def package(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The package that ``anyhook init`` writes, in which pytest runs."""
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    write_scaffold(pytester.path, plan_scaffold(pytester.path))
    return pytester


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", "-W", "error", *arguments)


def edit(folder: Path, name: str, old: str, new: str) -> None:
    [file] = folder.rglob(name)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


# --- cases


def test_cases_are_items(package: pytest.Pytester) -> None:
    run(package).assert_outcomes(passed=8)


@pytest.mark.long
@pytest.mark.parametrize("below", ["src/deep", "hooks", "hooks/tests", "hooks/tests/cases"])
def test_cases_of_a_package_above_are_items_once(package: pytest.Pytester, below: str) -> None:
    (package.path / below).mkdir(parents=True, exist_ok=True)
    package.chdir()
    os.chdir(package.path / below)
    run(package).assert_outcomes(passed=8)


@pytest.mark.long
def test_what_is_named_is_collected_alone(package: pytest.Pytester) -> None:
    below = package.path / "src"
    below.mkdir()
    (below / "test_own.py").write_text("def test_own(): pass")
    os.chdir(below)
    run(package).assert_outcomes(passed=9)
    run(package, "test_own.py").assert_outcomes(passed=1)


@pytest.mark.long
def test_collect_only_shows_a_file_and_a_name_for_each(package: pytest.Pytester) -> None:
    result = run(package, "--collect-only", "-q")
    assert result.outlines[:2] == [
        "hooks/tests/cases/01-guard-blocks.yaml::guard-blocks",
        "hooks/tests/cases/02-guard-allows.yaml::guard-allows",
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("guard and not blocks", ["guard-allows", "guard-asks"]),
        ("stop-gate-holds", ["stop-gate-holds"]),
        ("post-tool-use", ["formatter-strips", "formatter-keeps-markdown", "formatter-ignores-commands"]),
    ],
)
def test_names_and_events_select(words: str, names: list[str], package: pytest.Pytester) -> None:
    lines = run(package, "--collect-only", "-q", "-k", words).outlines
    assert [line.partition("::")[2] for line in lines if "::" in line] == names


@pytest.mark.long
def test_one_file_can_be_named(package: pytest.Pytester) -> None:
    run(package, "hooks/tests/cases/07-stop-gate-holds.yaml::stop-gate-holds").assert_outcomes(passed=1)


@pytest.mark.long
def test_cases_in_the_hidden_folder_are_found(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    write_scaffold(pytester.path, plan_scaffold(pytester.path, "claude-code"))
    run(pytester).assert_outcomes(passed=8)
    run(pytester, "--ignore=.anyhook").assert_outcomes()


def test_a_failure_says_what_anyhook_test_says(package: pytest.Pytester) -> None:
    edit(package.path, "07-stop-gate-holds.yaml", "open items\n  effect: continue", "no such text\n  effect: proceed")
    result = run(package)
    result.assert_outcomes(passed=7, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ stop-gate-holds _*",
            'stderr does not have "no such text"',
            "effect: expected proceed, got continue (TODO.md has open items: *",
            "hooks/tests/cases/07-stop-gate-holds.yaml:8",
            '*hooks.json:12: sh "${PACKAGE_ROOT}/hooks/scripts/finish-todo.sh"',
            "*Captured stderr call*",
            "TODO.md has open items: *",
            "FAILED hooks/tests/cases/07-stop-gate-holds.yaml::stop-gate-holds - *",
        ],
        consecutive=False,
    )
    assert "Traceback" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


@pytest.mark.long
def test_what_cannot_run_is_an_error_of_its_item_and_the_others_run(package: pytest.Pytester) -> None:
    edit(package.path, "01-guard-blocks.yaml", "expected:", "expcted:")
    edit(package.path, "02-guard-allows.yaml", "fixtures/", "fixture/")
    edit(package.path, "08-stop-gate-allows.yaml", "name: stop-gate-allows", "name: stop-gate-holds")
    (package.path / "hooks/tests/cases/09-broken.yaml").write_text("name: [")
    result = run(package)
    result.assert_outcomes(passed=5, errors=4)
    result.stdout.fnmatch_lines(
        [
            '"expcted" is not a setting here',
            "hooks/tests/cases/01-guard-blocks.yaml:7",
            "there is no fixture fixture/shell-harmless.json",
            "the name stop-gate-holds is taken by hooks/tests/cases/07-stop-gate-holds.yaml:1",
            "*_ ERROR at setup of 09-broken _*",
        ],
        consecutive=False,
    )


@pytest.mark.long
def test_a_broken_config_is_an_error_of_every_case_beside_it(package: pytest.Pytester) -> None:
    edit(package.path, "test-config.json", '"version": 1', '"version": 2')
    result = run(package)
    result.assert_outcomes(errors=8)
    result.stdout.fnmatch_lines(["*_ ERROR at setup of 01-guard-blocks _*", '"version" must be 1'])


@pytest.mark.long
def test_junit_has_what_the_hook_printed(package: pytest.Pytester) -> None:
    run(package, "--junitxml=report.xml", "-o", "junit_logging=all", "-k", "guard-blocks").assert_outcomes(
        passed=1, deselected=7
    )
    [case] = ElementTree.parse(package.path / "report.xml").iter("testcase")
    assert case.get("name") == "guard-blocks"
    assert "shell guard: deletes" in "".join(case.itertext())


@pytest.mark.long
def test_workers_share_the_cases(package: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    run(package, "-n", "2").assert_outcomes(passed=8)


@pytest.mark.long
def test_no_folder_is_left_behind(package: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    run(package, f"--basetemp={package.path / 'base'}").assert_outcomes(passed=8)
    assert list(tmp_path.glob("anyhook-test-*")) == []


def test_the_folders_are_those_of_anyhook_test() -> None:
    assert ["/".join(folder) for folder in FOLDERS] == [f"{tests}/{case_files.CASES}" for tests in case_files.FOLDERS]
    assert set(SUFFIXES) == case_files.SUFFIXES


# --- the fixture


def test_the_fixture_fires_events_under_the_rules_of_any_client(package: pytest.Pytester) -> None:
    package.makepyfile(
        test_hooks=dedent("""
        import pytest

        from anyhook.pytest_plugin import Hooks

        RM = {"command": "rm -rf /"}


        def test_own_client(hooks: Hooks, request):
            outcome = hooks.fire("PreToolUse", tool="Bash", input=RM)
            assert outcome.effect == "block"
            assert outcome.client == "universal"
            assert "deletes everything" in outcome.reason
            assert hooks.package == request.config.rootpath


        @pytest.mark.parametrize("client", ["codex", "gemini-cli", "cursor", "windsurf", "kiro", "copilot-cli"])
        def test_other_clients(client, hooks):
            outcome = hooks.fire("PreToolUse", tool="Bash", input=RM, client=client)
            assert (outcome.client, outcome.effect) == (client, "block")


        def test_any_clients_name_of_a_tool_or_an_event(hooks):
            assert hooks.fire("pre-tool-use", tool="run_shell_command", input=RM).effect == "block"


        def test_fields_of_the_payload(hooks):
            assert hooks.fire("Stop", stop_hook_active=False).effect == "continue"
            assert hooks.fire("Stop", stop_hook_active=True).effect == "proceed"


        def test_a_client_without_the_event(hooks):
            outcome = hooks.fire("Stop", client="windsurf")
            assert outcome.effect == "proceed"
            assert [skip.reason for skip in outcome.skipped] == ["Windsurf has no event like stop"]


        def test_a_tool_that_no_hook_is_about(hooks):
            outcome = hooks.fire("PreToolUse", tool="Read", input={"file_path": "rm -rf /"})
            assert outcome.effect == "proceed"
            assert not outcome.runs
        """)
    )
    run(package, "test_hooks.py").assert_outcomes(passed=11)


@pytest.mark.long
def test_a_hook_that_fails_fails_cases_and_tests(package: pytest.Pytester) -> None:
    (package.path / "hooks/scripts/finish-todo.sh").write_text("python3 -c 'import no_such_module'\n")
    package.makepyfile(
        test_hooks=dedent("""
        def test_passes(hooks):
            assert hooks.fire("Stop").effect == "proceed"

        def test_expects_it(hooks):
            outcome = hooks.fire("Stop", allow_failure=True)
            assert outcome.runs[0].status == "failed-so-allowed"
        """)
    )
    result = run(package, "hooks/tests/cases/08-stop-gate-allows.yaml", "test_hooks.py")
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*No module named 'no_such_module' (if intended: allow_failure=True)"])


@pytest.mark.long
def test_the_example_of_the_document_passes(package: pytest.Pytester) -> None:
    document = (ROOT / "docs" / "pytest.md").read_text(encoding="utf-8")
    package.makepyfile(test_hooks=document.partition("```python\n")[2].partition("```")[0])
    run(package, "test_hooks.py").assert_outcomes(passed=5)


@pytest.mark.long
def test_hooks_see_another_home_folder_and_few_variables(
    package: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    (package.path / "hooks/scripts/finish-todo.sh").write_text('echo "[$HOME] [$SECRET_TOKEN] [$HOOK_TEST_TODO]"\n')
    package.makepyfile(
        test_hooks=dedent("""
        import os

        def test_it(hooks):
            [run] = hooks.fire("Stop").runs
            home, secret, todo = run.stdout.split()
            assert home != f"[{os.environ['HOME']}]"
            assert secret == "[]"
            assert todo == "[hooks/tests/fixtures/todo.md]"
        """)
    )
    run(package, "test_hooks.py").assert_outcomes(passed=1)


@pytest.mark.long
def test_a_model_is_not_asked_but_answered_for(package: pytest.Pytester) -> None:
    edit(
        package.path,
        "hooks.json",
        '"type": "command", "command": "sh \\"${PACKAGE_ROOT}/hooks/scripts/finish-todo.sh\\""',
        '"type": "prompt", "prompt": "Is it done? $ARGUMENTS"',
    )
    package.makepyfile(
        test_hooks=dedent("""
        def test_answered(hooks):
            assert hooks.fire("Stop", verdict={"ok": False, "reason": "not yet"}).effect == "continue"
            assert hooks.fire("Stop", verdict={"ok": True}).effect == "proceed"

        def test_not_answered(hooks):
            hooks.fire("Stop")
        """)
    )
    result = run(package, "test_hooks.py")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*a hook asks a model, but tests call none: *verdict=*"])


@pytest.mark.long
def test_the_package_can_be_named_in_the_settings(package: pytest.Pytester) -> None:
    package.makeini("[pytest]\nanyhook_package = elsewhere\n")
    write_scaffold(package.mkdir("elsewhere"), plan_scaffold(package.path, "gemini-cli"))
    package.makepyfile(
        test_hooks=dedent("""
        def test_it(hooks):
            assert hooks.package.name == "elsewhere"
            assert hooks.fire("PreToolUse", tool="Bash", input={"command": "rm -rf /"}).client == "gemini-cli"
        """)
    )
    run(package, "test_hooks.py").assert_outcomes(passed=1)


@pytest.mark.long
def test_the_hooks_of_a_client_and_the_guards_of_the_package_both_run(package: pytest.Pytester) -> None:
    write_scaffold(package.mkdir("mixed"), plan_scaffold(package.path, "gemini-cli"))
    package.makeini("[pytest]\nanyhook_package = mixed\n")
    package.makepyfile(
        test_hooks=dedent("""
        import pytest

        @pytest.mark.parametrize("client", [None, "gemini-cli"])
        def test_both(hooks, client):
            refused = hooks.fire("PreToolUse", tool="Bash", input={"command": "rm -rf /"}, client=client)
            assert (refused.effect, refused.client) == ("block", "gemini-cli")
            assert hooks.fire("Stop", client=client).effect == "continue"

        def test_the_guard_of_another_client(hooks):
            refused = hooks.fire("PreToolUse", tool="Bash", input={"command": "rm -rf /"}, client="codex")
            assert (refused.effect, refused.client) == ("block", "codex")
        """)
    )
    run(package, "test_hooks.py").assert_outcomes(passed=3)


@pytest.mark.long
def test_wrong_calls_are_explained_at_the_lines_of_the_tests(package: pytest.Pytester) -> None:
    calls = {
        'hooks.fire("PreToolUze", tool="Bash")': unknown_event_text("PreToolUze").replace("?", "[?]"),
        'hooks.fire("PreToolUse")': "PreToolUse is about a tool: name it",
        'hooks.fire("UserPromptSubmit")': "UserPromptSubmit needs prompt",
        'hooks.fire("Stop", client="codx")': "there is no client 'codx'; did you mean codex?",
    }
    package.makepyfile(
        test_hooks="".join(f"def test_{number}(hooks):\n    {call}\n" for number, call in enumerate(calls))
    )
    result = run(package, "test_hooks.py")
    result.assert_outcomes(failed=len(calls))
    for number, (call, message) in enumerate(calls.items()):
        place = f"test_hooks.py:{2 * number + 2}: Failed"
        result.stdout.fnmatch_lines([f">*{call}", f"E       Failed: {message}", "", place], consecutive=True)
    assert "firing.py" not in result.stdout.str()


@pytest.mark.long
def test_the_package_is_found_from_a_folder_below(package: pytest.Pytester) -> None:
    """Also if pytest's root is that folder."""
    below = package.mkdir("below")
    (below / "pytest.ini").write_text("[pytest]\n")
    (below / "test_it.py").write_text(
        'def test_it(hooks):\n    assert hooks.fire("Stop", stop_hook_active=True).effect == "proceed"\n'
    )
    result = package.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-c", str(below / "pytest.ini"), str(below))
    result.assert_outcomes(passed=1)


@pytest.mark.long
def test_a_test_without_hooks_is_told_how_to_name_them(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    pytester.makeini("[pytest]\n")
    pytester.makepyfile("def test_it(hooks):\n    pass\n")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no client has hooks here or in a folder above", "*anyhook_package*"])


# --- what it costs those who have no hooks


@pytest.mark.long
def test_without_cases_nothing_else_is_imported(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # other people's plugins import what they like
    pytester.makefile(".yaml", settings="a: 1")
    pytester.makepyfile(
        dedent("""
        import sys

        def test_it():
            ours = {name for name in sys.modules if name.partition(".")[0] == "anyhook"}
            assert ours == {"anyhook", "anyhook.pytest_plugin"}
            assert not sys.modules.keys() & HEAVY
        """).replace("HEAVY", repr(HEAVY))
    )
    pytester.runpytest_subprocess("-p", "anyhook.pytest_plugin").assert_outcomes(passed=1)


@pytest.mark.long
def test_the_module_itself_needs_only_pytest() -> None:
    code = "import sys, pytest; import anyhook.pytest_plugin; print(*sys.modules)"
    source = str(SOURCE)
    ran = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True)
    loaded = set(ran.stdout.split())
    assert {name for name in loaded if name.partition(".")[0] == "anyhook"} == {"anyhook", "anyhook.pytest_plugin"}
    assert not loaded & HEAVY
