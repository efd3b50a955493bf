import { randomUUID } from 'node:crypto'
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const table = z.object({
  guests: z.int().min(1).max(12).default(2).meta({ title: 'Guests' }),
  day: z.iso.date().meta({ title: 'Day' }),
})

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** Deposits, by a number that nobody can guess, and whether they are paid. */
export type Deposits = Map<string, 'asked' | 'paid'>

/**
 * A server whose tools have questions for the person. A tool that asks returns its questions, and is called again with the answers;
 * for earlier revisions the SDK makes requests of them.
 *
 * @param publicUrl - Where a browser reaches this server; https.
 */
export function createBookingServer(deposits: Deposits, publicUrl: string): McpServer {
  const server = new McpServer({ name: 'booking', version: '1.0.0' })

  server.registerTool(
    'book_table',
    { description: 'Books a table, and asks for how many and when.', inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'table')
      if (answer.kind !== 'elicit') {
        const question = inputRequired.elicit({ message: 'For how many, and when?', requestedSchema: table })
        return inputRequired({ inputRequests: { table: question } })
      }
      if (answer.action !== 'accept') return text('Nothing was booked.')
      // It comes from the client, whatever was asked for.
      const { success, data } = table.safeParse(answer.content)
      if (!success) return { ...text('The answer does not fit the form.'), isError: true }
      return text(`Booked: a table for ${data.guests} on ${data.day}.`)
    },
  )

  server.registerTool(
    'pay_deposit',
    {
      description: 'Takes a deposit, on a page of its own: no card number passes the client.',
      inputSchema: z.object({}),
    },
    async (_args, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'page')
      if (answer.kind !== 'elicit') {
        const deposit = randomUUID()
        deposits.set(deposit, 'asked')
        const page = inputRequired.elicitUrl({
          message: 'Please pay the deposit of 20 €.',
          url: `${publicUrl}/deposits/${deposit}`,
        })
        return inputRequired({ inputRequests: { page }, requestState: deposit })
      }
      if (answer.action !== 'accept') return text('No deposit was paid.')
      // That the person went there says nothing of what they did there.
      const isPaid = deposits.get(String(mcpReq.requestState())) === 'paid'
      return text(isPaid ? 'Thank you, the deposit is paid.' : 'The deposit has not been paid yet.')
    },
  )
  return server
}
