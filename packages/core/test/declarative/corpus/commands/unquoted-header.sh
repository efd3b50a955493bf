claude mcp add --transport http --header X-Key: SECRET name https://a.example/mcp
