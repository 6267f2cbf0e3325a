"""The connection to an OpenTelemetry collector: where it is, what goes with each request, and what it answered."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from anyhook.model.problems import AnyhookError

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import MetricsData
    from opentelemetry.sdk.trace import ReadableSpan

TIMEOUT_SECONDS = 5
_SETTING = "collector of [journal] otlp"
_CERTIFICATES, _USUAL_CERTIFICATES = "OTEL_EXPORTER_OTLP_CERTIFICATE", "SSL_CERT_FILE"
_LOGGER = logging.getLogger("opentelemetry")
_LOGGER.addHandler(logging.NullHandler())  # else Python prints its warnings to stderr, beside our own message


class OtlpCollector(Struct, frozen=True):
    """A collector that takes OTLP over HTTP. Its methods raise AnyhookError where it does not take what is sent."""

    url: str
    """Without the path of a signal, such as ``/v1/traces``."""
    headers: Mapping[str, str] = {}

    def send_spans(self, spans: Sequence[ReadableSpan]) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        self._send(OTLPSpanExporter, "traces", "spans", spans)

    def send_metrics(self, metrics: MetricsData) -> None:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

        self._send(OTLPMetricExporter, "metrics", "metrics", metrics)

    def _send(self, make_exporter: Callable[..., Any], path: str, what: str, content: object) -> None:
        import requests

        shown, statuses = _without_credentials(self.url), list[int]()
        session = requests.Session()
        session.hooks["response"].append(lambda response, *_, **__: statuses.append(response.status_code))
        exporter = make_exporter(
            endpoint=f"{self.url.rstrip('/')}/v1/{path}",
            # requests does not read the variable that Python's own TLS and the model providers' libraries do.
            certificate_file=os.environ.get(_CERTIFICATES) or os.environ.get(_USUAL_CERTIFICATES),
            headers=dict(self.headers),
            timeout=TIMEOUT_SECONDS,
            session=session,
        )
        try:
            is_success = exporter.export(content).name == "SUCCESS"
        finally:
            exporter.shutdown()
        if not statuses:
            raise AnyhookError(f"{_SETTING}: {shown} does not answer; check that it runs and that the url is right")
        if not is_success or not 200 <= statuses[-1] < 300:  # the exporter takes a redirection for a success
            raise AnyhookError(f"{_SETTING}: {shown} does not take {what}: HTTP {statuses[-1]}; check the collector")


def _without_credentials(url: str) -> str:
    """The url as messages show it. AnyhookError: it is none, and is not shown because it may have a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise AnyhookError(f"{_SETTING}: this is no url of a collector; write http://HOST:4318")
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
