import { equal, includes, ok, rejection } from '../expect.js'
import { skillFiles } from '../skill-files.js'
import { type Promises, pluck } from './reading.js'

export const skills = {
  async 'every skill is listed, whatever the pages'({ connect }) {
    const client = await connect()
    const listed = await client.listSkills()
    equal(pluck(listed, 'uri'), ['skill://greeting/SKILL.md', 'skill://forged/SKILL.md'], 'skills')
    const frontmatter = { name: 'greeting', description: 'Greets people as they like it.' }
    includes(listed[0]?.frontmatter, frontmatter, 'frontmatter')
  },

  async 'each file of a skill is read and found to be what the skill says'({ connect }) {
    const client = await connect()
    const [greeting] = await client.listSkills()
    ok(greeting, 'there is no skill')
    for (const [path, content] of Object.entries(skillFiles.greeting!)) {
      const file = await client.readSkill(greeting, path)
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      equal(file.bytes, bytes, `${path}: bytes`)
      equal([file.verified, file.text], [true, typeof content === 'string' ? content : undefined], path)
    }
  },

  async 'a file that is not what the skill says is refused'({ connect, api }) {
    const client = await connect()
    const forged = (await client.listSkills()).at(-1)
    ok(forged, 'there is no skill')
    const error = await rejection(client.readSkill(forged), 'the file')
    ok(api.McpError.is(error), `rejected with ${error}`)
    ok(error.message.includes('digest'), `its message does not say what is wrong: ${error.message}`)
  },
} satisfies Promises
