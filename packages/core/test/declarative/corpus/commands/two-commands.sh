claude mcp add a https://a.example/mcp

claude mcp add b SECRET
