codex mcp add context7 --env KEY=a=b -- npx -y @upstash/context7-mcp --env KEY
