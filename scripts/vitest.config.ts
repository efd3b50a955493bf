import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    name: 'scripts',
    include: ['test/**/*.test.mjs'],
    // Milliseconds; some start processes, on machines that have other things to do.
    testTimeout: 30_000,
  },
})
