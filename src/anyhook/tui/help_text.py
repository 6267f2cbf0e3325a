"""The help screen."""

HELP = (
    ("Tab         from the clients to the hooks and back; or the mouse", ""),
    ("Enter       all about the hook", ""),
    ("a           add a hook, question by question", ""),
    ("e           open the hook's file in $VISUAL or $EDITOR, at its line", ""),
    ("d           disable the hook, or enable it again", ""),
    ("x, Delete   delete the hook", ""),
    ("f           fire a sample event (runs the hooks), see the trace", ""),
    ("t           run the test cases of the hook", ""),
    ("p           problems; Enter: page of the rule, e: editor", ""),
    ("/           search; Esc leaves the search", ""),
    ("u           undo the last write; again: the one before", ""),
    ("r           read the files again", ""),
    ("?, F1       this help", ""),
    ("q, Ctrl-C   quit", ""),
    ("Every change is shown before it is written. The rest of the file stays.", ""),
    ("!2: two problems. A limit in brackets is the client's default.", ""),
    ("Last fired: from the journal, which has the runs through anyhook.", ""),
)
"""Text and style, a line each."""
