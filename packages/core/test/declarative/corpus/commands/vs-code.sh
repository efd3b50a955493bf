code --add-mcp '{"name":"my-server","command":"uvx","args":["mcp-server-fetch"]}'
