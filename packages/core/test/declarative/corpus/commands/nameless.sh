claude mcp add --transport http
