"""What a dialect can do. One module per client holds its profile; most clients need nothing more than that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from anyhook.dialects.files.reading import read_file
from anyhook.dialects.places import FileKind
from anyhook.dialects.plugin_form import Extensions, PluginForm
from anyhook.dialects.profile import Profile
from anyhook.model.document import Document
from anyhook.model.hooks import HookFile, Rule
from anyhook.model.origin import Scope


class Dialect(Protocol):
    """Reads and writes one client's hook files; :mod:`codec` and :mod:`answering` do payloads and answers."""

    @property
    def profile(self) -> Profile: ...

    @property
    def plugin_form(self) -> PluginForm | None:
        """How a package becomes a plugin of the client; None: not known."""

    @property
    def extensions(self) -> Extensions | None:
        """What it demands of extensions in the folder of those that are installed; None: there is no such folder."""

    def with_profile(self, profile: Profile) -> Dialect:
        """The same client with another profile: that of an earlier release."""

    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        """What the client makes of a file. Never raises, whatever the file holds."""

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        """The content of a hook file with these rules. Rules the client did not load are left out."""

    def schema(self) -> dict[str, Any]:
        """A JSON Schema of such a file, for editors."""

    def why_extension_is_lost(self, manifest: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        """Why the client passes over an installed extension that has what it needs; empty: it does not."""

    def why_extension_ends_it(self, manifest: Mapping[str, Any]) -> str:
        """Why the client does not start with an extension that has this manifest; empty: it does."""


class ProfiledDialect:
    """A dialect that is described completely by its profile."""

    def __init__(
        self, profile: Profile, *, plugin_form: PluginForm | None = None, extensions: Extensions | None = None
    ) -> None:
        self.profile, self.plugin_form, self.extensions = profile, plugin_form, extensions

    def with_profile(self, profile: Profile) -> ProfiledDialect:
        return type(self)(profile, plugin_form=self.plugin_form, extensions=self.extensions)

    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        return read_file(self.profile, document, kind, scope)

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        from anyhook.dialects.files.writing import write_rules  # a client waits for the import of this module

        return write_rules(self.profile, rules)

    def schema(self) -> dict[str, Any]:
        from anyhook.dialects.files.schema import json_schema

        return json_schema(self.profile)

    def why_extension_is_lost(self, manifest: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        return ""

    def why_extension_ends_it(self, manifest: Mapping[str, Any]) -> str:
        return ""
