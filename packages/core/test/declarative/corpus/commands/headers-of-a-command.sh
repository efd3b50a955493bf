claude mcp add a -H "X-Key: SECRET" -- b
