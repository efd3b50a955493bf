$ claude mcp add --transport http secure https://api.example.com/mcp \
    --header "Authorization: Bearer $TOKEN" -H 'X-Team: we"ather' --scope project
