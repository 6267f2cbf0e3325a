"""Small conversions for the tests: rules in, rules and losses out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from anyhook.deploy.convert.convert import Converted, convert_hooks
from anyhook.dialects import dialect, profile
from anyhook.dialects.events import native_names
from anyhook.dialects.places import FileKind
from anyhook.dialects.translation.tools import join_mcp_name, tool_names
from anyhook.model.codes import Severity
from anyhook.model.document import Format
from anyhook.model.hooks import Action, Command, Http, OsCommands, Prompt, Rule
from anyhook.model.origin import Origin, Scope
from anyhook.sources.load import parse

CLAUDE = "claude-code"


def rules_of(content: Mapping[str, Any], client: str = CLAUDE) -> tuple[Rule, ...]:
    """The rules that a client reads in a hook file with this content."""
    document = parse(json.dumps(content, indent=1), Format.JSON, "hooks.json")
    return dialect(client).read(document, FileKind.HOOKS, Scope.PROJECT).rules


def rule(event: str, *actions: Action, matcher: str | None = None, client: str = CLAUDE, **more: Any) -> Rule:
    """A rule as a client's file would give it."""
    known = native_names(client)[event]
    origin = Origin(client, Scope.PROJECT, "hooks.json", line=1)
    return Rule(event=known.name, native_event=event, matcher=matcher, actions=actions, origin=origin, **more)


def run(command: str = "./guard.sh", **more: Any) -> Command:
    return Command(command=command, origin=Origin(CLAUDE, Scope.PROJECT, "hooks.json", line=2), **more)


def convert(target: str, *rules: Rule, source: str = CLAUDE) -> Converted:
    return convert_hooks(rules, profile(source), profile(target))


def only(converted: Converted) -> tuple[Rule, Any]:
    """The one rule of a conversion, and its one action."""
    (new,) = converted.rules
    (action,) = new.actions
    return new, action


def told(converted: Converted, severity: Severity) -> list[str]:
    return [loss.text.partition(": ")[0] for loss in converted.losses if loss.severity is severity]


# ------------------------------------------------------------------------------------------------ any hooks of a client


def matchers(client: str) -> st.SearchStrategy[str | None]:
    """Matchers as people write them: names, lists, anchors, prefixes, MCP servers, everything."""
    names = st.sampled_from(sorted(tool_names(client)) or ["Bash"])
    mcp = st.sampled_from([*join_mcp_name("memory", "store", client).names, "mcp__.*", "mcp__memory__.*"])
    lists = st.lists(names | mcp, min_size=1, max_size=3).map("|".join)
    written = st.sampled_from(["{}", "^({})$", "^(?:{})$", "({})", "^{}", "{}.*", ".*{}"])
    shaped = st.builds(lambda form, text: form.format(text), written, lists)
    return st.none() | names | lists | shaped | st.sampled_from(["*", "", ".*", "(?!Read).*", "NoSuchTool", "startup"])


def actions() -> st.SearchStrategy[Action]:
    timeouts = st.none() | st.sampled_from([0, 500, 1_500, 5_000, 60_000, 600_000, 900_000])
    lines = st.integers(min_value=10, max_value=10_000)
    origins = lines.map(lambda line: Origin("", Scope.PROJECT, "hooks.json", line=line))
    texts = st.sampled_from(["./guard.sh", '"$CLAUDE_PROJECT_DIR"/a.sh', "${PLUGIN_ROOT}/b.sh --fast", "exit 2\n"])
    commands = st.builds(
        Command,
        origin=origins,
        command=texts,
        timeout_ms=timeouts,
        is_async=st.booleans(),
        once=st.booleans(),
        fail_closed=st.booleans(),
        args=st.none() | st.just(("a b", "$HOME")),
        cwd=st.none() | st.just("scripts"),
        env=st.sampled_from([{}, {"MODE": "strict"}]),
        by_os=st.sampled_from([OsCommands(), OsCommands(windows="guard.ps1"), OsCommands(linux="a", macos="b")]),
        status_message=st.none() | st.just("checking"),
    )
    prompts = st.builds(Prompt, origin=origins, prompt=st.just("Is this safe?"), timeout_ms=timeouts)
    requests = st.builds(Http, origin=origins, url=st.just("https://example.com/hook"), timeout_ms=timeouts)
    return commands | prompts | requests


def plain_actions() -> st.SearchStrategy[Action]:
    """Hooks that every client can have: a command and a time limit."""
    return st.builds(run, st.sampled_from(["./guard.sh", "npm test"]), timeout_ms=st.sampled_from([5_000, 20_000]))


def rules(client: str, hooks: st.SearchStrategy[Action]) -> st.SearchStrategy[Rule]:
    events = sorted(native_names(client))
    about_tools = [name for name in events if native_names(client)[name].name in ("PreToolUse", "PostToolUse")]
    usual = st.sampled_from(about_tools or events)

    def made(event: str, matcher: str | None, hooks: list[Action]) -> Rule:
        return rule(event, *hooks, matcher=matcher, client=client)

    return st.builds(made, usual | st.sampled_from(events), matchers(client), st.lists(hooks, min_size=1, max_size=2))


def files(client: str, hooks: st.SearchStrategy[Action]) -> st.SearchStrategy[tuple[Rule, ...]]:
    """What a client reads in a file of such rules: only hooks that it can have."""
    written = st.lists(rules(client, hooks), min_size=1, max_size=3).map(dialect(client).write)
    return written.map(lambda content: rules_of(content, client))
