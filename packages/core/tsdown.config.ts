import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'client-entry': 'src/client-entry.ts',
    'ai-sdk': 'src/formats/ai-sdk.ts',
    stdio: 'src/stdio.ts',
  },
  format: 'esm',
  dts: true,
  platform: 'neutral',
  deps: { neverBundle: [/^node:/] },
  target: 'es2022',
  sourcemap: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  logLevel: 'warn',
})
