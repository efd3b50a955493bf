import { afterEach, expect, test, vi } from 'vitest'
import { launchOptions } from '../src/browser.js'

afterEach(() => void vi.unstubAllEnvs())

test('CHROME_PATH comes first', async () => {
  vi.stubEnv('CHROME_PATH', process.execPath)
  expect(await launchOptions()).toMatchObject({ executablePath: process.execPath })
})

test('a CHROME_PATH that names no file is told, not passed over', async () => {
  vi.stubEnv('CHROME_PATH', '/nowhere/chrome')
  await expect(launchOptions()).rejects.toThrow('CHROME_PATH names no file: /nowhere/chrome')
})

test('web security stays on', async () => {
  const { args } = await launchOptions()
  expect(args).not.toContain('--disable-web-security')
  expect(args).not.toContain('--single-process')
})
