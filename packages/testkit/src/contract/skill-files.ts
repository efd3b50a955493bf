/** The files of each of the server's skills, by the skill's name and then by path. */

const manifest = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nSee references/GUIDE.md.\n`

export const skillFiles: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  greeting: {
    'SKILL.md': manifest('greeting', 'Greets people as they like it.'),
    'references/GUIDE.md': 'Say “grüß Gott” or 你好.\n',
    'assets/wave.bin': Uint8Array.from({ length: 256 }, (_, index) => index),
  },
  forged: { 'SKILL.md': manifest('forged', 'Is not what it says.') },
}
