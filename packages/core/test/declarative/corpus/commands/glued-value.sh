claude mcp add -pSECRET a b
