"""What was played and what came of it, for people: the command that was blocked, and what the model was told. Pure."""

from __future__ import annotations

from msgspec import Struct

from anyhook.model.outcome import Effect
from anyhook.prove.proof.observe import PlayReport, refusal_of
from anyhook.prove.proof.played_cases import PlayedCase
from anyhook.prove.proof.said import has_reached, said_by
from anyhook.prove.report import RunReport


class PlayedOutcome(Struct, frozen=True, kw_only=True):
    """One case in one client."""

    case: str
    event: str
    """The canonical name."""
    played: str
    """The command, the file, the prompt."""
    tool: str = ""
    """The client's own name of the tool that was called; empty: none was."""
    effect: Effect | None
    """What the client did; None: it did not come so far."""
    by_client: bool = False
    """Whether the client refused it by its own rules: nothing shows that a hook did."""
    did_not_run: bool = False
    """Of a case about what comes after a call: whether the call failed, or was refused before."""
    told: str = ""
    """What the model got back from hooks; of a prompt that did not reach the model, what the hook said."""
    result: str | None = None
    """The whole result of the tool call that the model got; None: none."""
    cause: str = ""
    """Why it is not as the case expects; empty: it is, or the case does not say."""

    @property
    def verb(self) -> str:
        """The effect in a word or two."""
        if self.by_client:
            return "refused by the client itself"
        if self.did_not_run:
            return "did not run"
        happened = "ran" if self.event in ("PreToolUse", "PermissionRequest", "PostToolUse") else "went ahead"
        words = {
            Effect.PROCEED: happened,
            Effect.BLOCK: "blocked",
            Effect.CONTINUE: "kept going",
            Effect.FEEDBACK: "ran, and the model was told",
        }
        return words.get(self.effect, "not reached") if self.effect else "not reached"


def outcome_of(play: PlayReport, client: str, cause: str = "") -> PlayedOutcome:
    """What a client did with a case, and what hooks had to say."""
    case, report, seen = play.case, play.report, play.seen
    step = report.tool_results[0] if report.tool_results else None
    result = step.model_saw if step else None
    return PlayedOutcome(
        case=case.name,
        event=case.event,
        played=case.subject(),
        tool=step.tool if step else "",
        effect=seen.effect,
        by_client=seen.by_client,
        did_not_run=seen.did_not_run,
        told=_told(case, report, client) or (result or "" if seen.effect is Effect.BLOCK or seen.did_not_run else ""),
        result=result,
        cause=cause,
    )


def _told(case: PlayedCase, report: RunReport, client: str) -> str:
    """The reasons and the context of hooks that reached the model; reasons also where there was no model to reach."""
    reasons = [reason for call in report.hooks_fired if (reason := refusal_of(call))]
    texts = [reason for reason in reasons if report.saw(reason) or not report.model_saw]
    said = [said for call in report.hooks_fired for said in said_by(call, client, case.event) if said.to_model]
    texts += [each.text for each in said if has_reached(each, report, case.event)]
    return "\n".join(dict.fromkeys(text.strip() for text in texts))
