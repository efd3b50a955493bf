npx @anthropic-ai/claude-code mcp add name -- node server.js
