"""HTTP hooks: the event is posted to a URL, and the answer is read as if a command had printed it (extra ``http``).

A hook file is not trusted to reach everything that this machine can reach: names are resolved once, every address is
checked, and the connection goes to a checked address. Redirects and the environment's proxies would lead around that,
so neither is used. What an answer means is the client's own rule.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from anyhook.daemon_socket.simulation import SIMULATION, SIMULATION_HEADER
from anyhook.dialects.overrides import overridden
from anyhook.dialects.stages import Called, Posted
from anyhook.dialects.wire.payloads import payload_bytes
from anyhook.engine.condition import wildcard_matches, wildcard_parts
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.raw import RawResult, is_lack
from anyhook.model.hooks import Http

if TYPE_CHECKING:
    import httpx

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a host, by name and port. Raises OSError when it has none."""

_NOT_TO_SET = frozenset({"host", "content-length", "transfer-encoding", "connection"})
"""Headers that belong to the connection, not to the hook."""


async def resolve_name(host: str, port: int) -> Sequence[str]:
    """Ask the system, in a thread that is not waited for: a name server can take longer than a hook may."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str]] = loop.create_future()

    def give(addresses: Sequence[str], error: OSError | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(addresses)

    def ask() -> None:
        addresses: Sequence[str] = ()
        failure: OSError | None = None
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
        except (OSError, UnicodeError) as error:
            failure = error if isinstance(error, OSError) else OSError(str(error))
        with contextlib.suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(give, addresses, failure)

    threading.Thread(target=ask, daemon=True).start()
    return await answer


class HttpSettings(Struct, frozen=True, kw_only=True):
    """What HTTP hooks of every client may do on this machine."""

    allow_private: bool = False
    """Addresses of private networks. Link-local ones and those of cloud metadata are refused all the same."""
    allow_loopback: bool = True
    allowed_urls: tuple[str, ...] | None = None
    """Patterns with ``*``; None: every URL."""
    allowed_env: frozenset[str] | None = None
    """Variables that any hook may use, if its own list has them, too; None: all of its own list."""
    max_bytes: int = 1024 * 1024
    resolve: Resolver = resolve_name

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> HttpSettings:
        """The settings of the user of this machine; project files cannot change them."""
        urls, names = environment.get("ANYHOOK_HTTP_ALLOWED_URLS"), environment.get("ANYHOOK_HTTP_ALLOWED_ENV")
        size = environment.get("ANYHOOK_HTTP_MAX_BYTES", "")
        settings = cls(
            allow_private=environment.get("ANYHOOK_HTTP_ALLOW_PRIVATE") == "1",
            allow_loopback=environment.get("ANYHOOK_HTTP_ALLOW_LOOPBACK", "1") == "1",
            allowed_urls=None if urls is None else tuple(urls.split()),
            allowed_env=None if names is None else frozenset(names.split()),
        )
        return structs.replace(settings, max_bytes=int(size)) if size.isdecimal() else settings


class RefusedUrlError(Exception):
    """The URL is not called; the text says why."""


class HttpResponse(Struct, frozen=True):
    status: int
    media_type: str = ""
    body: bytes = b""
    is_cut: bool = False
    """The response is larger than the limit."""


async def run_http(
    job: Job, action: Http, environment: Mapping[str, str], timeout: float | None, settings: HttpSettings
) -> ActionResult:
    """Post the event and read the response. Raises nothing but CancelledError."""
    started = time.perf_counter()
    call = _HttpCall(job, action, environment, settings)
    try:
        import httpx
    except ImportError:
        from anyhook.extras import install_command

        return ActionResult(call.failure(f"HTTP hooks need httpx; install it: {install_command('http')}"))
    try:
        async with asyncio.timeout(timeout):
            done = await call.make()
    except TimeoutError:
        done = ActionResult(RawResult(timed_out=True))
    except (RefusedUrlError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
        failure = call.failure(str(error) or type(error).__name__)
        done = ActionResult(
            structs.replace(failure, error=failure.error or failure.stderr.decode(), unable=True)
            if is_lack(error)
            else failure
        )
    raw = structs.replace(done.raw, duration_ms=(time.perf_counter() - started) * 1000)
    return structs.replace(done, raw=raw)


# ------------------------------------------------------------------------------------------------- what may be called

_METADATA = frozenset(map(ip_address, ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192")))
_NAT64 = IPv6Network("64:ff9b::/96")


def forbidden(address: Address, settings: HttpSettings) -> str:
    """Why an address is not called; empty when it may be."""
    address = _embedded(address)
    if address.is_loopback:
        return "" if settings.allow_loopback else "which is this machine"
    if address.is_link_local or address in _METADATA:
        return "which is link-local or serves metadata"
    if address.is_multicast or address.is_unspecified:
        return "which is not the address of one host"
    if not address.is_global:
        return "" if settings.allow_private else "which is private"
    return ""


def _embedded(address: Address) -> Address:
    """The IPv4 address that an IPv6 one leads to, if it does."""
    if isinstance(address, IPv6Address):
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


# --------------------------------------------------------------------------------------------------------------- calls


class _HttpCall(Struct, frozen=True):
    """One hook to be called for one event."""

    job: Job
    action: Http
    environment: Mapping[str, str]
    settings: HttpSettings

    async def make(self) -> ActionResult:
        url = self.url()
        addresses = await self.addresses(url)
        if reason := self.left_out(url, addresses):
            return ActionResult(RawResult(exit_code=0), problems=(reason,))
        for address in addresses:
            if reason := forbidden(address, self.settings):
                raise RefusedUrlError(f"{url.host} is {address}, {reason}")
        return ActionResult(self.result(await self.post(url, addresses)))

    def url(self) -> httpx.URL:
        import httpx

        text = self.action.url
        posted = Posted(self.job.profile, text, self.filled)
        url = httpx.URL(overridden(self.job.profile.overrides.url, posted, lambda given: given.url))
        if url.scheme not in ("http", "https") or not url.host:
            raise RefusedUrlError("only http and https URLs are called")
        allowed = self.settings.allowed_urls
        if allowed is not None and not any(wildcard_matches(wildcard_parts(pattern), str(url)) for pattern in allowed):
            raise RefusedUrlError("the URL is not on the list of allowed ones")
        return url

    async def addresses(self, url: httpx.URL) -> list[Address]:
        port = url.port or (443 if url.scheme == "https" else 80)
        found = [ip_address(text) for text in await self.settings.resolve(url.raw_host.decode("ascii"), port)]
        if not found:
            raise RefusedUrlError(f"{url.host} has no address")
        return found

    def left_out(self, url: httpx.URL, addresses: Sequence[Address]) -> str:
        """Why the client itself skips this hook; it then neither runs nor fails."""
        profile = self.job.profile
        variable = profile.execution.loopback_variable
        is_loopback = all(_embedded(address).is_loopback for address in addresses)
        if is_loopback and variable and self.environment.get(variable) != "1":
            return f"{profile.title} calls this machine only if {variable} is 1"
        called = Called(profile, url.scheme, is_loopback)
        return overridden(profile.overrides.why_not_called, called, lambda _: "")

    def filled(self, text: str) -> str:
        """Replace ``$NAME`` and ``${NAME}`` if the hook lists the name, and remove the others."""
        own, allowed = self.action.allowed_env, self.settings.allowed_env

        def value(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            if name not in own or (allowed is not None and name not in allowed):
                return ""
            return re.sub(r"[\r\n\0]", "", self.environment.get(name, ""))  # it must not begin another header

        return re.sub(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", value, text, flags=re.ASCII)

    def headers(self, url: httpx.URL) -> dict[str, str]:
        headers = {"content-type": "application/json", "user-agent": "anyhook", "accept-encoding": "identity"}
        headers |= {name.lower(): self.filled(value) for name, value in self.action.headers.items()}
        if SIMULATION in self.environment:
            headers[SIMULATION_HEADER] = self.environment[SIMULATION]
        kept = {name: value for name, value in headers.items() if name not in _NOT_TO_SET}
        return {"host": url.netloc.decode("ascii"), **kept}

    async def post(self, url: httpx.URL, addresses: Sequence[Address]) -> HttpResponse:
        """Send the event to the first address that can be reached."""
        import httpx

        job = self.job
        body = payload_bytes(job.bound, job.payload).rstrip(b"\n")  # recorded: no newline
        trust = ssl.create_default_context() if url.scheme == "https" else False
        async with httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=None, verify=trust) as client:
            requests = [
                client.build_request(
                    "POST",
                    url.copy_with(host=str(address)),
                    content=body,
                    headers=self.headers(url),
                    # The connection goes to an address that was checked; the certificate must be that of the name.
                    extensions={"sni_hostname": url.raw_host.decode("ascii")},
                )
                for address in addresses
            ]
            for request in requests[:-1]:
                with contextlib.suppress(httpx.ConnectError):
                    return await self.exchange(client, request)
            return await self.exchange(client, requests[-1])

    async def exchange(self, client: httpx.AsyncClient, request: httpx.Request) -> HttpResponse:
        response = await client.send(request, stream=True)
        kept = bytearray()
        limit = self.settings.max_bytes
        try:
            if response.is_success:
                async for chunk in response.aiter_raw():  # raw: nothing is unpacked to a larger size
                    kept += chunk
                    if len(kept) > limit:
                        break
        finally:
            await response.aclose()
        media_type = response.headers.get("content-type", "")
        return HttpResponse(response.status_code, media_type, bytes(kept[:limit]), len(kept) > limit)

    def result(self, answer: HttpResponse) -> RawResult:
        """The response as if a command had printed it."""
        if not 200 <= answer.status < 300:
            note = " (redirects are not followed)" if 300 <= answer.status < 400 else ""
            return self.failure(f"answered with status {answer.status}{note}")
        if answer.is_cut:
            return self.failure(f"answered with more than {self.settings.max_bytes} bytes")
        profile = self.job.profile
        called = Called(profile, "", False, answer.media_type, answer.body.strip())
        printed = overridden(profile.overrides.read_http, called, _printed)
        if printed is None:
            return self.failure("the answer is not a JSON object")
        return RawResult(exit_code=0, stdout=printed)

    def failure(self, text: str) -> RawResult:
        """A failed hook; the client's rules for failing commands decide what follows."""
        text = f"{self.action.summary()}: {text}"
        if self.job.profile.exits.above(self.job.payload.event) == 0:
            return RawResult(exit_code=1, stderr=text.encode("utf-8", "replace"))
        return RawResult(error=text)


def _printed(called: Called) -> bytes | None:
    return called.body if called.is_object or not called.body else None
