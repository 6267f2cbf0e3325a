"""Random situations, shrinking and grouping: all that needs no real client."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from anyhook.dialects import profile
from anyhook.prove.report import RunReport
from anyhook.prove.situation import read_situation
from anyhook.prove.workspace import Workspace, lay_out
from conformance.explore.explore import events_of, scene_of
from conformance.explore.judge import expectation, judged, possible_effects, possible_ends
from conformance.explore.other_settings import SETTINGS, spoilt
from conformance.explore.printed import words_of
from conformance.explore.rig import SPY, Observation, observations
from conformance.explore.scenes import SCENES
from conformance.explore.shrink import Played, by_cause, cause_of, shrink
from conformance.explore.situations import Situation, random_situations
from conformance.explore.spy import MAX_CALLS
from conformance.explore.surroundings import EXTENSIONS, Dimension, alias_matcher, all_places, dimensions_of
from conformance.referee import HERE, stage_for

CLIENTS = sorted(SCENES)
EVENTS = [(client, event) for client in CLIENTS for event in events_of(client)]


UNEXPLORED = re.findall(
    r"^\| (\S+) \| (\w+) \| [^|]+ \|$", (HERE / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)
"""The table of the README: client and event."""


def some(client: str, event: str, seed: int, count: int = 4, dimension: Dimension = "plain") -> list[Situation]:
    return random_situations(Random(seed), client, event, scene_of(client, event), dimension, count)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_event_has_a_scene_or_a_reason_why_not(client: str) -> None:
    without = set(profile(client).events) - set(SCENES[client])
    assert without == {event for name, event in UNEXPLORED if name == client}


@pytest.mark.parametrize(("client", "event"), EVENTS)
def test_a_seed_makes_the_same_situations_again(client: str, event: str) -> None:
    assert some(client, event, 7) == some(client, event, 7)
    assert some(client, event, 7) != some(client, event, 8)


@pytest.mark.parametrize(("client", "event"), EVENTS)
def test_a_situation_is_a_vector(client: str, event: str) -> None:
    for situation in some(client, event, 3):
        vector = json.loads(json.dumps(situation.vector("x", {}, {})))
        assert vector["id"] == f"{client}/x"
        assert vector["version"] == profile(client).release
        assert set(vector) == {"id", "client", "version", "note", "files", "event", "payload", "hooks", "expect"}


@pytest.mark.parametrize("client", CLIENTS)
def test_situations_cover_scopes_mistakes_and_statuses(client: str) -> None:
    made = [each for event in events_of(client) for seed in range(40) for each in some(client, event, seed, 1)]
    behaviours = [behaviour for each in made for behaviour in each.hooks.values()]
    assert any(path.startswith("~/") for each in made for path in each.files)
    assert any(isinstance(content, str) for each in made for content in each.files.values()), "no file is broken"
    assert {1, 2, 3} == {len(each.hooks) for each in made}
    assert {0, 1, 2, 3} <= {behaviour.get("exit", 0) for behaviour in behaviours}
    assert {str, dict} <= {type(behaviour.get("stdout", "")) for behaviour in behaviours}


def around(client: str, dimension: Dimension, count: int = 150) -> list[dict[str, Any]]:
    """The files of many situations before a tool call."""
    event = profile(client).events["PreToolUse"][0]
    return [dict(some(client, event, seed, 1, dimension)[0].files) for seed in range(count)]


@pytest.mark.parametrize(
    ("client", "dimension"), [(client, each) for client in CLIENTS for each in dimensions_of(client)]
)
def test_a_seed_makes_the_same_files_of_each_dimension_again(client: str, dimension: Dimension) -> None:
    assert around(client, dimension, 20) == around(client, dimension, 20)


@pytest.mark.parametrize("client", CLIENTS)
def test_other_settings_are_right_and_wrong_and_in_every_shared_file(client: str) -> None:
    known = SETTINGS[client]
    found: dict[str, set[str]] = {}
    for files in around(client, "settings", 600):
        for path, content in files.items():
            settings = tomllib.loads(content) if isinstance(content, str) else content
            for key in settings.keys() & known.keys():
                found.setdefault(path, set()).add("right" if settings[key] == known[key] else "wrong")
    shared = {path for path in all_places(profile(client)) if "settings" in path or path.endswith(".toml")}
    assert found.keys() >= shared
    assert all(found[path] == {"right", "wrong"} for path in shared)


@given(seed=st.integers())
def test_a_spoilt_setting_is_another_one(seed: int) -> None:
    random = Random(seed)
    right = random.choice([value for settings in SETTINGS.values() for value in settings.values()])
    assert json.dumps(spoilt(random, right)) != json.dumps(right)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_hook_is_in_every_scope_and_in_several_at_once(client: str) -> None:
    made = around(client, "scopes")
    assert {path for files in made for path in files} == set(all_places(profile(client)))
    assert any(json.dumps(files).count("@HOOK@ a") > 1 for files in made)


@pytest.mark.parametrize("client", sorted(EXTENSIONS))
def test_an_extension_is_right_spoilt_linked_or_turned_off(client: str) -> None:
    form = EXTENSIONS[client]
    texts = [json.dumps(files) for files in around(client, "extensions")]
    right = f"~/{form.folder}/other/{form.manifest}"
    for sign in (right, '"link"', "extension-enablement", "${extensionPath}", "-install.json", '"./hooks/hooks.json"'):
        assert any(sign in text for text in texts), sign
    assert any(form.manifest not in text for text in texts), "no manifest is missing"


@pytest.mark.parametrize("client", CLIENTS)
def test_files_are_hidden_linked_and_have_odd_endings(client: str) -> None:
    made = around(client, "files", 600)
    paths = {PurePosixPath(path).name for files in made for path in files}
    links = [
        content["link"]
        for files in made
        for content in files.values()
        if isinstance(content, dict) and "link" in content
    ]
    assert any(path.startswith(".") and path.endswith(".json") for path in paths)
    assert any(path.endswith(".JSON") for path in paths)
    assert any("elsewhere/" in link for link in links)
    assert {"elsewhere", "nowhere.json"} <= set(links)


@pytest.mark.parametrize("client", CLIENTS)
def test_interpreters_are_missing(client: str) -> None:
    made = around(client, "interpreters", 400)
    scripts = {files["hook-a.sh"]["text"].partition("\n")[0] for files in made}
    assert {"#!/bin/sh", "#!/usr/bin/nonexistent", "#!/usr/bin/env nonexistent"} <= scripts
    texts = [json.dumps(files) for files in made]
    for sign in ("/usr/bin/nonexistent hook-a.sh", "pwsh -File", '"shell": "powershell"'):
        assert any(sign in text for text in texts), sign


@pytest.mark.parametrize("client", CLIENTS)
def test_aliases_are_in_lists_and_in_patterns(client: str) -> None:
    event = profile(client).events["PreToolUse"][0]
    subject = scene_of(client, event, "write").subject
    names = {subject, *profile(client).matching.tool_aliases.get(subject, ())}
    matchers = {alias_matcher(Random(seed), client, subject) for seed in range(2000)}
    for name in names:
        assert {name, f"^{name}$", f"{name}.*"} <= matchers


def test_both_sides_write_links(tmp_path: Path) -> None:
    files = {"elsewhere/x.json": "{}", ".codex/hooks.json": {"link": "../elsewhere/x.json"}}
    with stage_for({"files": files, "hooks": {}}) as (stage, _):
        assert (stage.project / ".codex/hooks.json").resolve() == (stage.project / "elsewhere/x.json").resolve()
    lay_out(Workspace(tmp_path), read_situation({"files": files}))
    assert (tmp_path / "project/.codex/hooks.json").readlink() == Path("../elsewhere/x.json")
    assert (tmp_path / "project/.codex/hooks.json").read_text() == "{}"


@pytest.mark.parametrize(("exit_status", "seen"), [(1, [True, None]), (0, [None, None])])
def test_a_client_that_does_not_start_is_seen_in_one_situation(
    exit_status: int, seen: list[bool | None], tmp_path: Path
) -> None:
    (tmp_path / "calls").mkdir()
    batch = [structs.replace(situation(a={}), mark=f"s{number}") for number in range(2)]
    report = RunReport(client="codex", version="0", exit_status=exit_status, seconds=1.0)
    found = observations(scene_of("codex", "PreToolUse"), batch, tmp_path, report, tmp_path)
    assert [each and each.failed_to_start for each in found] == seen


def test_how_often_a_hook_ran_is_compared_only_where_it_was_seen() -> None:
    """On events that may come again, each hook is noted once."""
    entry = {"hooks": [{"type": "command", "command": "@HOOK@ a"}]}
    files = {path: {"hooks": {"Stop": [entry]}} for path in (".codex/hooks.json", "~/.codex/hooks.json")}
    twice = Situation(client="codex", event="Stop", files=files, hooks={"a": {}}, dimension="scopes")
    payload = {"hook_event_name": "Stop", "session_id": "s", "cwd": "@PROJECT@", "stop_hook_active": False}
    for ran, agrees in ((("a",), True), ((), False)):
        seen = Observation(ran=ran, payload=payload, made=frozenset(), told="", requests=1, ended=False)
        expected, wrong = judged(twice, scene_of("codex", "Stop"), seen, payload, 1)
        assert (not wrong) == agrees
        assert ("ran" in expected) != agrees


def test_the_words_of_hooks_are_told_apart() -> None:
    hooks = {
        "a": {"stderr": "A0-STDERR-WORD"},
        "b": {"stdout": {"reason": "B0-REASON-WORD"}, "stderr": "A0-STDERR-WORD"},
    }
    assert words_of(hooks) == ["A0-STDERR-WORD", "B0-REASON-WORD"]


def situation(**hooks: object) -> Situation:
    files: dict[str, object] = {".codex/hooks.json": {}, "~/.codex/hooks.json": {}}
    return Situation(client="codex", event="PreToolUse", files=files, hooks=hooks)


def test_shrinking_keeps_only_what_disagrees() -> None:
    big = situation(
        a={"stdout": {"reason": "A0-REASON-WORD", "hookSpecificOutput": {"x": 1, "y": 2}}, "exit": 2},
        b={"stderr": "B0-STDERR-WORD"},
    )

    def disagrees(each: Situation) -> Sequence[str]:
        stdout = each.hooks["a"].get("stdout", {})
        return ["wrong"] if stdout.get("hookSpecificOutput", {}).get("y") == 2 else []

    small = shrink(big, cause_of(big, ["wrong"]), disagrees)
    assert small.hooks == {"a": {"stdout": {"hookSpecificOutput": {"y": 2}}}, "b": {}}
    assert len(small.files) == 1


def test_shrinking_does_not_drift_to_another_cause() -> None:
    big = situation(a={"exit": 2, "stderr": "A0-STDERR-WORD"})
    small = shrink(big, "PreToolUse: one", lambda each: ["one"] if each == big else ["another"])
    assert small == big


def test_shrinking_ends() -> None:
    tried: list[Situation] = []

    def disagrees(each: Situation) -> Sequence[str]:
        tried.append(each)
        return ["wrong"]

    shrink(situation(a={"stdout": {str(n): n for n in range(99)}}), "PreToolUse: wrong", disagrees, tries=10)
    assert len(tried) <= 10


def test_a_cause_does_not_depend_on_the_words_of_one_situation() -> None:
    stop = structs.replace(situation(a={}), event="Stop")
    one = cause_of(stop, ["to_model lacks 'A1-REASON-WORD'"])
    assert one == cause_of(stop, ["to_model lacks 'B7-REASON-WORD'"]) == "Stop: to_model lacks REASON"
    assert one != cause_of(stop, ["to_model lacks 'A1-CONTEXT-WORD'"])
    assert cause_of(structs.replace(stop, dimension="files"), ["wrong"]) == "Stop, files: wrong"
    assert cause_of(stop, []) == ""


def test_the_most_frequent_cause_comes_first() -> None:
    first, second = situation(a={}), situation(a={"exit": 1})
    found = [(first, ["rare"]), (first, ["often"]), (second, ["often"])]
    groups = by_cause(Played(each, {}, {}, wrong) for each, wrong in found)
    assert list(groups) == ["PreToolUse: often", "PreToolUse: rare"]


def test_a_call_that_did_not_run_may_be_a_refusal_or_a_question() -> None:
    seen = Observation(ran=("a",), payload={}, made=frozenset(), told="A0-STDERR-WORD", requests=2, ended=False)
    asked = situation(a={"exit": 2, "stderr": "A0-STDERR-WORD", "stdout": "A0-TEXT-WORD"})
    expected = expectation(asked, scene_of("codex", "PreToolUse"), seen, {"effect": "ask"}, 2)
    assert expected == {
        "ran": ["a"],
        "effect": "ask",
        "to_model": ["A0-STDERR-WORD"],
        "not_to_model": ["A0-TEXT-WORD"],
    }
    assert expectation(asked, scene_of("codex", "PreToolUse"), seen, {"effect": "proceed"}, 2)["effect"] == "block"


def test_the_mark_of_one_task_is_not_that_of_another() -> None:
    told = "Task #1 created successfully: mark-s10"
    seen = Observation(ran=("a",), payload={}, made=frozenset(), told=told, requests=2, ended=False)
    for mark, effect in (("s1", "block"), ("s10", "proceed")):
        task = Situation(client="claude-code", event="TaskCreated", files={}, hooks={"a": {}}, mark=mark)
        assert possible_effects(task, scene_of("claude-code", "TaskCreated"), seen, 2) == [effect]


def test_any_hook_may_have_finished_last_where_none_is_slower() -> None:
    both = {"a": {"exit": 2}, "b": {}}
    given = Situation(client="claude-code", event="PreToolUse", files={}, hooks=both)
    assert [[name for name, done in hooks.items() if "sleep" in done] for hooks in possible_ends(given)] == [
        ["a"],
        ["b"],
        [],
    ]
    slow = structs.replace(given, hooks={"a": {"exit": 2, "sleep": 0.4}, "b": {}})
    assert list(possible_ends(slow)) == [slow.hooks]


@pytest.mark.parametrize(("payload", "times"), [({}, 1), ({"prompt": "do mark-s0"}, MAX_CALLS)])
def test_a_hook_does_not_keep_a_client_going_for_ever(payload: dict[str, str], times: int, tmp_path: Path) -> None:
    (tmp_path / "calls").mkdir()
    (tmp_path / "hooks.json").write_text(json.dumps({"s0": {"a": {"exit": 2}}}))
    statuses = [
        subprocess.run([sys.executable, SPY, tmp_path, "a"], input=json.dumps(payload).encode(), check=False).returncode
        for _ in range(times + 2)
    ]
    assert statuses == [2] * times + [0, 0]


@pytest.mark.parametrize(("ran", "agrees"), [(("a", "b"), True), (("a",), True), (("b",), False), ((), False)])
def test_a_client_may_end_before_the_later_hooks_that_it_does_not_wait_for(ran: tuple[str, ...], agrees: bool) -> None:
    groups = [{"hooks": [{"type": "command", "command": f"@HOOK@ {name}"}], "sequential": True} for name in "ab"]
    files = {".qwen/settings.json": {"hooks": {"StopFailure": groups}}}
    situation = Situation(client="qwen-code", event="StopFailure", files=files, hooks={"a": {}, "b": {}})
    seen = Observation(ran=ran, payload=None, made=frozenset(), told="", requests=1, ended=False)
    payload = {"hook_event_name": "StopFailure", "session_id": "s", "cwd": "@PROJECT@", "error": "loop_detected"}
    _, wrong = judged(situation, scene_of("qwen-code", "StopFailure"), seen, payload, 1)
    assert (not wrong) == agrees
