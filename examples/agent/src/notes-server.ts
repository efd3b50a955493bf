import { appendFile, readFile } from 'node:fs/promises'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const file = process.env.NOTES_FILE
if (!file) throw new Error('NOTES_FILE must name the file of the notes')

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

// A local server: it is started by a command, and may write to one file.
serveStdio(() => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' })
  server.registerTool(
    'append_note',
    { description: 'Adds a line to the notes.', inputSchema: z.object({ text: z.string() }) },
    async (note) => {
      await appendFile(file, `${note.text}\n`)
      return text(`Noted: ${note.text}`)
    },
  )
  server.registerTool('read_notes', { description: 'The notes so far.', inputSchema: z.object({}) }, async () =>
    text(await readFile(file, 'utf8').catch(() => '')),
  )
  return server
})
