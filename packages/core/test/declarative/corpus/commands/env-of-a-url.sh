claude mcp add a -e KEY=SECRET https://a.example/mcp
