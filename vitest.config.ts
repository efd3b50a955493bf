import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      'packages/*/vitest.config.ts',
      'apps/*/vitest.config.ts',
      'examples/*/vitest.config.ts',
      'scripts/vitest.config.ts',
      'corpus/vitest.config.ts',
      'conformance/vitest.config.ts',
      'interop/vitest.config.ts',
      'oauth/vitest.config.ts',
    ],
  },
})
