claude mcp add --key:SECRET a b
