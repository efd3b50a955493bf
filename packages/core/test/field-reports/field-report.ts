import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Era } from '../../src/protocol.js'
import { legacyServer, modernServer } from '../support/mcp-server.js'
import { failOnUnhandled } from '../support/no-unhandled.js'
import { rejection } from '../support/rejection.js'
import { startClock, stopClock } from './clock.js'
import { ourClient } from './our-client.js'
import { sdkClient } from './sdk-client.js'
import type { Connection, Subject } from './subject.js'
import { status } from './wire.js'

/** A fault that somebody met: see `field-reports/reports.md`. */
export interface FieldReport {
  id: string
  title: string
  cases: ReportCase[]
}

export interface ReportCase {
  name: string
  run(subject: Subject): Promise<void>
  /** The SDK's own transport has the fault: how the case fails for it. */
  sdkFails?: RegExp
  /** The one that is seen to fail; by default the SDK of today. */
  sdk?: Subject
}

export type MakeServer = typeof legacyServer

/** A legacy server without a GET stream: to answer a GET in any other way is a report of its own. */
export const plainLegacyServer: MakeServer = (own) => legacyServer({ GET: () => status(405), ...own })

/** How the SDK fails, in both eras or in one. */
export type SdkFails = RegExp | Partial<Record<Era, RegExp>>

/** The same case with a server of each era. */
export function inBothEras(
  name: string,
  run: (subject: Subject, server: MakeServer, era: Era) => Promise<void>,
  sdkFails: SdkFails = {},
): ReportCase[] {
  return (['modern', 'legacy'] as const).map((era) => {
    const fails = sdkFails instanceof RegExp ? sdkFails : sdkFails[era]
    return {
      name: `${era}: ${name}`,
      run: (subject) => run(subject, era === 'modern' ? modernServer : plainLegacyServer, era),
      ...(fails && { sdkFails: fails }),
    }
  })
}

/** Tests our client with each case, and sees the SDK's transport fail where the table says so. */
export function testFieldReports(reports: FieldReport[]): void {
  failOnUnhandled()
  const open: Connection[] = []
  const closing = (subject: Subject): Subject => ({
    async connect(...args) {
      const connection = await subject.connect(...args)
      open.push(connection)
      return connection
    },
  })
  beforeEach(stopClock)
  afterEach(() => {
    // Nobody waits for it: a case that failed may have left a server that never answers.
    for (const connection of open.splice(0)) connection.close().catch(() => {})
    startClock()
  })

  for (const { id, title, cases } of reports) {
    // Not by `describe.each`, which shortens a title.
    describe(`${id} ${title}`, () => {
      for (const { name, run, sdkFails, sdk = sdkClient } of cases) {
        test(name, () => run(closing(ourClient)))
        if (!sdkFails) continue
        test(`${name}: the SDK’s transport fails it`, async () => {
          const failure = await rejection(run(closing(sdk)))
          expect((failure as Error).message).toMatch(sdkFails)
        })
      }
    })
  }
}
