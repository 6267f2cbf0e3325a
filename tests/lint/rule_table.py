"""What ``docs/rules`` must say, made from the catalogue of codes so that it cannot go stale."""

from __future__ import annotations

from anyhook.model.codes import CODES, GROUPS, Code

PARTS = ("What it means", "Which clients", "Example", "Remedy")
"""The headings that the page of every rule has."""


def heading(code: str) -> str:
    """How the page of a rule begins."""
    known = CODES[code]
    repaired = ", repaired by `--fix`" if known.fixable else ""
    return f"# {code} {known.name}\n\n**{known.severity.value}**{repaired}: {known.summary}\n"


def readme() -> str:
    """``docs/rules/README.md``."""
    parts = [
        "# Rules",
        "",
        "Each rule has a code that never changes its meaning. The first letter says what it is about; `--select` and",
        "`--ignore` of `anyhook check` take codes and letters. Other commands report the groups that name them.",
        "",
        "- **error**: a hook does not do its job: it never runs, never blocks, or takes other hooks with it.",
        "- **warning**: a hook works here and now but breaks elsewhere, or may not do what its author intended.",
        "- **note**: harmless, or something that only the author can judge.",
        "",
        "The tables show the usual severity, which is lower where the rule is less sure. If anyhook had to guess the",
        "client of a file, what is an error only in that client is a warning. A wrench marks what `--fix` repairs, if",
        "it is safe to do so.",
        "",
        "<!-- The tables are made by tests/lint/rule_table.py; a test compares them. -->",
    ]
    for letter, group in GROUPS.items():
        codes = [code for name, code in CODES.items() if name.startswith(letter)]
        parts += [
            "",
            f"## {letter}: {group.about}" + ("" if group.command == "check" else f", of `anyhook {group.command}`"),
            "",
            "| code | name | severity | | what is wrong |",
            "|---|---|---|---|---|",
        ]
        parts += [_row(code) for code in codes]
    return "\n".join(parts) + "\n"


def _row(code: Code) -> str:
    summary = code.summary.replace("|", r"\|")
    wrench = "🔧" if code.fixable else ""
    return f"| [{code.code}]({code.code}.md) | {code.name} | {code.severity.value} | {wrench} | {summary} |"
