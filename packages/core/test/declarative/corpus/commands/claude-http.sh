claude mcp add --transport http notion https://mcp.notion.example/mcp
