"""Converts the event and the matcher of a rule. Pure.

A converted matcher matches at least what the original one matches. Where it cannot match exactly that, it matches more,
and a remark says so: a guard that runs too often is a nuisance, one that does not run is a hole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from anyhook.deploy.convert.patterns import (
    ANY,
    carry_pattern,
    is_same_language,
    write_matchers,
)
from anyhook.deploy.convert.selection import NONSENSE, McpTools, Selection, select_tools
from anyhook.dialects.bound_event import bind_event, bind_rule
from anyhook.dialects.profile import Matching, MatchMode, Profile
from anyhook.dialects.translation.equivalents import EVENTS_BY_KIND, MCP, Route, routes
from anyhook.dialects.translation.tool_kinds import tools_for
from anyhook.dialects.translation.tools import (
    is_same_vocabulary,
    kinds_of,
    tool_names,
    tools_of_kind,
    translate_name,
)
from anyhook.dialects.vocabulary import ANY_KIND, KINDS
from anyhook.engine.match import Form, compile_matcher, matcher_for
from anyhook.model.codes import Severity
from anyhook.model.events import Subject
from anyhook.model.hooks import Rule
from anyhook.model.losses import loss
from anyhook.model.problems import Problem
from anyhook.model.wording import join_and, join_or


class TargetRule(Struct, frozen=True):
    """One rule of the target client."""

    event: str
    native_event: str
    matcher: str | None = None
    command_pattern: str | None = None
    kinds: frozenset[str] | None = None
    """The kinds of tools that it is about; None: any, or none."""


class TargetRules(Struct, frozen=True):
    """Every rule that a rule becomes; none when the target client has nothing like it."""

    rules: tuple[TargetRule, ...]
    remarks: tuple[Problem, ...] = ()


def target_rules(rule: Rule, source: Profile, target: Profile) -> TargetRules:
    """The events and matchers of the target client that correspond to those of a rule."""
    ways = routes(rule.event, target.name)
    if not ways:
        why = f"{target.title} has no event like {rule.native_event}"
        return TargetRules((), (loss("L001", "the hook is left out", why, f"keep it in {source.title} as well"),))
    return _RuleConversion(rule, source, target, ways).result()


def native_event(event: str, source: Profile, target: Profile) -> str:
    """The target's name for an event, in the variant whose payloads are spelled like the source's if there is one.

    Copilot's PascalCase events give a script written for Claude Code the fields that it reads.
    """
    names = target.events[event]

    def is_alike(name: str) -> bool:
        wire = bind_event(target, event, name).profile.wire
        return (wire.event_key, wire.case) == (source.wire.event_key, source.wire.case)

    return next(filter(is_alike, names), names[0])


class _RuleConversion:
    """One rule on its way to another client."""

    def __init__(self, rule: Rule, source: Profile, target: Profile, ways: tuple[Route, ...]) -> None:
        self.rule = rule
        self.source = source
        self.target = target
        self.ways = ways
        self.source_rules = bind_rule(source, rule).profile
        self.remarks: list[Problem] = []
        self.kinds: frozenset[str] | None = None

    def result(self) -> TargetRules:
        matcher = matcher_for(self.source, self.rule)
        if matcher.form is Form.IGNORED and matcher.text not in ("", "*", ".*"):
            why = f"in {self.source.title} it has no effect here"
            self.remarks.append(loss("L010", f"matcher {matcher.text} is left out", why))
        rules = tuple(self._rules())
        if rules and rules[0].event != self.rule.event:
            names = ", ".join(dict.fromkeys(rule.native_event for rule in rules))
            why = f"{self.target.title} has other events for tools"
            self.remarks.append(loss("L010", f"{self.rule.native_event} is written as {names}", why))
        if not rules and not any(remark.severity is Severity.ERROR for remark in self.remarks):
            wanted = f"kind {join_or(self.rule.kinds)}" if self.rule.kinds else self.rule.matcher
            self._nothing_left(f"it has nothing that {wanted} could be about")
        return TargetRules(rules, tuple(self.remarks))

    def _rules(self) -> Iterable[TargetRule]:
        way = self.ways[0]
        if way.event != self.rule.event:
            yield from self._by_kind() if self.rule.event in EVENTS_BY_KIND else self._to_whole(way)
            return
        native = native_event(way.event, self.source_rules, self.target)
        is_about_tools = self.source_rules.matching.subject(way.event) is Subject.TOOL
        for matcher in self._tool_matchers(native) if is_about_tools else self._value_matchers(native):
            yield TargetRule(way.event, native, matcher, self._command_pattern(), self.kinds)

    def _command_pattern(self) -> str | None:
        pattern = self.rule.command_pattern
        if pattern is None or "commandRegex" in self.target.layout.group_keys:
            return pattern
        self._runs_more_often(f"{self.target.title} has no filter on commands; {pattern} is left out")
        return None

    def _runs_more_often(self, why: str) -> None:
        self.remarks.append(
            loss("L008", "the hook also runs in other cases", why, "let the hook itself look at its input")
        )

    def _nothing_left(self, why: str) -> None:
        self.remarks.append(loss("L001", "the hook is left out", f"{self.target.title}: {why}"))

    # --- matchers on tools

    def _tool_matchers(self, native: str) -> tuple[str | None, ...]:
        matching = bind_event(self.target, self.rule.event, native).profile.matching
        mode, event = matching.mode_for(self.rule.event), self.rule.event
        if not self.rule.kinds and (same := self._same_text(matching, mode)) is not None:
            return (same,)
        selection = self._selection()
        if selection.everything:
            return (None,)
        if matching.ignored or matching.subject(event) is not Subject.TOOL:
            self._runs_more_often(f"{self.target.title} applies no matcher on {native}")
            return (None,)
        names, globs = self._target_names(selection)
        if not names and not globs:
            self._nothing_left(f"no tool is {self._wanted()}")
            return ()
        self._note_kinds()
        shown = dict.fromkeys(matching.renamed_tools.get(name, name) for name in names)
        return self._checked(write_matchers(tuple(shown), globs, mode), tuple(shown), mode)

    def _wanted(self) -> str:
        """The tools that the rule is about, in words."""
        return f"of the kind {join_or(self.rule.kinds)}" if self.rule.kinds else f"like {self.rule.matcher}"

    def _note_kinds(self) -> None:
        """Say it when a kind of tools becomes the names of those that are known."""
        if not self.rule.kinds or ANY_KIND in self.rule.kinds or "kind" in self.target.layout.group_keys:
            return
        if any(action.kind in self.target.layout.action_keys for action in self.rule.actions):
            what = f"kind {', '.join(self.rule.kinds)} is written as the names of such tools"
            why = f"{self.target.title} has no kinds; a new tool or a server's tool that does the same is not seen"
            self.remarks.append(loss("L007", what, why, "deploy it with a bridge: anyhook knows the kind of each call"))

    def _same_text(self, matching: Matching, mode: MatchMode) -> str | None:
        """The text of a pattern that means the same in both clients; None when it does not."""
        own, text = self.source_rules.matching, self.rule.matcher
        own_mode = own.mode_for(self.rule.event)
        if text is None or own.ignored or matching.ignored or text in (*own_mode.everything, *mode.everything):
            return None
        if not is_same_vocabulary(self.source.name, self.target.name) or not is_same_language(own_mode, mode):
            return None
        return carry_pattern(text, own_mode, mode) if mode.exact is None else text

    def _selection(self) -> Selection:
        selection = select_tools(self.source, self.rule)
        if selection.widened:
            self._runs_more_often(selection.widened)
        if not selection.everything:
            own = {kind for tool in selection.tools for kind in kinds_of(tool, self.source.name)}
            self.kinds = frozenset(own | ({MCP} if selection.mcp else set()))
        partial = [
            tool for tool in selection.also_matches if translate_name(tool, self.source.name, self.target.name).names
        ]
        if partial:
            severity = None if any(kinds_of(tool, self.source.name) for tool in partial) else Severity.NOTE
            why = f"in {self.source.title} it does, as a part of the name"
            remedy = "name them if the hook is for them"
            what = f"{self.rule.matcher} no longer matches {', '.join(partial)}"
            self.remarks.append(loss("L007", what, why, remedy, severity=severity))
        return selection

    def _target_names(self, selection: Selection) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The target's names for the selected tools, and globs for MCP tools."""
        names: dict[str, None] = {}
        missing = []
        for tool in selection.tools:
            translated = translate_name(tool, self.source.name, self.target.name).names
            names |= dict.fromkeys(translated)
            if not translated and not self.rule.kinds:  # a client without a tool of the kind has no call of it
                missing.append(tool)
        if self.rule.matcher is None:  # the target may have tools of a kind for which the source has none
            kinds = tools_for(self.rule.kinds)
            names |= dict.fromkeys(n for kind in KINDS if kind in kinds for n in tools_of_kind(kind, self.target.name))
        self._note_merged(selection, names)
        found = dict.fromkeys(self._mcp_glob(tools) for tools in selection.mcp)
        names |= {glob: None for glob in found if ANY not in glob}
        globs = tuple(glob for glob in found if ANY in glob)
        self._note_missing(missing, is_all=not names and not globs and not selection.unknown)
        own = tool_names(self.target.name)
        unknown = [name for name in selection.unknown if name not in own]  # what the target has needs no translation
        if unknown and not is_same_vocabulary(self.source.name, self.target.name):
            others = names or globs or len(unknown) < len(selection.unknown)
            what = f"{', '.join(unknown)} may match nothing"
            why = f"the name is copied: its name in {self.target.title} is not known"
            severity = Severity.WARNING if others else None
            self.remarks.append(loss("L003", what, why, "replace it by the right name", severity=severity))
        return (*names, *selection.unknown), globs

    def _note_missing(self, missing: Sequence[str], *, is_all: bool) -> None:
        if missing and not is_all:
            what = f"{', '.join(missing)} is left out of the matcher"
            self.remarks.append(loss("L007", what, f"{self.target.title} has no such tool"))

    def _note_merged(self, selection: Selection, names: Iterable[str]) -> None:
        """Say it when a tool of the target does more than the ones that were selected."""
        selected = {kind for tool in selection.tools for kind in kinds_of(tool, self.source.name)}
        for name in names:
            more = [kind for kind in kinds_of(name, self.target.name) if kind not in selected]
            if more and selected:
                self._runs_more_often(f"{self.target.title}'s {name} is also its {join_and(more)} tool")

    def _mcp_glob(self, tools: McpTools) -> str:
        """MCP tools in the target's form of their names; ``*`` matches any text."""
        form = self.target.tools.mcp
        if form is None and tools.tool == ANY:
            self._runs_more_often(f"{self.target.title} does not mark the tools of MCP servers")
        elif (form is None or not form.separator) and tools.server != ANY:
            self._runs_more_often(f"{self.target.title} does not name the server {tools.server}")
        if form is None:
            return tools.tool
        if form.prefix and tools == McpTools():
            return form.prefix + ANY
        return form.prefix + (f"{tools.server}{form.separator}{tools.tool}" if form.separator else tools.tool)

    def _checked(
        self, matchers: tuple[str | None, ...], names: tuple[str, ...], mode: MatchMode
    ) -> tuple[str | None, ...]:
        """The matchers, or none at all if a name is lost in the way that the target reads them."""
        compiled = [compile_matcher(matcher, Subject.TOOL, mode) for matcher in matchers]
        if all(any(matcher.matches(name) for matcher in compiled) for name in names):
            if len(matchers) > 1:
                why = f"{self.target.title} has no list of names and patterns in one matcher"
                self.remarks.append(loss("L010", f"the hook is written {len(matchers)} times", why))
            return matchers
        self._runs_more_often(f"{self.target.title} has no way to write a matcher for {', '.join(names)}")
        return (None,)

    # --- one event of all tools, several events of kinds of tools

    def _by_kind(self) -> Iterable[TargetRule]:
        """A rule on all tools under the events that the target has for kinds of tools (Windsurf)."""
        selection = self._selection()
        self._command_pattern()
        reached: set[str] = set()
        selected = {tool: set(kinds_of(tool, self.source.name)) for tool in selection.tools}
        for way in self.ways:
            kinds = way.kinds or frozenset()
            chosen = {tool for tool, own in selected.items() if own & kinds}
            reached |= chosen
            takes_mcp = MCP in kinds and bool(selection.mcp)
            if not (selection.everything or chosen or takes_mcp):
                continue
            native = native_event(way.event, self.source_rules, self.target)
            if not selection.everything:
                self._note_widened_kinds(native, kinds, selection, chosen)
            yield TargetRule(way.event, native, kinds=kinds if self.kinds is None else kinds & self.kinds)
        self._note_kinds()
        missing = [tool for tool in selection.tools if tool not in reached] + list(selection.unknown)
        if selection.everything:
            why = f"{self.target.title} has events for some kinds of tools only"
            self.remarks.append(loss("L007", "the hook does not see every tool", why))
        elif len(missing) == len(selection.tools) + len(selection.unknown) and not selection.mcp:
            self._nothing_left(f"no event is about {', '.join(missing)}")
        else:
            self._note_missing(missing, is_all=False)

    def _note_widened_kinds(
        self, native: str, kinds: frozenset[str], selection: Selection, chosen: Iterable[str]
    ) -> None:
        own = {kind for tool in chosen for kind in kinds_of(tool, self.source.name)}
        if MCP in kinds:
            if all(tools != McpTools() for tools in selection.mcp):
                self._runs_more_often(f"{native} is for the tools of all MCP servers")
        elif more := sorted(kinds - own):
            self._runs_more_often(f"{native} is also for tools that {join_and(more)}")

    def _to_whole(self, way: Route) -> Iterable[TargetRule]:
        """A rule on one kind of tools under the target's event of all tools."""
        kinds = way.kinds or frozenset()
        native = native_event(way.event, self.source_rules, self.target)
        matching = bind_event(self.target, way.event, native).profile.matching
        names = tuple(
            dict.fromkeys(n for kind in KINDS if kind in kinds for n in tools_of_kind(kind, self.target.name))
        )
        globs = (self._mcp_glob(McpTools()),) if MCP in kinds else ()
        if not names and not globs:
            self._nothing_left(f"it has no {join_or(sorted(kinds))} tool")
            return
        command_pattern = self._inner_pattern()
        if matching.ignored:
            self._runs_more_often(f"{self.target.title} applies no matcher on {native}")
            yield TargetRule(way.event, native, None, command_pattern, kinds)
            return
        shown = tuple(dict.fromkeys(matching.renamed_tools.get(name, name) for name in names))
        mode = matching.mode_for(way.event)
        for matcher in self._checked(write_matchers(shown, globs, mode), shown, mode):
            yield TargetRule(way.event, native, matcher, command_pattern, kinds)

    def _inner_pattern(self) -> str | None:
        """What is left of a matcher on a command or a path when the event becomes one about tools."""
        matcher = matcher_for(self.source, self.rule)
        if matcher.form in (Form.EVERYTHING, Form.IGNORED):
            return None
        if matcher.subject is Subject.COMMAND and "commandRegex" in self.target.layout.group_keys:
            return self.rule.matcher
        self._runs_more_often(f"{self.target.title} compares no {matcher.subject}; {self.rule.matcher} is left out")
        return None

    # --- matchers on anything else

    def _value_matchers(self, native: str) -> tuple[str | None, ...]:
        """A matcher on a source, a trigger, a path and the like."""
        event, text = self.rule.event, self.rule.matcher
        matcher = matcher_for(self.source, self.rule)
        known = self.source_rules.matching.values.get(event, frozenset())
        is_everything = matcher.form in (Form.EVERYTHING, Form.IGNORED)
        if text is None or is_everything or all(matcher.matches(value) for value in (NONSENSE, *known)):
            return (None,)
        matching = bind_event(self.target, self.rule.event, native).profile.matching
        if matching.ignored or matching.subject(event) is not matcher.subject:
            self._runs_more_often(f"{self.target.title} does not compare the {matcher.subject} on {native}")
            return (None,)
        own_mode, mode = self.source_rules.matching.mode_for(event), matching.mode_for(event)
        sent = matching.values.get(event)
        names = self._values(sent)
        if names is None:
            return (self._carried(text, own_mode, mode),)
        kept = tuple(name for name in names if sent is None or name in sent)
        if not kept:
            self._nothing_left(f"{native} is never about {', '.join(names) or text}")
            return ()
        if gone := [name for name in names if name not in kept]:
            what = f"the hook no longer runs on {', '.join(gone)}"
            self.remarks.append(loss("L007", what, f"{self.target.title} does not send that with {native}"))
        return self._checked(write_matchers(kept, (), mode), kept, mode)

    def _values(self, sent: frozenset[str] | None) -> tuple[str, ...] | None:
        """The values that the matcher names or matches; None when they cannot be listed."""
        matcher = matcher_for(self.source, self.rule)
        if matcher.pattern is None:
            return tuple(sorted(matcher.names, key=(matcher.text or "").find))
        known = self.source_rules.matching.values.get(self.rule.event, sent)
        return tuple(sorted(value for value in known if matcher.matches(value))) if known else None

    def _carried(self, text: str, own: MatchMode, mode: MatchMode) -> str | None:
        """A pattern as the target reads one; None, with a remark, when it cannot."""
        carried = carry_pattern(text, own, mode)
        if carried is None:
            self._runs_more_often(f"{self.target.title} has no way to write {text}")
        return carried
