codex mcp add figma --url https://mcp.figma.example/mcp --bearer-token-env-var TOKEN
