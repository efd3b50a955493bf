import type { Era, ProtocolVersion } from '@x/core'
import type { Outcome } from '@x/testkit/faulty'

/** A client under test. */
export interface Subject {
  connect(options: SubjectOptions): Promise<SubjectConnection>
}

export interface SubjectOptions {
  url: string
  era: Era
  fetch: typeof fetch
  setTimer(ms: number, run: () => void): () => void
}

export interface SubjectConnection {
  /** Calls the tool with a deadline, and with an ear for progress. Never rejects. */
  call(key: string): Promise<SubjectOutcome>
  close(): Promise<void>
}

/** What the caller got; an error may be of any kind. */
export type SubjectOutcome = Outcome | { code: string; outcome: string | undefined; reason?: string; message: string }

/** The revision that stands for an era. */
export const revisions = { modern: '2026-07-28', legacy: '2025-11-25' } as const satisfies Record<Era, ProtocolVersion>

/** Milliseconds of a call's deadline; longer than any limit of a client's own. */
export const deadlineMs = 777_777
