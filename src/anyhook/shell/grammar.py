"""The grammar of bash."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language


@cache
def bash() -> Language:
    """The grammar of tree-sitter-bash, from its compiled module alone.

    The package itself imports importlib.resources, for files that are not used here, and with it tempfile and shutil:
    that takes longer than to read a command line.
    """
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    from tree_sitter import Language

    package = find_spec("tree_sitter_bash")
    compiled = package and PathFinder.find_spec("tree_sitter_bash._binding", package.submodule_search_locations)
    if compiled is None or compiled.loader is None:  # another release, with other parts
        import tree_sitter_bash

        return Language(tree_sitter_bash.language())
    module = module_from_spec(compiled)
    compiled.loader.exec_module(module)
    return Language(module.language())
