import type { ContentBlock } from '../protocol.js'
import type { RestStore } from './rest-store.js'

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
  /** Estimated tokens of a whole result's texts; see `estimateTokens`. Default 50 000. Labels come on top. */
  resultTokens?: number
}

export interface ModelOutputOptions {
  /** The tool's and the server's name, for the error of a failed call. */
  tool?: string
  server?: string
  /** Default `keep`. `placeholder`: a line that says what was left out. `error`: throw. */
  audio?: 'keep' | 'placeholder' | 'error'
  /**
   * Told of each block that doesn't reach the model as it is. What it throws is thrown: so an app refuses a loss.
   *
   * @param loss.block - Its index in `content`; of structured content, one more than the last.
   * @param loss.handle - By which `rest` gives what was left out.
   */
  onLoss?(loss: { block: number; reason: string; handle?: string }): void
  /** What a result may take of a model's context. */
  budget?: ContentBudget
  /** Keeps what is left out, so that labels can name a handle for it. */
  rest?: RestStore
}

/** A block that a model is to see, and its index in `content`; structured content comes after the last. */
export interface BlockForModel {
  block: ContentBlock
  index: number
}
