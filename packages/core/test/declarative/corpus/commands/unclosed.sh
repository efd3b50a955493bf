claude mcp add a https://a.example/mcp -H "X-Key: SECRET
