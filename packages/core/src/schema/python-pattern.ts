/** What a JavaScript pattern has that Python's `re` has not, or that OpenAI's constrained models refuse. */
const foreign = [
  // Looking around.
  /\(\?<?[=!]/,
  // Groups with names, written `(?P<name>` there, and references to them.
  /\(\?</,
  /\\k/,
  // Properties of characters, and code points in braces.
  /\\[pP]/,
  /\\u\{/,
  // Sets that are empty, or anything.
  /\[\^?\]/,
  // Letters that mean nothing there when escaped.
  /\\[^dDwWsSbBfnrtvxu0-9\W_]/,
]

/**
 * Whether a pattern means the same to JavaScript and Python, and looks nowhere around. Said of the text, not of its
 * grammar: a doubtful one is none.
 *
 * @see {@link https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas}
 */
export const isPythonPattern = (pattern: string): boolean => {
  const text = pattern.replaceAll('\\\\', '')
  return !foreign.some((sign) => sign.test(text))
}
