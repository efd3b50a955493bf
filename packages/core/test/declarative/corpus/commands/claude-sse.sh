claude mcp add --transport=sse asana https://mcp.asana.example/sse # the old transport
