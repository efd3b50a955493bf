import { expect, test } from 'vitest'
import { reason } from '../install.mjs'

// As npm 11 and pnpm 10 wrote them.
const noRegistry = `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to https://registry.invalid/pnpm failed, reason: getaddrinfo ENOTFOUND registry.invalid
npm error network This is a problem related to network connectivity.
npm error network
npm error network If you are behind a proxy, please make sure that the 'proxy' config is set properly.
npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log
`
const staleLockfile = `Scope: all 6 workspace projects
 ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date
Note that in CI environments this setting is true by default.
`
const fullDisk = `Progress: resolved 1, reused 0, downloaded 0, added 0
 ERR_PNPM_ENOSPC  ENOSPC: no space left on device, write
`

test('a registry that cannot be reached is told as that, with what happened', () => {
  expect(reason(noRegistry)).toBe(
    'the package registry cannot be reached: request to https://registry.invalid/pnpm failed, reason: getaddrinfo ENOTFOUND registry.invalid',
  )
})

test("the package manager's own error is told", () => {
  expect(reason(staleLockfile)).toMatch(/^ERR_PNPM_OUTDATED_LOCKFILE .*not up to date$/)
})

test('a full disk is told as that', () => {
  expect(reason(fullDisk)).toMatch(/^no space is left on the disk of /)
})

test.each([noRegistry, staleLockfile, fullDisk, ''])('it is one line', (output) => {
  expect(reason(output)).toMatch(/^.+$/)
})
