claude mcp add lonely
