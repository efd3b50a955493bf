claude mcp add files -s user -e "ROOT=/a b" -- npx -y @modelcontextprotocol/server-filesystem ~/projects 'a b' c\ d "e\"f"
