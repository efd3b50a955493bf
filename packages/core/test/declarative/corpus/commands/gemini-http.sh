gemini mcp add --scope user --transport http --header "Authorization: Bearer SECRET-token" spread https://spread.example/mcp
