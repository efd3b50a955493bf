import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { name: 'playground', include: ['test/**/*.test.{ts,tsx}'] } })
