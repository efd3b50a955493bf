claude mcp add sentry https://mcp.sentry.example/mcp
