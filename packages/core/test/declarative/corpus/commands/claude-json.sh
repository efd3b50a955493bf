claude mcp add-json weather '{"type":"http","url":"https://api.weather.example/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}}'
