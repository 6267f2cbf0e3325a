"""The clients with their events and how many hooks each has."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Tree

from anyhook.editor.overview import Overview, hooks_by_event
from anyhook.project.resolve import ProjectClient
from anyhook.tui.hook_text import counted

Selected = tuple[ProjectClient, str] | None
"""What the tree selects: a client, and one of its events (empty: all)."""


class ClientTree(Tree[Selected]):
    def on_mount(self) -> None:
        self.guide_depth = 2

    def fill(self, overview: Overview, width: int) -> None:
        """Show these clients, in labels of this width."""
        self.clear()
        self.root.expand()
        self.root.set_label(counted("All clients", overview.written))
        for client in overview.clients:
            node = self.root.add(Text(client.title), data=(client, ""))
            node.expand()
            for event in hooks_by_event(client):
                node.add_leaf(Text(event), data=(client, event))
        self.label(overview, width)

    def label(self, overview: Overview, width: int) -> None:
        """Write the labels for this width."""
        for node in self.root.children:
            if node.data is None:
                continue
            client = node.data[0]
            label = counted(client.title, len(client.written), len(overview.problems_in(client)), width=width)
            if client.base != overview.roots.project:
                label.append(f" {overview.shown(client.base)}", "dim")
            node.set_label(label)
            for leaf, (event, hooks) in zip(node.children, hooks_by_event(client).items(), strict=True):
                leaf.set_label(counted(event, hooks, width=width))
