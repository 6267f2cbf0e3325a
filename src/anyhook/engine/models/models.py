"""The interface between hooks and models: requests, answers, and the limits on what they cost."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from msgspec import Struct

from anyhook.engine.environment import HookContext

if TYPE_CHECKING:  # hooks that ask a model are few, and settings take long to import
    from anyhook.sources.settings import ModelSettings, Settings

MAX_REMEMBERED_ANSWERS = 256
"""Answers that one engine keeps, for hooks that want their answers kept."""


class ModelTool(Struct, frozen=True):
    """Something that the model of an agent hook may do."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of the arguments."""
    call: Callable[[Mapping[str, Any]], Awaitable[str]]
    """Returns text for the model, also when the call is refused. Never raises."""


class ModelRequest(Struct, frozen=True, kw_only=True):
    """One question of a hook to a model."""

    kind: Literal["prompt", "agent"]
    event: str
    instructions: str
    """The system text: what the model is for, the form of its verdict, and what in the prompt is data."""
    prompt: str
    """The hook's prompt with the event filled in."""
    model: str | None = None
    """The model as the hook file names it; None: the default."""
    verdict: Mapping[str, Any] = {}
    """JSON Schema of the verdict."""
    tools: tuple[ModelTool, ...] = ()
    max_turns: int = 1


ModelAnswer = str | Mapping[str, Any]
"""The model's last text, or its verdict as an object."""
AskModel = Callable[[ModelRequest], ModelAnswer | Awaitable[ModelAnswer]]
"""The host's own function, or the configured model. What it raises makes the hook fail."""


class ModelError(Exception):
    """There is no answer; the text says why, and what to do about it."""


class Models:
    """Asks models for the hooks of one engine: the concurrency limit, and earlier answers."""

    def __init__(self, hook_context: HookContext, host: AskModel | None = None) -> None:
        self.hook_context, self.host = hook_context, host
        self._semaphores: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        """A semaphore belongs to an event loop, an engine may be used in several."""
        self._remembered: OrderedDict[Hashable, ModelAnswer] = OrderedDict()

    @cached_property
    def settings(self) -> Settings:
        """Read when the first hook asks: most projects have none that does."""
        from anyhook.sources.settings import ADDRESS_VARIABLE, read_settings

        project, environment = self.hook_context.project, self.hook_context.inherited
        if ADDRESS_VARIABLE in environment:
            from anyhook.engine.models.setter_files import find_setter  # the variable is rare
            from anyhook.sources.discover import Roots

            # By its client's settings a project could have itself asked, with the user's key, and allow everything.
            roots = Roots(project=project, home=self.hook_context.home, environment=environment)
            if find_setter(roots, ADDRESS_VARIABLE, None):
                environment = {name: value for name, value in environment.items() if name != ADDRESS_VARIABLE}
        return read_settings(project, environment)

    def _model_for(self, name: str | None) -> str:
        """As :func:`model_for`; if the user's settings do not count, the error says so."""
        try:
            return model_for(self.settings.models, name)
        except ModelError as error:
            from anyhook.sources.settings import ignored_settings

            ignored = [f"{each.origin.file}: {each.text}" for each in ignored_settings(self.hook_context.project)]
            raise ModelError("; ".join((str(error), *ignored))) from None

    async def get_ready(self, request: ModelRequest) -> None:
        """Load the libraries that a request needs; that can take longer than a hook's timeout. Raises ModelError."""
        if self.host is None:
            from anyhook.engine.models.pydantic_models import load_libraries  # its libraries are an extra

            await asyncio.to_thread(load_libraries, self._model_for(request.model))

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """The answer of the host's function or of the configured model. Raises what they raise."""
        async with self._semaphore():
            with _asking():
                return await self._answer(request)

    def recall(self, question: Hashable) -> ModelAnswer | None:
        """What was answered to the same question before, if that was remembered."""
        if question in self._remembered:
            self._remembered.move_to_end(question)
        return self._remembered.get(question)

    def remember(self, question: Hashable, answer: ModelAnswer) -> None:
        self._remembered[question] = answer
        while len(self._remembered) > MAX_REMEMBERED_ANSWERS:
            self._remembered.popitem(last=False)

    async def _answer(self, request: ModelRequest) -> ModelAnswer:
        if self.host is not None:
            answer = self.host(request)
            return await answer if inspect.isawaitable(answer) else answer
        model = self._model_for(request.model)
        from anyhook.engine.models.pydantic_models import ask_model

        return await ask_model(model, request, self.settings.models, self.hook_context.inherited)

    def _semaphore(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if loop not in self._semaphores:
            self._semaphores[loop] = asyncio.Semaphore(self.settings.models.max_concurrent)
        return self._semaphores[loop]


def model_for(settings: ModelSettings, name: str | None) -> str:
    """The ``provider:model`` for a model name in a hook. Raises ModelError when there is none."""
    from anyhook.sources.settings import provider_of

    default = settings.default
    if default and not provider_of(default) and settings.base_url:
        default = f"{settings.provider}:{default}"  # the user's own server may have any model name
    if name and (known := settings.aliases.get(name, name if provider_of(name) else "")):
        return known
    if not default:
        raise ModelError(
            "no model is configured: set ANYHOOK_MODEL, or default under [models] in anyhook.toml, "
            'to "provider:model", such as "anthropic:claude-haiku-4-5"'
        )
    if not provider_of(default):
        raise ModelError(f'the model "{default}" has no known provider: write "openai:{default}" or the like')
    return default


def substitution_note(settings: ModelSettings, name: str | None) -> str:
    """A note when the hook's own model is not known and the default is asked instead; else empty."""
    from anyhook.sources.settings import provider_of

    if not name or name in settings.aliases or provider_of(name) or not settings.default:
        return ""
    return (
        f'the model "{name}" is not known here, so {settings.default} is asked instead: add it under [models.aliases]'
    )


# -------------------------------------------------------------------------------------------- no hooks inside of hooks

_is_asking: ContextVar[bool] = ContextVar("_is_asking", default=False)


@contextlib.contextmanager
def _asking() -> Iterator[None]:
    token = _is_asking.set(True)
    try:
        yield
    finally:
        _is_asking.reset(token)


def is_inside_a_hook() -> bool:
    """Whether this runs for a model that a hook has asked: no hook fires for what it does."""
    return _is_asking.get()
