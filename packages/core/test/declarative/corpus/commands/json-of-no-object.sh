code --add-mcp '["SECRET"]'
