codex mcp add tool my-server --env A=1 -t x
