"""Decides which hooks of a project may run: each by its own content, in its own repository.

A person approved exactly this content here, or somebody whom that person's own settings name has signed it, or the hook
can only restrict. Every file is hashed, because every process that can write a file can also set its size and times.

Not covered: a file that changes between the check and the moment when the hook reads it, what a program loads that
belongs to no hook, and a process that can write as the user, and so also into the folder for state.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, structs

from anyhook.model.hooks import Action, DeclaredRule, Fate, FateState, Guard, HookSet, Rule
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.load import Loader
from anyhook.sources.state import login_home, state_folder
from anyhook.trust.content import Contents, HookContent
from anyhook.trust.records import MAX_KEPT_TEXT_BYTES, ApprovedSet, KnownHook, PackageRecord, TrustStore, text_of
from anyhook.trust.restricting import in_our_words, only_restricts
from anyhook.trust.seen_files import SeenFiles, called
from anyhook.trust.signing import Signatures, read_signatures

_GOES_ON = "This was changed or removed in {place}, and applies as it was until a person approves that: anyhook trust."


class Standing(enum.StrEnum):
    """Whose word a hook runs on, or why it does not run."""

    RESTRICTS = "only restricts"  # needs none
    APPROVED = "approved"
    SIGNED = "signed"
    NEW = "new"  # nobody has approved it
    CHANGED = "changed"  # something that belongs to it is not as it was when it was approved
    REVOKED = "revoked"  # a person has taken the approval back

    @property
    def may_run(self) -> bool:
        return self in (Standing.RESTRICTS, Standing.APPROVED, Standing.SIGNED)


class JudgedHook(Struct, frozen=True, kw_only=True):
    """A hook of a project, and whether it may run."""

    content: HookContent
    standing: Standing
    word: str = ""
    """Whose word it runs on: "approved on 2026-11-18", "signed by ana@example.com"."""
    why: str = ""
    """What was changed, after "changed: "."""
    former: KnownHook | None = None
    """What it was when it was approved, if that is known."""

    @property
    def may_run(self) -> bool:
        return self.standing.may_run


class Trust(Struct, frozen=True, kw_only=True):
    """Which hooks that one client reads in a project may run."""

    client: str
    project: Path
    hooks: tuple[JudgedHook, ...] = ()
    """Those that could need trust, in the order of their files."""
    missing: tuple[KnownHook, ...] = ()
    """Those that were removed, narrowed or lowered, or whose files changed, without a person's approval."""
    note: str = ""
    """What keeps records or signatures from counting."""

    @property
    def untrusted(self) -> tuple[JudgedHook, ...]:
        return tuple(hook for hook in self.hooks if not hook.may_run)

    @property
    def needs_approval(self) -> bool:
        """True if something here waits for a person's decision."""
        return bool(self.untrusted or self.missing)


