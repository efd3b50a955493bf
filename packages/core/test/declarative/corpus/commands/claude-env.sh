claude mcp add --transport stdio --env AIRTABLE_API_KEY=SECRET-a B=2 airtable \
  -- npx -y airtable-mcp-server --env X=1
