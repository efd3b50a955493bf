claude mcp add 'https://me:SECRET@mcp.example/mcp?token=SECRET'
