const value = '(-?\\d{1,16}|"(?:[^"\\\\]|\\\\.){0,200}")'
/** At the beginning, where only `jsonrpc` may come before it; of a request, whose ids are the server's own, it is none. */
const first = new RegExp(
  `^\\s*\\{\\s*(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?"id"\\s*:\\s*${value}\\s*(?:\\}|,(?!\\s*"method"))`,
)
/** At the end: one brace after it is the message's own, so it is no member of something within. */
const last = new RegExp(`[,{]\\s*"id"\\s*:\\s*${value}\\s*\\}\\s*$`)

/**
 * The id of a message that can't be parsed, from its beginning and its end.
 *
 * @returns Undefined where it is somewhere between, or there is none.
 */
export function readId(head: string, tail = ''): string | number | undefined {
  const [, id] = first.exec(head) ?? last.exec(tail) ?? []
  return id === undefined ? undefined : (JSON.parse(id) as string | number)
}
