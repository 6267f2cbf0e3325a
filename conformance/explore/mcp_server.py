"""An MCP server on stdio with one tool, ``ask``: it asks the user through the client and says what the user did."""

import json
import sys
from collections.abc import Iterator
from typing import Any

ABOUT = {"type": "object", "properties": {"about": {"type": "string"}}}
TOOL = {"name": "ask", "description": "Asks the user.", "inputSchema": ABOUT}
FORM = {"type": "object", "properties": {"name": {"type": "string"}}}


def answers(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the client is sent for one of its messages."""
    given, name = request.get("params") or {}, request.get("id")
    match request.get("method"):
        case "initialize":
            version = given.get("protocolVersion", "2025-06-18")
            server = {"name": "asking", "version": "1"}
            result: Any = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            result = {"tools": [TOOL]}
        case "tools/call":
            about = given.get("arguments", {}).get("about", "")
            yield {
                "id": f"asked {about}",
                "method": "elicitation/create",
                "params": {"message": f"about {about}", "requestedSchema": FORM},
            }
            reply = json.loads(sys.stdin.readline()).get("result", {})
            text = f"about {about}: {reply.get('action')}"
            result = {"content": [{"type": "text", "text": text}]}
        case _:
            result = {}
    if name is not None:
        yield {"id": name, "result": result}


if __name__ == "__main__":
    for line in sys.stdin:
        for answer in answers(json.loads(line)):
            print(json.dumps({"jsonrpc": "2.0", **answer}), flush=True)
