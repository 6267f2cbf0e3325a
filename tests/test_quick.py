"""``make quick`` chooses the tests of what changed."""

from __future__ import annotations

from tools.quick import ALWAYS, EVERY_CLIENT, clients_of, matching_tests


def test_a_module_has_the_tests_that_mirror_it() -> None:
    assert set(matching_tests(["src/anyhook/lint/rules/timeouts.py"])) == {*ALWAYS, "tests/lint/rules/test_timeouts.py"}
    assert set(matching_tests(["src/anyhook/lint/rules/__init__.py"])) == {*ALWAYS, "tests/lint/rules"}


def test_without_a_mirror_the_nearest_tests_are_chosen() -> None:
    assert set(matching_tests(["src/anyhook/serve/client/client.py"])) == {*ALWAYS, "tests/serve/test_client.py"}
    assert set(matching_tests(["src/anyhook/dialects/clients/codex.py"])) == {*ALWAYS, "tests/dialects"}
    assert set(matching_tests(["src/anyhook/ui/static/app.js"])) == {*ALWAYS, "tests/ui"}
    assert set(matching_tests(["tests/cli/init.txt"])) == {*ALWAYS, "tests/cli"}
    assert set(matching_tests(["tests/conftest.py"])) == set(ALWAYS)


def test_a_test_within_a_chosen_folder_is_not_named_twice() -> None:
    assert set(matching_tests(["tests/model/test_wording.py", "Makefile"])) == set(ALWAYS)


def test_a_client_has_its_own_vectors_and_shared_code_has_all() -> None:
    assert clients_of(["src/anyhook/dialects/clients/codex.py"]) == ("codex",)
    assert clients_of(["conformance/vectors/gemini-cli.jsonl"]) == ("gemini-cli",)
    assert clients_of(["src/anyhook/engine/fold.py"]) == EVERY_CLIENT
    assert clients_of(["src/anyhook/cli/render.py", "src/anyhook/dialects/clients/cursor.py"]) == EVERY_CLIENT
    assert clients_of(["src/anyhook/tui/app.py"]) == ()
