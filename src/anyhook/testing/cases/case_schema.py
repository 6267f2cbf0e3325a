"""JSON Schemas of hook test cases and their config, so that editors complete and check them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.testing.cases.cases import CaseKeys, SuiteConfig


def case_schema() -> dict[str, Any]:
    """Of ``tests/cases/*.yaml``."""
    return _schema_of(CaseKeys, "Hook test case")


def config_schema() -> dict[str, Any]:
    """Of ``tests/test-config.json``."""
    return _schema_of(SuiteConfig, "Hook test config")


def _schema_of(cls: type[Struct], title: str) -> dict[str, Any]:
    made = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(cls)))  # as a file has it: no tuples
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **made}


SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {"hook-case": case_schema, "hook-test-config": config_schema}
"""The schemas by the names of their files."""
