import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { name: 'corpus', include: ['test/**/*.test.ts'], testTimeout: 30_000 } })
