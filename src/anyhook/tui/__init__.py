"""The full-screen program of ``anyhook hooks``, on Textual: screens only. What they show and do is anyhook.editor's."""
