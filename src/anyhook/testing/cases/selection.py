"""Which cases to run: by name, by event, by an expression of words. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event, fold_spelling
from anyhook.model.problems import UsageError
from anyhook.testing.cases.cases import BrokenCase, Case

AnyCase = Case | BrokenCase
Chooser = Callable[[str], bool]
"""Whether a case is selected, by its words in lower case."""

_TOKEN = re.compile(r"\s*([()]|[^\s()]+)")


def select(
    cases: Iterable[AnyCase], *, patterns: Sequence[str] = (), event: str | None = None, expression: str | None = None
) -> list[AnyCase]:
    """The cases that match all of these: one of the patterns, the event, the expression."""
    chooser = None if expression is None else parse_expression(expression)
    return [
        case
        for case in cases
        if (not patterns or any(_is_called(case, pattern) for pattern in patterns))
        and (event is None or _is_of(case, event))
        and (chooser is None or chooser(_words(case)))
    ]


def _is_called(case: AnyCase, pattern: str) -> bool:
    """By the case's name or the stem of its file; ``*``, ``?`` and ``[...]`` as in a shell."""
    stem = re.sub(r"\.ya?ml$", "", pattern)
    return fnmatchcase(case.name, pattern) or fnmatchcase(case.file.stem, stem)


def _is_of(case: AnyCase, event: str) -> bool:
    """Whether two names can mean one event, to the client of the case or, where it names none, to any."""
    client = case.client if isinstance(case, Case) else None
    clients = (client,) if client else ("", OWN)
    return not _meant(case.event, clients).isdisjoint(_meant(event, clients))


def _meant(event: str, clients: Sequence[str]) -> set[str]:
    found = (find_event(event, client) for client in clients)
    return {known.name if known else fold_spelling(event) for known in found}


def _words(case: AnyCase) -> str:
    client = case.client or "" if isinstance(case, Case) else ""
    return " ".join((case.name, case.file.stem, case.event, client)).lower()


def parse_expression(text: str) -> Chooser:
    """``block and not (stop or write)``: words are looked for anywhere in a case's name, file, event and client."""
    found = [match[1] for match in _TOKEN.finditer(text)]
    if not found:
        raise UsageError("-k needs at least one word")
    parser = _Parser(text, found)
    chooser = parser.either()
    if parser.tokens:
        raise parser.refuse()
    return chooser


class _Parser:
    """Recursive descent over the tokens that are left."""

    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text, self.tokens = text, tokens

    def refuse(self) -> UsageError:
        at = f"at {self.tokens[0]!r}" if self.tokens else "at its end"
        return UsageError(f"-k {self.text!r} cannot be understood {at}: use words with and, or, not and brackets")

    def _take(self, word: str) -> bool:
        if self.tokens and self.tokens[0] == word:
            del self.tokens[0]
            return True
        return False

    def either(self) -> Chooser:
        choosers = [self.both()]
        while self._take("or"):
            choosers.append(self.both())
        return lambda words: any(chooser(words) for chooser in choosers)

    def both(self) -> Chooser:
        choosers = [self.one()]
        while self._take("and"):
            choosers.append(self.one())
        return lambda words: all(chooser(words) for chooser in choosers)

    def one(self) -> Chooser:
        if self._take("not"):
            inner = self.one()
            return lambda words: not inner(words)
        if self._take("("):
            inner = self.either()
            if not self._take(")"):
                raise self.refuse()
            return inner
        if not self.tokens or self.tokens[0] in ("and", "or", ")"):
            raise self.refuse()
        word = self.tokens.pop(0).lower()
        return lambda words: word in words
