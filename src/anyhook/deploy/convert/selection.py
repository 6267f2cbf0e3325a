"""Which tools a matcher selects: its text is split into names where that is possible. Pure.

A pattern that cannot be split is tried on every known tool of the client.
"""

from __future__ import annotations

from msgspec import Struct, structs

from anyhook.deploy.convert.patterns import ANY, as_glob, literal, split_pattern
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.profile import Matching, MatchMode, Otherwise, Profile
from anyhook.dialects.translation.equivalents import MCP
from anyhook.dialects.translation.tool_kinds import tools_for
from anyhook.dialects.translation.tools import kinds_of, split_mcp_name, tool_names, tools_of_kind
from anyhook.dialects.vocabulary import ANY_KIND, KINDS, McpForm
from anyhook.engine.match import Form, Matcher, compile_matcher, matcher_for, seen_tool
from anyhook.model.hooks import Rule

NONSENSE = "zq_no_such_tool"
"""A name that only a pattern for everything, or for everything but some names, matches."""


class McpTools(Struct, frozen=True):
    """Tools of MCP servers; in both names ``*`` is any text."""

    server: str = ANY
    tool: str = ANY


class Selection(Struct, frozen=True, kw_only=True):
    """What a matcher on tools selects."""

    everything: bool = False
    tools: tuple[str, ...] = ()
    """The client's own names, in the order in which the matcher has them."""
    unknown: tuple[str, ...] = ()
    """Names that the client is not known to have."""
    mcp: tuple[McpTools, ...] = ()
    also_matches: tuple[str, ...] = ()
    """Tools that an unanchored name matches besides the one that it names (``Edit`` matches NotebookEdit)."""
    widened: str = ""
    """Why it selects more than the matcher does; empty: it does not."""


def select_tools(profile: Profile, rule: Rule) -> Selection:
    """What the matcher and the kinds of a rule select, by the rules of the client that reads it."""
    kinds: frozenset[str] = frozenset() if ANY_KIND in rule.kinds else tools_for(rule.kinds)
    matcher = matcher_for(profile, rule)
    if matcher.form in (Form.EVERYTHING, Form.IGNORED) or matcher.text is None:
        return Selection(everything=True) if not kinds else _of_kinds(profile, kinds)
    matching = bind_rule(profile, rule).profile.matching
    mode = matching.mode_for(rule.event)
    branches = tuple(sorted(matcher.names)) if matcher.pattern is None else split_pattern(matcher.text, mode)
    if matcher.pattern is None:  # in the order of the text
        branches = tuple(sorted(branches, key=matcher.text.find))
    selection = _ToolSelection(profile, matching, matcher, mode).choose(branches)
    return selection if not kinds else _limited(profile, selection, kinds)


def _of_kinds(profile: Profile, kinds: frozenset[str]) -> Selection:
    tools = dict.fromkeys(name for kind in KINDS if kind in kinds for name in tools_of_kind(kind, profile.name))
    return Selection(tools=tuple(tools), mcp=(McpTools(),) if MCP in kinds else ())


def _limited(profile: Profile, selection: Selection, kinds: frozenset[str]) -> Selection:
    """Those of the selected tools that are of a kind. Names that no table has may be."""
    if selection.everything:
        return _of_kinds(profile, kinds)
    own = tuple(tool for tool in selection.tools if not kinds.isdisjoint(kinds_of(tool, profile.name)))
    also = tuple(tool for tool in selection.also_matches if not kinds.isdisjoint(kinds_of(tool, profile.name)))
    return structs.replace(selection, tools=own, also_matches=also)


class _ToolSelection:
    """The selection of one matcher."""

    def __init__(self, profile: Profile, matching: Matching, matcher: Matcher, mode: MatchMode) -> None:
        self.profile = profile
        self.matcher = matcher
        self.mode = mode
        self.matching = matching
        self.known = sorted(tool_names(profile.name))

    def choose(self, branches: tuple[str, ...]) -> Selection:
        if self.matcher.matches(NONSENSE):
            return self._nearly_everything()
        tools: dict[str, None] = {}
        unknown: dict[str, None] = {}
        mcp: dict[McpTools, None] = {}
        matching_tools = self._matching_tools()
        for branch in branches:
            name = literal(branch)
            found = self._mcp(branch, name)
            if found is not None:
                mcp[found] = None
            elif name is None:
                matched = [tool for tool in matching_tools if self._branch_matches(branch, tool)]
                if not matched:
                    return Selection(everything=True, widened=f"it is not known which tools {branch} matches")
                tools |= dict.fromkeys(matched)
            elif named := self._named(name):
                tools |= dict.fromkeys(named)
            else:
                unknown[name] = None
        also = tuple(tool for tool in matching_tools if tool not in tools)
        return Selection(tools=tuple(tools), unknown=tuple(unknown), mcp=tuple(mcp), also_matches=also)

    def _nearly_everything(self) -> Selection:
        left_out = [tool for tool in self.known if not self._matches(tool)]
        why = f"{self.matcher.text} is everything but {', '.join(left_out)}" if left_out else ""
        return Selection(everything=True, widened=why)

    def _matches(self, tool: str) -> bool:
        return self.matcher.matches(*seen_tool(self.matching, tool))

    def _matching_tools(self) -> list[str]:
        return [tool for tool in self.known if self._matches(tool)]

    def _branch_matches(self, branch: str, tool: str) -> bool:
        """Whether one alternative of the pattern matches a tool; one that is invalid alone counts as matching."""
        alone = compile_matcher(branch, self.matcher.subject, self.mode)
        return alone.form is Form.INVALID or alone.matches(*seen_tool(self.matching, tool))

    def _named(self, name: str) -> list[str]:
        """The client's tools that go by a name: its own, an alias, or the one that a variant shows."""
        return [tool for tool in self.known if name == tool or self._is_shown_as(tool, name)]

    def _is_shown_as(self, tool: str, name: str) -> bool:
        shown, aliases = seen_tool(self.matching, tool)
        return name == shown or name in aliases

    def _mcp(self, branch: str, name: str | None) -> McpTools | None:
        """The MCP tools that an alternative selects; None when it is about other tools."""
        form = self.profile.tools.mcp
        if form is None:
            return None
        is_exact = self.matcher.pattern is None
        if name is not None and (is_exact or not form.prefix or self.mode.otherwise is not Otherwise.SEARCH):
            found = split_mcp_name(name, self.profile.name)
            return McpTools(found[0] or ANY, found[1]) if found else None
        return _mcp_pattern(branch, form, self.mode)


def _mcp_pattern(branch: str, form: McpForm, mode: MatchMode) -> McpTools | None:
    text = branch.removeprefix("^")
    if not form.prefix or not text.startswith(form.prefix):
        return None
    glob = as_glob(text[len(form.prefix) :], mode)
    if glob is None:
        return McpTools()
    if not form.separator:
        return McpTools(tool=glob)
    server, found, tool = glob.partition(form.separator)
    if found:
        return McpTools(server or ANY, tool or ANY)
    return McpTools(server if server.endswith(ANY) and not server.startswith(ANY) else ANY)
