claude mcp add --colour=SECRET a b
