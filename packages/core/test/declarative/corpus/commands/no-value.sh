claude mcp add a https://a.example/mcp --header
