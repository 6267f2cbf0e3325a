"""What the hooks know about commands. A file whose name starts with _ is a module that they import."""

import shlex


def first_words(command: object) -> list[str]:
    """The words of a command; none when the shell would not understand it either."""
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []


def push_without_force(command: object) -> str | None:
    """The same push with --force-with-lease; None when it is not a forced push."""
    words = first_words(command)
    if words[:2] != ["git", "push"] or not {"-f", "--force"} & set(words):
        return None
    return shlex.join("--force-with-lease" if word in ("-f", "--force") else word for word in words)
