"""Decides about shell commands by JSON: deny, ask, stop, or another command in place of the one that was asked for."""

import json
import sys


def decide(command: str) -> dict[str, object] | None:
    if "rm -rf /" in command:
        return {"permissionDecision": "deny", "permissionDecisionReason": "rm -rf / is never right"}
    if "deploy" in command:
        return {"permissionDecision": "ask", "permissionDecisionReason": "a deployment needs a person"}
    if command.startswith("npm install"):
        return {"permissionDecision": "allow", "updatedInput": {"command": command.replace("install", "ci", 1)}}
    return None


def main() -> None:
    event = json.load(sys.stdin)
    tool_input = event.get("toolInput") or event.get("tool_input") or {}
    command = str(tool_input.get("command", ""))
    if command.startswith("shutdown"):
        json.dump({"continue": False, "stopReason": "the machine stays on"}, sys.stdout)
    elif answer := decide(command):
        json.dump({"hookSpecificOutput": {"hookEventName": "pre-tool-use", **answer}}, sys.stdout)


main()
