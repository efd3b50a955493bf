/** Who may sign in. */
export const person = { name: 'ada', password: 'correct horse battery staple' } as const