class ProjectTrust:
    """Judges the hooks of one project; the record of its repository and what belongs to hooks are read once."""

    def __init__(self, roots: Roots, loader: Loader, started_in: Path | None = None) -> None:
        """``started_in``: the folder of the session, where it may be another than the project's."""
        self.roots, self.loader, self.started_in = roots, loader, started_in
        self.store = TrustStore(roots, started_in)
        self.record = self.store.read()
        self._seen = SeenFiles(roots.project)
        self.signatures: Signatures = read_signatures(roots, self.store, self.record.serial)

    def judge(self, hooks: HookSet, *, owner: str | None = None) -> Trust:
        """Which of a client's hooks may run. Never raises, whatever is there.

        ``owner``: the client that the folder's own hook file is written for, if it is asked for; hooks that were in
        force while it was written for another client are missing, too.
        """
        contents = Contents(self.roots, hooks, self.loader, self.started_in, self._seen)
        found = [
            contents.of(rule, action)
            for rule in hooks.rules
            for action in rule.actions
            if action.fate.state is FateState.ACTIVE and needs_trust(action.origin, self.roots)
        ]
        words = {content.digest: self._standing(content) for content in found}
        present = frozenset(digest for digest, (standing, _) in words.items() if standing.may_run)
        gone = self._missing(hooks.dialect, present)
        if owner is not None and (before := self.record.owner) not in ("", hooks.dialect):
            gone |= self._missing(before, frozenset())
        # What a guard was while nobody approved it is not missed when it is again as a person approved it.
        settled = {_guard_at(each) for each in found if words[each.digest][0] in (Standing.APPROVED, Standing.SIGNED)}
        missing = tuple(
            hook
            for hook in (self.record.known[digest] for digest in sorted(gone))
            if hook.digest in self.record.approved or (hook.place, hook.guard) not in settled
        )
        former = _former_hooks([each for each in found if words[each.digest][0] is Standing.NEW], missing)
        judged = tuple(_with_change(each, *words[each.digest], former.get(id(each))) for each in found)
        note = self.store.why_not_kept or self.signatures.note
        return Trust(client=hooks.dialect, project=self.store.project, hooks=judged, missing=missing, note=note)

    def _missing(self, client: str, present: frozenset[str]) -> frozenset[str]:
        record = self.record
        lost = record.of(client).missing(present, self.store.repository.branch)
        return frozenset(digest for digest in lost - self._superseded if digest in record.known) - record.revoked

    @property
    def _superseded(self) -> frozenset[str]:
        """The hooks that ran on a signer's word alone, and that a later signature does without."""
        signed = frozenset(self.signatures.signers)
        return self.record.signed - signed - frozenset(self.record.approved) if signed else frozenset()

    def _standing(self, content: HookContent) -> tuple[Standing, str]:
        digest, record = content.digest, self.record
        restricts = only_restricts(content.rule, content.action)
        if content.obstacle and not restricts:
            return Standing.NEW, ""
        if digest in record.revoked and not restricts:
            return Standing.REVOKED, ""
        if signer := self.signatures.signers.get(digest):
            return Standing.SIGNED, f"signed by {signer}"
        if digest in record.approved and not self.signatures.are_required:
            return Standing.APPROVED, f"approved on {record.approved[digest][:10]}"
        return (Standing.RESTRICTS, "needs no trust: it only restricts") if restricts else (Standing.NEW, "")

    def former_guards(self, trust: Trust) -> HookSet | None:
        """The guards that were removed or changed, which go on judging as they did; None: there are none."""
        rules = []
        for hook in trust.missing:
            rule = hook.rule_in(trust.project)
            action = rule.actions[0]
            if not only_restricts(rule, action):
                continue
            if hook.digest not in self.record.approved:
                action = in_our_words(action, trust.project)
            if isinstance(action, Guard):
                message = " ".join(
                    filter(None, (action.settings.get("message"), _GOES_ON.format(place=called(hook.place))))
                )
                name = action.name or (f"{action.guard} guard" if type(action) is Guard else None)
                action = structs.replace(action, name=name, settings={**action.settings, "message": message})
            rules.append(structs.replace(rule, actions=(action,)))
        return HookSet(dialect=trust.missing[0].client, rules=tuple(rules)) if rules else None

    # ---------------------------------------------------------------------------------------------------- what is kept

    def remember(self, trust: Trust, *, owner: str = "") -> None:
        """Keep which hooks are in force, so that one that is removed is missed. Failing to is no reason to refuse."""
        branch, record = self.store.repository.branch, self.record
        running = [hook.content for hook in trust.hooks if hook.may_run]
        wanted = frozenset(content.digest for content in running).union(hook.digest for hook in trust.missing)
        known = record.of(trust.client).by_branch
        is_noted = list(known.items())[-1:] == [(branch, wanted)] or not (wanted or known)
        if is_noted and self.signatures.serial <= record.serial:
            return
        with suppress(AnyhookError), self.store.changing():  # a full disk, or a folder for state that does not count
            record = self.store.read()  # a person may have approved something meanwhile
            hooks = {hook.digest: hook for hook in trust.missing}
            hooks |= {content.digest: self._known_hook(trust.client, content) for content in running}
            client = record.of(trust.client).with_set(branch, wanted)
            self._write(
                structs.replace(
                    record,
                    known={**hooks, **record.known},
                    clients={**record.clients, trust.client: client},
                    owner=owner or record.owner,
                ),
                self.signatures.root,
            )
            new = (content for content in running if content.digest not in record.known)
            self.store.keep_texts(dict(pair for content in new for pair in self._texts(content)))

    def approve(self, trusts: Mapping[str, Trust], digests: frozenset[str], *, owner: str, at: str) -> None:
        """Record that a person approved these hooks, exactly as they were shown, and what is gone besides them.

        ``trusts``: what was shown, by client. Hooks that are missing are forgotten where all of a client's are decided.
        """
        with self.store.changing():
            record, branch = self.store.read(), self.store.repository.branch
            texts: dict[str, str] = {}
            known, clients, approved = dict(record.known), dict(record.clients), dict(record.approved)
            for client, trust in trusts.items():
                running = [hook.content for hook in trust.hooks if hook.may_run or hook.content.digest in digests]
                for content in running:
                    known[content.digest] = self._known_hook(client, content)
                    texts.update(self._texts(content))
                kept = {hook.digest: hook for hook in trust.missing if hook.digest not in digests}
                known |= kept
                hooks = frozenset(kept).union(content.digest for content in running)
                clients[client] = record.of(client).with_set(branch, hooks, ApprovedSet(hooks, frozenset(known)))
                approved |= {content.digest: at for content in running if content.digest in digests}
            revoked = record.revoked - digests
            changed = structs.replace(
                record, known=known, approved=approved, revoked=revoked, clients=clients, owner=owner
            )
            self._write(changed, self.store.root())
            self.store.keep_texts(texts)

    def _write(self, record: PackageRecord, root: str) -> None:
        """Write what is known of the package by now, and which signature was seen."""
        self.record = structs.replace(
            record,
            signed=record.signed | frozenset(self.signatures.signers),
            serial=max(record.serial, self.signatures.serial),
        )
        self.store.write(self.record, root)

    def revoke(self) -> bool:
        """Take back every approval of this project's hooks; False: there was none."""
        with self.store.changing():
            record = self.store.read()
            taken = frozenset(record.approved) | frozenset(self.signatures.signers)
            if not taken and not record.clients:
                return False
            self.record = structs.replace(record, approved={}, revoked=record.revoked | taken, clients={})
            self.store.write(self.record)
        return True

    def _known_hook(self, client: str, content: HookContent) -> KnownHook:
        """What is kept of a hook."""
        rule, action = content.rule, content.action
        file = disk.read_small_file(Path(action.origin.file), MAX_KEPT_TEXT_BYTES)
        return KnownHook(
            digest=content.digest,
            client=client,
            label=content.label,
            place=content.place,
            line=action.origin.line,
            definition=content.definition,
            source=sha256(file).hexdigest() if file is not None else "",
            files=content.files,
            event=rule.event,
            native_event=rule.native_event,
            matcher=rule.matcher,
            kinds=rule.kinds,
            is_async=action.is_async,
            guard=action.guard if isinstance(action, Guard) else "",
            settings=action.settings if isinstance(action, Guard) else {},
        )

    def _texts(self, content: HookContent) -> Iterator[tuple[str, str]]:
        """The texts by which a change of the hook can be shown later."""
        project = self.store.project
        for file in content.files:
            if (text := text_of(project, file)) is not None:
                yield file.sha256, text
        source = disk.read_small_file(Path(content.action.origin.file), MAX_KEPT_TEXT_BYTES)
        if source is not None:
            yield sha256(source).hexdigest(), source.decode("utf-8", "replace")


