"""anyhook.toml: what it may say, what a project may not, and what is said about mistakes in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyhook.model.origin import Scope
from anyhook.sources.settings import (
    SAFE_COMMANDS,
    DaemonSettings,
    ModelSettings,
    Settings,
    read_settings,
)


def settings(folder: Path, user: str = "", project: str = "", **environment: str) -> Settings:
    for name, text in (("user", user), ("project", project)):
        (folder / name).mkdir(exist_ok=True)
        if text:
            (folder / name / "anyhook.toml").write_text(text, encoding="utf-8")
    return read_settings(folder / "project", environment, folder / "user")


def test_without_files_nothing_is_configured(tmp_path: Path) -> None:
    assert settings(tmp_path) == Settings(models=ModelSettings())


def test_a_user_may_set_everything(tmp_path: Path) -> None:
    text = """
        [models]
        default = "openai:gpt"
        base_url = "http://localhost:8000/v1"
        api_key_env = "MY_KEY"
        stream = true
        max_concurrent = 2
        token_budget = 5000
        commands = ["npm test", "make *"]

        [models.aliases]
        haiku = "anthropic:claude-haiku-4-5"

        [daemon]
        start = false
        idle_minutes = 2.5
        http = true
        http_port = 8100
        """
    assert settings(tmp_path, text) == Settings(
        models=ModelSettings(
            default="openai:gpt",
            provider="openai",
            base_url="http://localhost:8000/v1",
            api_key_env="MY_KEY",
            stream=True,
            max_concurrent=2,
            token_budget=5000,
            commands=("npm test", "make *"),
            aliases={"haiku": "anthropic:claude-haiku-4-5"},
        ),
        daemon=DaemonSettings(start=False, idle_minutes=2.5, http=True, http_port=8100),
    )


def test_a_project_may_name_models(tmp_path: Path) -> None:
    user = '[models]\ndefault = "openai:gpt"\naliases = { fast = "openai:mini" }\n'
    project = '[models]\ndefault = "anthropic:claude"\naliases = { fast = "openai:large", best = "openai:best" }\n'
    found = settings(tmp_path, user, project)
    assert found.problems == ()
    assert found.models.default == "anthropic:claude"
    assert found.models.aliases == {"fast": "openai:mini", "best": "openai:best"}  # the user's value wins


@pytest.mark.parametrize(
    "line",
    [
        'base_url = "https://evil.example/v1"',
        'api_key_env = "AWS_SECRET_ACCESS_KEY"',
        "token_budget = 100000000",
        "max_concurrent = 1000",
        'commands = ["curl *"]',
        "stream = true",
    ],
)
def test_a_project_may_choose_nothing_that_costs_or_leaks(line: str, tmp_path: Path) -> None:
    found = settings(tmp_path, "", f'[models]\ndefault = "openai:gpt"\n{line}\n')
    assert found.models == ModelSettings(default="openai:gpt")
    [problem] = found.problems
    assert problem.text == f"a project may not choose {line.split()[0]}; it is ignored"
    assert (problem.origin.scope, problem.origin.line) == (Scope.PROJECT, 3)


@pytest.mark.parametrize(
    "line", ["start = false", "start = 1", "idle_minutes = 1000000", "http = true", "http_port = 80"]
)
def test_a_project_may_choose_nothing_about_the_daemon(line: str, tmp_path: Path) -> None:
    found = settings(tmp_path, "[daemon]\nidle_minutes = 10\n", f"[daemon]\n{line}\n")
    assert found.daemon == DaemonSettings(idle_minutes=10)
    [problem] = found.problems
    assert problem.text == f"a project may not choose {line.split()[0]}; it is ignored"
    assert (problem.origin.scope, problem.origin.line) == (Scope.PROJECT, 2)


def test_without_a_project_the_users_file_counts(tmp_path: Path) -> None:
    (tmp_path / "anyhook.toml").write_text("[daemon]\nstart = false\n")
    assert read_settings(None, {}, tmp_path) == Settings(daemon=DaemonSettings(start=False))


def test_a_users_server_is_not_the_server_of_a_provider_that_a_project_names(tmp_path: Path) -> None:
    user = '[models]\ndefault = "openai:gpt"\nbase_url = "http://localhost:8000/v1"\n'
    found = settings(tmp_path, user, '[models]\ndefault = "anthropic:claude"\n')
    assert found.models.default == "anthropic:claude"
    assert found.models.provider == "openai"
    by_variable = settings(tmp_path, user, ANYHOOK_BASE_URL="http://localhost:9000")
    assert (by_variable.models.provider, by_variable.models.base_url) == ("openai", "http://localhost:9000")


def test_the_environment_comes_first(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        '[models]\ndefault = "openai:gpt"\n',
        '[models]\ndefault = "openai:mini"\n',
        ANYHOOK_MODEL="anthropic:claude",
        ANYHOOK_BASE_URL="http://localhost:9000",
    )
    assert found.models.default == "anthropic:claude"
    assert (found.models.provider, found.models.base_url) == ("anthropic", "http://localhost:9000")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[models\n", 1, ""),
        ('[models]\ndefault = "a\n', 2, ""),
        ("[models]\n\ndefault = 3\n", 3, '"default" must be text'),
        ('[models]\nstream = "yes"\n', 2, '"stream" must be true or false'),
        ("[models]\nmax_concurrent = 0\n", 2, '"max_concurrent" must be a whole number above 0'),
        ("[models]\ntoken_budget = true\n", 2, '"token_budget" must be a whole number above 0'),
        ("[models]\ncommands = [3]\n", 2, '"commands" must be a list of texts'),
        ('[models]\naliases = "fast"\n', 2, '"aliases" must be keys with values'),
        ('[models.aliases]\nfast = "mini"\n', 2, '"fast" must be a model'),
        ('[models]\nmodel = "openai:gpt"\n', 2, '"model" is not a setting here'),
        ("[daemon]\nstart = 1\n", 2, '"start" must be true or false'),
        ("[daemon]\nidle_minutes = 0\n", 2, '"idle_minutes" must be a number above 0'),
        ("[daemon]\nidle_minutes = true\n", 2, '"idle_minutes" must be a number above 0'),
        ("[daemon]\nhttp_port = 65536\n", 2, '"http_port" must be a whole number above 0 and at most 65535'),
        ("[daemon]\nport = 80\n", 2, '"port" is not a setting here'),
        ("\n[redct]\npatterns = []\n", 2, '"redct" is not a table of settings'),
        ("models = 3\n", 1, '"models" must be a table'),
    ],
)
def test_a_mistake_has_its_file_and_line(text: str, line: int, message: str, tmp_path: Path) -> None:
    found = settings(tmp_path, text)
    assert (found.models, found.daemon) == (ModelSettings(), DaemonSettings())
    [problem] = found.problems
    assert problem.text.startswith(message)
    assert str(problem.origin) == f"{tmp_path / 'user' / 'anyhook.toml'}:{line}"
    assert problem.fix


@pytest.mark.parametrize("text", ["", "[models]\n"])
def test_a_file_without_settings_sets_nothing(text: str, tmp_path: Path) -> None:
    assert settings(tmp_path, text) == Settings()


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "project" / "anyhook.toml").mkdir(parents=True)
    [problem] = settings(tmp_path).problems
    assert (problem.code, problem.text) == ("F005", "it is a folder")


def test_what_agents_may_start_by_default_only_reads() -> None:
    assert {command.split()[0] for command in SAFE_COMMANDS} == {"git", "ls"}


def test_guards_of_the_user_are_reported(tmp_path: Path) -> None:
    (tmp_path / "anyhook.toml").write_text("[guards.shell]\n")
    (problem,) = read_settings(None, {}, tmp_path).problems
    assert (problem.text, problem.fix) == ("guards has no effect here", "put it into the anyhook.toml of a project")


def test_only_the_user_names_a_webhook(tmp_path: Path) -> None:
    for folder, url in (("user", "https://mine.test"), ("project", "https://other.test")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "anyhook.toml").write_text(f'[notify]\nwebhook = "{url}"\n')
    settings = read_settings(tmp_path / "project", {}, tmp_path / "user")
    assert settings.notify.webhook == "https://mine.test"
    assert [problem.text for problem in settings.problems] == ["a project may not choose webhook; it is ignored"]
