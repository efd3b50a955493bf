import { defineConfig } from '@playwright/test'
import { launchOptions } from '@x/testkit/browser'

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  reporter: [['list'], ['json', { outputFile: '../.cache/results/e2e.json' }]],
  projects: [{ name: 'chromium', use: { browserName: 'chromium', launchOptions: await launchOptions() } }],
})
