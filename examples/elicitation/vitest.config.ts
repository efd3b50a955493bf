import { defineConfig } from 'vitest/config'

// Milliseconds; it starts processes, on machines that have other things to do.
export default defineConfig({
  test: { name: 'example-elicitation', include: ['test/**/*.test.ts'], testTimeout: 60_000 },
})
