"""The configured model, through pydantic-ai (extra ``llm``): one request for a prompt hook, a loop for an agent hook.

Imported only when a hook asks: the libraries take a second or two to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from anyhook.engine.models.models import ModelAnswer, ModelError, ModelRequest
from anyhook.sources.settings import ModelSettings

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai import messages
    from pydantic_ai.models import Model, ModelRequestParameters

MAX_OUTPUT_TOKENS = 4_096
"""Of one answer."""
MAX_RETRIES = 2
"""How often a busy or failing server is asked again, after the time that it names (``retry-after``)."""
VERDICT_TOOL = "give_verdict"
_KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}
_URL_VARIABLES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "ollama": "OLLAMA_BASE_URL"}
_WIRE_FORMATS = {"ollama": "openai"}
_OLLAMA = "http://localhost:11434/v1"
_NO_KEY_NEEDED = "no-key"


class Access(Struct, frozen=True, kw_only=True):
    """The address of a model, and the key for it."""

    provider: str
    model: str
    base_url: str = ""
    """Empty: the provider's own."""
    key: str = ""
    key_variable: str = ""

    @property
    def label(self) -> str:
        return f"{self.provider}:{self.model}" + (f" at {self.base_url}" if self.base_url else "")


def access_to(model: str, settings: ModelSettings, environment: Mapping[str, str]) -> Access:
    """The access to ``provider:model``. Raises ModelError when there is no key for it."""
    provider, _, name = model.partition(":")
    is_own = settings.provider == provider
    base_url = (settings.base_url if is_own else "") or environment.get(_URL_VARIABLES.get(provider, ""), "")
    variable = (settings.api_key_env if is_own else "") or _KEY_VARIABLES.get(provider, "")
    key = environment.get(variable, "")
    if not key and (provider == "ollama" or (base_url and provider == "openai")):
        key = _NO_KEY_NEEDED  # a server of the user's own
    if not key:
        raise ModelError(f"no key for {model}: set {variable}")
    if provider == "ollama":
        base_url = base_url or _OLLAMA
    return Access(provider=provider, model=name, base_url=base_url, key=key, key_variable=variable)


def load_libraries(model: str) -> None:
    """Import what is needed to ask a model. Raises ModelError when it is not installed."""
    provider = model.partition(":")[0]
    try:
        import_module("pydantic_ai.direct")
        import_module(f"pydantic_ai.models.{_WIRE_FORMATS.get(provider, provider)}")
    except ImportError:
        from anyhook.extras import install_command

        raise ModelError(f"prompt and agent hooks need pydantic-ai; install it: {install_command('llm')}") from None


async def ask_model(
    model: str, request: ModelRequest, settings: ModelSettings, environment: Mapping[str, str]
) -> ModelAnswer:
    """Send a hook's request to a model. Raises ModelError, with a message for the user, when there is no answer."""
    access = access_to(model, settings, environment)
    from pydantic_ai.exceptions import AgentRunError, UserError
    from pydantic_ai.models import create_async_httpx2_client

    async with create_async_httpx2_client() as client:
        try:
            return await _Conversation(access, _open_model(access, client), request, settings).run_to_verdict()
        except (AgentRunError, UserError) as error:
            raise ModelError(_explain(access, error)) from error


def _open_model(access: Access, client: httpx2.AsyncClient) -> Model[Any]:
    key, url = access.key, access.base_url or None
    match access.provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(
                access.model, provider=AnthropicProvider(api_key=key, base_url=url, http_client=client)
            )
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(access.model, provider=GoogleProvider(api_key=key, base_url=url, http_client=client))
        case _:  # OpenAI, Ollama and everything else that speaks chat completions
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIChatModel(access.model, provider=OpenAIProvider(api_key=key, base_url=url, http_client=client))


class _Conversation:
    """One request: the model's tool calls and their results, until there is a verdict."""

    def __init__(self, access: Access, model: Model[Any], request: ModelRequest, settings: ModelSettings) -> None:
        self.access, self.model, self.request, self.settings = access, model, request, settings
        self.tools = {tool.name: tool for tool in request.tools}
        self.parameters = self._parameters()
        self.spent = 0

    def _parameters(self) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        offered = [
            ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters))
            for tool in self.tools.values()
        ]
        if not offered:
            return ModelRequestParameters()
        verdict = ToolDefinition(
            name=VERDICT_TOOL,
            description="Give your verdict. Call this when you have seen enough; it ends your work.",
            parameters_json_schema=dict(self.request.verdict),
        )
        return ModelRequestParameters(function_tools=[*offered, verdict])

    async def run_to_verdict(self) -> ModelAnswer:
        from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart

        instructions = self.request.instructions
        history: list[messages.ModelMessage] = [
            ModelRequest([UserPromptPart(self.request.prompt)], instructions=instructions)
        ]
        for _ in range(self.request.max_turns):
            response = await self._respond(history)
            self._spend(response)
            results = []
            for call in response.tool_calls:
                arguments = _arguments(call)
                if call.tool_name == VERDICT_TOOL:
                    return arguments
                results.append(
                    ToolReturnPart(call.tool_name, await self._use(call.tool_name, arguments), call.tool_call_id)
                )
            if not results:
                return response.text or ""
            history += [response, ModelRequest(results, instructions=instructions)]
        raise ModelError(f"no verdict after {self.request.max_turns} turns")

    async def _respond(self, history: list[messages.ModelMessage]) -> messages.ModelResponse:
        from pydantic_ai.direct import model_request, model_request_stream
        from pydantic_ai.settings import ModelSettings as RequestSettings

        settings = RequestSettings(max_tokens=MAX_OUTPUT_TOKENS, max_retries=MAX_RETRIES)
        if not self.settings.stream:
            return await model_request(
                self.model, history, model_settings=settings, model_request_parameters=self.parameters
            )
        async with model_request_stream(
            self.model, history, model_settings=settings, model_request_parameters=self.parameters
        ) as stream:
            async for _ in stream:
                pass
            return stream.get()

    def _spend(self, response: messages.ModelResponse) -> None:
        self.spent += response.usage.total_tokens
        budget = self.settings.token_budget
        if self.spent > budget:
            raise ModelError(
                f"used {self.spent} tokens, more than its budget of {budget} (token_budget under [models])"
            )

    async def _use(self, name: str, arguments: Mapping[str, Any]) -> str:
        tool = self.tools.get(name)
        return await tool.call(arguments) if tool else f"Refused: there is no tool {name}."


def _arguments(call: messages.ToolCallPart) -> dict[str, Any]:
    try:
        return call.args_as_dict()
    except (ValueError, AssertionError):  # what the model wrote is not a JSON object
        return {}


def _explain(access: Access, error: Exception) -> str:
    """What went wrong, in one line that says what to do and does not repeat the request."""
    from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError

    label = access.label
    if isinstance(error, ModelHTTPError):
        status = error.status_code
        what = {
            401: f"refused the key in {access.key_variable or 'the settings'}",
            403: f"refused the key in {access.key_variable or 'the settings'}",
            404: "does not know this model",
            429: "is busy or your quota is used up",
        }.get(status, "failed" if status >= 500 else "refused the request")
        return f"{label} {what} (status {status})"
    if isinstance(error, ModelConnectionError):
        return f"{label} cannot be reached: {error.__cause__ or error}"
    return f"{label}: {' '.join(str(error).split())[:300]}"
