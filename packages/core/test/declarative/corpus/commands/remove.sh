claude mcp remove notion
