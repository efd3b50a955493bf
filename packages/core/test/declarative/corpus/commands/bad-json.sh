claude mcp add-json a '{"command": SECRET}'
