"""One lifecycle-hook engine for every coding agent.

The public names are resolved on first use (PEP 562), so ``import anyhook`` costs next to nothing.
"""

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost more than all the rest

__version__ = "0.1.0"

__all__ = ["HookSet", "Problem", "Rule", "__version__"]

if TYPE_CHECKING:
    from anyhook.model.hooks import HookSet, Rule
    from anyhook.model.problems import Problem

_HOMES = {
    "HookSet": "anyhook.model.hooks",
    "Problem": "anyhook.model.problems",
    "Rule": "anyhook.model.hooks",
}
"""Public name -> the module that defines it. Must agree with the imports above; a test compares the two."""

if not TYPE_CHECKING:  # a type checker must see exactly the names above, not "anything"

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(home), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
