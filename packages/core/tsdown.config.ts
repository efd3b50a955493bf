import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'client-entry': 'src/client-entry.ts',
    'in-process-port': 'src/in-process-port.ts',
    'ai-sdk': 'src/formats/ai-sdk.ts',
    declarative: 'src/declarative/index.ts',
    anthropic: 'src/formats/anthropic.ts',
    google: 'src/formats/google.ts',
    openai: 'src/formats/openai.ts',
    stdio: 'src/stdio.ts',
    testing: 'src/testing/index.ts',
  },
  format: 'esm',
  dts: true,
  platform: 'neutral',
  // jsonc-parser is bundled in: what Node resolves of it is a UMD file, which other bundlers break.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  deps: { neverBundle: [/^node:/] },
  target: 'es2022',
  sourcemap: true,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  logLevel: 'warn',
})
