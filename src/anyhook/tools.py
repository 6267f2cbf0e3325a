"""What a host's tools are, for ``engine.session(tools={"shell": Shell(command="cmd")})``."""

from anyhook.engine.session.host_tools import Edit, Fetch, HostTool, Mcp, Read, Search, Shell, Write

__all__ = ["HostTool", "Shell", "Read", "Write", "Edit", "Search", "Fetch", "Mcp"]
