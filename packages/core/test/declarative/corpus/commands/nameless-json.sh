code --add-mcp '{"command":"SECRET"}'
