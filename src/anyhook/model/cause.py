"""Why a run ended as it did, and why the runs of an event came to their effect: data, for others to put into words."""

from __future__ import annotations

import enum

from msgspec import Struct


class CauseKind(enum.StrEnum):
    # --- a run that ended well
    NO_REPLY = "no-reply"  # it said nothing that the client reads
    REPLY = "reply"  # by its JSON, or by the value that it returned
    TEXT = "text"  # by its plain text
    BACKGROUND = "background"  # it still runs
    EXIT_OVERRULED = "exit-overruled"  # its exit status blocks, but its JSON counts instead

    # --- the exit status
    EXIT_BLOCKS = "exit-blocks"  # this status blocks
    EXIT_NONZERO_BLOCKS = "exit-nonzero-blocks"  # every status but 0 does
    EXIT_ABOVE_BLOCKS = "exit-above-blocks"  # every status above the limit does
    EXIT_FAILED = "exit-failed"  # any other status: the hook failed
    EXIT_IGNORED = "exit-ignored"  # a blocking status, which does not block on this event
    EXIT_NEEDS_STDERR = "exit-needs-stderr"  # a blocking status, which blocks only with text on stderr
    EXIT_NEEDS_TEXT = "exit-needs-text"  # a blocking status, which blocks only with some output

    # --- no result
    TIMED_OUT = "timed-out"
    ERROR = "error"  # it could not be carried out, or raised an exception
    NOT_ASKED = "not-asked"  # anyhook could not hand it the event
    UNABLE = "unable"  # this process could not start it or did not learn how it ended; another may

    # --- a reply that the client discards, or a part of it
    NOT_JSON = "not-json"  # it starts like JSON and is not
    NOT_AN_OBJECT = "not-an-object"  # JSON, but not an object
    UNKNOWN_KEY = "unknown-key"
    WRONG_EVENT = "wrong-event"  # it names another event, or none
    UNSUPPORTED = "unsupported"  # a known key that the client does not accept here
    BAD_VALUE = "bad-value"  # a known key with a value that the client does not accept

    # --- a hook that did not run
    NOT_LOADED = "not-loaded"  # dropped, disabled, shadowed or unreachable
    TYPE_NOT_RUN = "type-not-run"  # the client does not run such hooks on this event
    NOTHING_TO_MATCH = "nothing-to-match"  # a matcher on an event without a subject
    MATCHER_INVALID = "matcher-invalid"
    MATCHER_DIFFERS = "matcher-differs"
    CONDITION_FALSE = "condition-false"
    DUPLICATE = "duplicate"  # the same hook runs already

    # --- an outcome
    NO_DECISION = "no-decision"  # no hook decided anything
    DECISION = "decision"  # the only decision
    STRICTEST_DECISION = "strictest-decision"  # of several
    FIRST_DECISION = "first-decision"
    LAST_DECISION = "last-decision"
    FIRST_TO_FINISH = "first-to-finish"
    CANNOT_BLOCK = "cannot-block"  # a refusal on an event that hooks cannot block here
    INTERRUPT = "interrupt"  # a refusal that also ends the turn
    SILENCE_BLOCKS = "silence-blocks"  # no decision, which blocks here
    SILENCE_ASKS = "silence-asks"  # no decision, so that the user is asked
    CONTEXT_CONTINUES = "context-continues"  # context alone keeps the agent going
    CONTINUE_TRUE = "continue-true"  # ``continue: true`` keeps the agent going
    INPUT_REFUSED = "input-refused"  # the rewritten input, or that of another call, lacks what the tool needs
    CONTINUATION_CAP = "continuation-cap"  # hooks kept the agent going too often
    STOP_ENDS_TURN = "stop-ends-turn"  # ``continue: false``
    STOP_ENDS_TURN_AFTER_TOOL = "stop-ends-turn-after-tool"
    STOP_ENDS_HOOKS = "stop-ends-hooks"
    STOP_BLOCKS = "stop-blocks"
    STOP_IGNORED = "stop-ignored"


class JsonUse(enum.StrEnum):
    """What became of JSON that a hook printed."""

    NONE = "none"  # it printed none
    STDOUT = "stdout"
    STDERR = "stderr"
    STRING = "string"  # read, though it was inside a JSON string
    NEVER_READ = "never-read"  # the client reads no JSON at all
    NOT_WITH_STATUS = "not-with-status"  # not read with this exit status
    BROKEN = "broken"  # it starts like an object and is not valid, so it counts as plain text


class Cause(Struct, frozen=True, omit_defaults=True):
    """Why something ended as it did."""

    kind: CauseKind
    text: str = ""
    """More about it, in words."""
    pointer: str = ""
    """The key in the reply, as a JSON pointer."""
    limit: int | None = None
    """Milliseconds until a time-out, or the status above which all block."""
    json: JsonUse = JsonUse.NONE

    def __str__(self) -> str:
        return self.text or str(self.kind)
