claude mcp add --transport http --client-id my-client --client-secret --callback-port 8080 notes https://notes.example/mcp
