"""The bytes between clients and the daemon."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyhook.daemon_socket.protocol import (
    MAX_HEAD_BYTES,
    MAX_STDIN_BYTES,
    PREFIX,
    SIZE,
    DaemonAnswer,
    Head,
    ProtocolError,
    decode_answer,
    decode_head,
    encode_answer,
    encode_head,
    head_size,
    pack_variables,
    stdin_size,
    variables_of,
)
from anyhook.serve.client import client

HEADS = st.builds(
    Head,
    version=st.binary(max_size=20),
    umask=st.integers(0, 0o777),
    cwd=st.binary(max_size=50),
    arguments=st.lists(st.binary(max_size=30), max_size=8).map(tuple),
    environment=st.binary(max_size=90),
)
ANSWERS = st.builds(
    DaemonAnswer, status=st.integers(0, 255), stdout=st.binary(max_size=200), stderr=st.binary(max_size=200)
)


@given(HEADS)
def test_a_head_arrives_as_it_was_sent(head: Head) -> None:
    sent = encode_head(head)
    assert head_size(sent[: PREFIX.size]) == len(sent) - PREFIX.size
    assert decode_head(sent[PREFIX.size :]) == head


@given(HEADS, st.data())
def test_a_part_of_a_head_is_refused(head: Head, data: st.DataObject) -> None:
    body = encode_head(head)[PREFIX.size :]
    end = data.draw(st.integers(0, len(body) - 1))
    with pytest.raises(ProtocolError):
        decode_head(body[:end])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_head_or_are_refused(body: bytes) -> None:
    try:
        head = decode_head(body)
    except ProtocolError:
        return
    assert encode_head(head)[PREFIX.size :] == body


@given(st.binary(min_size=8, max_size=8))
def test_the_announced_size_is_bounded(prefix: bytes) -> None:
    with suppress(ProtocolError):
        assert head_size(prefix) <= MAX_HEAD_BYTES


@given(st.integers(0, 2**32 - 1))
def test_stdin_is_bounded(size: int) -> None:
    try:
        assert stdin_size(SIZE.pack(size)) == size <= MAX_STDIN_BYTES
    except ProtocolError:
        assert size > MAX_STDIN_BYTES


@given(ANSWERS)
def test_an_answer_arrives_as_it_was_sent(answer: DaemonAnswer) -> None:
    assert decode_answer(encode_answer(answer)) == answer


@given(ANSWERS, st.data())
def test_half_an_answer_is_none(answer: DaemonAnswer, data: st.DataObject) -> None:
    sent = encode_answer(answer)
    assert decode_answer(sent[: data.draw(st.integers(0, len(sent) - 1))]) is None


@given(st.lists(st.binary(max_size=20), max_size=8), st.binary(max_size=40))
def test_the_python_client_writes_texts_alike(values: list[bytes], value: bytes) -> None:
    head = Head(version=b"", cwd=value, arguments=tuple(values))
    assert encode_head(head)[PREFIX.size + 8 :] == client.text(value) + client.texts(values) + client.text(b"")


def test_the_first_of_two_variables_of_a_name_counts() -> None:
    assert variables_of(b"A=1\0A=2\0nonsense\0=x\0B=\xff=y") == {"A": "1", "B": "\udcff=y"}


@given(
    st.dictionaries(
        st.from_regex(r"[A-Z_]{1,8}", fullmatch=True), st.text(st.characters(exclude_characters="\0", codec="utf-8"))
    )
)
def test_an_environment_arrives_as_it_was_sent(variables: dict[str, str]) -> None:
    assert variables_of(pack_variables(variables)) == variables