def hooks_in_force(hooks: HookSet, trust: Trust) -> HookSet:
    """The hooks with the state *untrusted* for those that may not run, and none of an untrusted project's words."""
    restricting = (hook.content.action for hook in trust.hooks if hook.standing is Standing.RESTRICTS)
    return _with_actions(
        hooks, {**_untrusted(trust), **{id(each): in_our_words(each, trust.project) for each in restricting}}
    )


def with_states(hooks: HookSet, trust: Trust) -> HookSet:
    """The hooks as they are written, with the state *untrusted* for those that may not run."""
    return _with_actions(hooks, _untrusted(trust))


def _untrusted(trust: Trust) -> dict[int, Action]:
    """The hooks that may not run, by the identity of what they were read as."""
    waiting = ((hook, hook.content.action) for hook in trust.hooks if not hook.may_run)
    return {
        id(action): structs.replace(action, fate=Fate(FateState.UNTRUSTED, why_untrusted(hook)))
        for hook, action in waiting
    }


def _with_actions(hooks: HookSet, changed: Mapping[int, Action]) -> HookSet:
    def of_rule(rule: Rule) -> Rule:
        actions = tuple(changed.get(id(action), action) for action in rule.actions)
        return rule if actions == rule.actions else structs.replace(rule, actions=actions)

    return structs.replace(hooks, rules=tuple(map(of_rule, hooks.rules)))


