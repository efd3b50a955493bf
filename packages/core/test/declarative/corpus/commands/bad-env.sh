claude mcp add a -e SECRET -- b
