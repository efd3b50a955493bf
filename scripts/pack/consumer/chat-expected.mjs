/**
 * What `chat` sees. A modern call asks in a round of its own, which is the reply that is cut, before its tool has gone on; a tool
 * has been begun twice all the same.
 */
export const expected = ['modern', 'legacy'].map((era) => [
  era,
  era,
  'Hello, Ada',
  'ERR_MCP_OUTCOME_UNKNOWN unknown',
  'wave',
  2,
])