def why_untrusted(hook: JudgedHook) -> str:
    """Why a hook does not run, in anyhook's own words."""
    match hook.standing:
        case Standing.CHANGED:
            return f"changed since it was trusted: {hook.why}"
        case Standing.REVOKED:
            return "no longer trusted"
        case _:
            if limit := hook.content.limit:
                return f"it cannot be approved: {limit}"
            return "it cannot be approved" if hook.content.obstacle else "not trusted yet"


def needs_trust(origin: Origin, roots: Roots) -> bool:
    """True if a hook comes from the project rather than from its user or the organisation.

    A user's file inside the project is the project's after all (a variable such as CLAUDE_CONFIG_DIR may lead there),
    unless the project holds the whole home folder.
    """
    match origin.scope:
        case Scope.MANAGED | Scope.RUNTIME:
            return False
        case Scope.PROJECT | Scope.LOCAL:
            return True
        case _:
            project = disk.resolve(roots.project)
            is_inside = disk.resolve(Path(origin.file)).is_relative_to(project)
            is_inside = is_inside or Path(origin.file).is_relative_to(roots.project)
            homes = {disk.resolve(home) for home in (roots.home, login_home() or roots.home)}
            holds_home = all(home.is_relative_to(project) for home in homes)
            return is_inside and not (origin.scope is Scope.USER and holds_home)


def guarding_variables() -> dict[str, str]:
    """Variables that approved hooks should have: Python keeps compiled modules in the folder for state.

    A process that can write a ``__pycache__`` of the project could otherwise put other code into a module whose source,
    which is what was approved, stays the same.
    """
    return {"PYTHONPYCACHEPREFIX": str(state_folder() / "pycache")}


def _guard_at(content: HookContent) -> tuple[str, str] | None:
    """The file and the name of a ready-made guard, which a file has once; None: the hook is none."""
    action = content.action
    if not isinstance(action, Guard) or isinstance(action, DeclaredRule):
        return None
    return content.place, action.guard


def _former_hooks(contents: Sequence[HookContent], missing: Sequence[KnownHook]) -> dict[int, KnownHook]:
    """What each hook was before, by its identity: that which is most like it, and each of the missing only once."""
    found: dict[int, KnownHook] = {}
    waiting = list(missing)
    for alike in _LIKENESS:
        for content in contents:
            if id(content) not in found and (hook := next((each for each in waiting if alike(each, content)), None)):
                found[id(content)] = hook
                waiting.remove(hook)
    return found


_LIKENESS: tuple[Callable[[KnownHook, HookContent], bool], ...] = (
    lambda hook, now: hook.digest == now.digest,
    lambda hook, now: (hook.place, hook.definition) == (now.place, now.definition),
    lambda hook, now: (hook.place, hook.label) == (now.place, now.label),
    lambda hook, now: (hook.place, hook.event, hook.matcher) == (now.place, now.rule.event, now.rule.matcher),
    lambda hook, now: (hook.place, hook.event) == (now.place, now.rule.event),
)


def _with_change(content: HookContent, standing: Standing, word: str, former: KnownHook | None) -> JudgedHook:
    """A hook with what it was before, if it is an approved one that has changed."""
    if former is None:
        return JudgedHook(content=content, standing=standing, word=word)
    if former.digest == content.digest:  # who vouched for it does not count any more
        return JudgedHook(content=content, standing=standing, former=former)
    why = what_changed(former, content)
    return JudgedHook(content=content, standing=Standing.CHANGED, why=why, former=former)


def what_changed(former: KnownHook, content: HookContent) -> str:
    """The first file that differs, and how many more do; or why they were not read."""
    if content.limit:
        return content.limit
    if former.definition != content.definition:
        return f"the hook in {called(content.place)} is another one"
    before, after = ({file.path: file for file in files} for files in (former.files, content.files))
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    if not changed:
        return "the repository is another one"
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"{called(changed[0], is_approved=changed[0] in before)}{more}"
