/**
 * What of a result a model is shown at most. What is beyond is replaced by a label, which says what it was and how large.
 * Each is a number >= 0, `Infinity` for no limit.
 */
export interface ContentBudget {
  /** Bytes of one image, sound or other binary block, which is shown whole or not at all. Default 10 485 760 (10 MiB). */
  blockBytes?: number
  /** Bytes of one text as UTF-8, which is cut between characters. Default 262 144 (256 KiB). */
  textBytes?: number
  /** Bytes of a whole result, binary and text. Default 20 971 520 (20 MiB). */
  resultBytes?: number
  /** Estimated tokens of a whole result's texts; see `estimateTokens`. Default 50 000. */
  resultTokens?: number
}
