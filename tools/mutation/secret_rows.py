"""The cheap cases of the patterns of secrets: texts, each with what a pattern must leave of it."""

from __future__ import annotations

import ast
from typing import Any

from tests.guards.secret_tables import look_alikes, secret_shapes
from tools.mutation.play import Task

MODULE = "anyhook.guards.secret_patterns"
_ROWS = (*((row, 1) for row in secret_shapes()), *((row, 0) for row in look_alikes()))


def notices(task: Task, tree: ast.Module, _: list[str]) -> str:
    """The first text of which the changed patterns leave something else."""
    if task.module != MODULE:
        return ""
    changed: dict[str, Any] = {"__name__": MODULE}
    try:
        exec(compile(task.mutant.tree(tree), MODULE, "exec", dont_inherit=True), changed)
        patterns = {each.name: each for each in (*changed["CONTEXTS"], *changed["TOKENS"], *changed["PLACES"])}
        for row, number in _ROWS:
            if patterns[row.pattern].hide(row.text, row.text.lower()) != (row.left, number):
                return row.text
    except Exception as error:
        return f"error: {type(error).__name__}"
    return ""
