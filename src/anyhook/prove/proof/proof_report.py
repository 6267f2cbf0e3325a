"""A proof as data and as a report for CI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import msgspec

from anyhook.prove.proof.prove_client import ClientProof
from anyhook.prove.proof.verdict import HookProof
from anyhook.report.junit import junit_xml, legal_text


def as_data(proofs: Sequence[ClientProof]) -> dict[str, Any]:
    """For JSON."""
    in_effect = not any(map(has_failed, proofs)) if any(proof.cases for proof in proofs) else None
    return {"clients": msgspec.to_builtins(proofs), "in_effect": in_effect}


def has_failed(proof: ClientProof) -> bool:
    """Whether a guard did not do in the client what it should, or a file that may have one is not loaded."""
    return bool(proof.missed or proof.missing or proof.problems) or any(hook.is_failure for hook in proof.hooks)


def as_junit(proofs: Sequence[ClientProof]) -> bytes:
    """One test for each hook in each client."""
    hooks = [hook for proof in proofs for hook in proof.hooks]
    lost = [test for proof in proofs for test in _lost(proof)]
    totals = {
        "tests": len(hooks) + len(lost),
        "failures": sum(hook.is_failure for hook in hooks) + len(lost),
        "skipped": sum(hook.effect is None for hook in hooks),
    }
    return junit_xml("anyhook prove", "hooks", [*map(_test, hooks), *lost], totals)


def _lost(proof: ClientProof) -> Iterator[ElementTree.Element]:
    """What no configured hook can be blamed for: cases, and entries that do not exist."""
    events = {entry.event for entry in proof.missing}
    for entry in proof.missing:
        yield _failed(proof.client, entry.event, entry.why)
    if any(hook.is_failure for hook in proof.hooks):
        return
    for played in proof.played:
        if played.cause and played.event not in events:
            why = "; ".join(f"{problem.origin}: {problem.text}" for problem in proof.problems)
            yield _failed(proof.client, played.case, why or played.cause)


def _failed(client: str, name: str, why: str) -> ElementTree.Element:
    element = ElementTree.Element("testcase", {"classname": client, "name": legal_text(name)})
    ElementTree.SubElement(element, "failure", {"message": legal_text(why)})
    return element


def _test(hook: HookProof) -> ElementTree.Element:
    element = ElementTree.Element(
        "testcase",
        {
            "classname": legal_text(f"{hook.client}.{hook.event}"),
            "name": legal_text(hook.hook),
            "file": legal_text(hook.file),
            "line": str(hook.line),
        },
    )
    if hook.is_failure:
        ElementTree.SubElement(element, "failure", {"message": legal_text(hook.reason)})
    elif hook.effect is None:
        ElementTree.SubElement(element, "skipped", {"message": legal_text(hook.reason or "no case plays it")})
    return element
