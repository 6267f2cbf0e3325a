"""What the agent's shell commands may do."""

from _shell import first_words, push_without_force

from anyhook import PreToolUse, Reply, ask, deny, hook, rewrite


@hook("PreToolUse", matcher="Bash", timeout=5)
def guard(event: PreToolUse) -> Reply | None:
    """No rm -rf, and no deployment without a person."""
    words = first_words(event.command)
    if words[:2] == ["rm", "-rf"]:
        return deny("The guard does not allow rm -rf.")
    if words[:1] == ["deploy"]:
        return ask("Deploy now?")
    return None


@hook("PreToolUse", matcher="Bash", timeout=5)
def careful_push(event: PreToolUse) -> Reply | None:
    """A forced push becomes one that does not overwrite the work of others."""
    command = push_without_force(event.command)
    return rewrite({**event.tool_input.value, "command": command}) if command else None
