"""What the agent should know about the project."""

import asyncio

from anyhook import Reply, SessionStart, Stop, context, deny, environment, hook


@hook("SessionStart")
async def branch(event: SessionStart) -> Reply | None:
    """Tell the agent which branch it is on."""
    git = await asyncio.create_subprocess_exec(
        "git", "branch", "--show-current",
        cwd=environment()["PACKAGE_ROOT"], stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    out, _ = await git.communicate()
    return context(f"You are on the branch {out.decode().strip()}.") if git.returncode == 0 else None


@hook("Stop")
def tests_first(event: Stop) -> Reply | None:
    """Keep the agent going once, until it has run the tests."""
    said = event.last_assistant_message
    if event.stop_hook_active or (isinstance(said, str) and "tests pass" in said):
        return None
    return deny("Run the tests, and say that the tests pass.")
