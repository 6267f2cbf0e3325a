"""What a hostile text may try against redaction: to take long, to raise, or to carry a secret past it."""

from __future__ import annotations

import pytest

from anyhook.record.redact import Redactor

REDACTOR = Redactor({})
SECRET = "Zk3vQ9xT7bLm2Rw8Yp4N"


@pytest.mark.parametrize(
    "around", ["{}", "\u200b{}", "\ud800{}", "\0{}", "{}\u2028", "x" * 200 + "\n{}", "{}" + "key" * 7000]
)
@pytest.mark.parametrize(
    "form", ["PGPASSWORD={} ", "--token {} ", "<password>{}</password>", "https://a:{}@b.test/ ", '"auth": "{}" ']
)
def test_what_is_around_a_secret_does_not_protect_it(around: str, form: str) -> None:
    assert SECRET not in REDACTOR.text(around.format(form.format(SECRET)))[0]


@pytest.mark.parametrize("depth", [1, 50, 300])
def test_a_secret_deep_in_json_is_hidden(depth: int) -> None:
    value: object = {"token": SECRET}
    for _ in range(depth):
        value = [value]
    assert SECRET not in repr(REDACTOR.redact(value)[0])
