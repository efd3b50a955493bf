import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'ai-sdk': 'src/ai-sdk.ts',
    anthropic: 'src/anthropic.ts',
    google: 'src/google.ts',
    openai: 'src/openai.ts',
  },
  format: 'esm',
  dts: true,
  platform: 'neutral',
  target: 'es2022',
  sourcemap: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  logLevel: 'warn',
})
