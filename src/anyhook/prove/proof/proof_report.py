"""A proof as data and as a report for CI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import msgspec

from anyhook.prove.proof.prove_client import ClientProof
from anyhook.prove.proof.verdict import HookProof
from anyhook.testing.cases.case_reports import legal_text


def as_data(proofs: Sequence[ClientProof]) -> dict[str, Any]:
    """For JSON."""
    in_effect = not any(map(has_failed, proofs)) if any(proof.cases for proof in proofs) else None
    return {"clients": msgspec.to_builtins(proofs), "in_effect": in_effect}


def has_failed(proof: ClientProof) -> bool:
    """Whether a guard did not do in the client what it should."""
    return bool(proof.missed) or any(hook.is_failure for hook in proof.hooks)


def as_junit(proofs: Sequence[ClientProof]) -> bytes:
    """One test for each hook in each client."""
    hooks = [hook for proof in proofs for hook in proof.hooks]
    lost = [_lost(proof) for proof in proofs if proof.missed and not any(hook.is_failure for hook in proof.hooks)]
    totals = {
        "name": "anyhook prove",
        "tests": str(len(hooks) + len(lost)),
        "failures": str(sum(hook.is_failure for hook in hooks) + len(lost)),
        "skipped": str(sum(hook.effect is None for hook in hooks)),
    }
    suites = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(suites, "testsuite", {**totals, "name": "hooks"})
    suite.extend(map(_test, hooks))
    suite.extend(lost)
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _lost(proof: ClientProof) -> ElementTree.Element:
    """Cases that no known hook can be blamed for."""
    element = ElementTree.Element("testcase", {"classname": proof.client, "name": ", ".join(proof.missed)})
    why = "; ".join(f"{problem.origin}: {problem.text}" for problem in proof.problems) or "no hook handles it"
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
