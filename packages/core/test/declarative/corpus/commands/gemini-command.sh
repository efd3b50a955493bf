gemini mcp add -e API_KEY=$API_KEY --timeout 5000 --trust --include-tools a,b --description "Mine" python-server python server.py --port 8080
