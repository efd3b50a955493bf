import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'client-entry': 'src/client-entry.ts',
    'in-process-port': 'src/in-process-port.ts',
    'ai-sdk': 'src/formats/ai-sdk.ts',
    anthropic: 'src/formats/anthropic.ts',
    google: 'src/formats/google.ts',
    openai: 'src/formats/openai.ts',
  },
  format: 'esm',
  dts: true,
  platform: 'neutral',
  target: 'es2022',
  sourcemap: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  logLevel: 'warn',
})
