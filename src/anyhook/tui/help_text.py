"""The help screen."""

from rich.text import Text

_KEYS = {
    "Tab": "from the clients to the hooks and back; or the mouse",
    "Enter": "all about the hook",
    "a": "add a hook, question by question",
    "e": "open the hook's file in $VISUAL or $EDITOR, at its line",
    "d": "disable the hook, or enable it again",
    "x, Delete": "delete the hook",
    "f": "fire a sample event (runs the hooks), see the trace",
    "t": "run the test cases of the hook",
    "p": "problems; Enter: page of the rule, e: editor",
    "/": "search; Esc leaves the search",
    "u": "undo the last write; again: the one before",
    "r": "read the files again",
    "?, F1": "this help",
    "q, Ctrl-C": "quit",
}
_NOTES = (
    "",
    "Every change is shown before it is written. The rest of the file stays.",
    "In the tree, 4 !2: four hooks, two problems. (60s): the default limit.",
    "Last fired: from the journal, which has the runs through anyhook.",
)
HELP = (*(Text.assemble((f"{key:<12}", "bold"), text) for key, text in _KEYS.items()), *map(Text, _NOTES))
"""A line each."""
