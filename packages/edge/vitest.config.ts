import { defineConfig } from 'vitest/config'

// Most tests start a Worker of their own.
export default defineConfig({
  test: { name: 'edge', include: ['test/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 20_000 },
})
