/** Both servers read the time here: tokens expire when a test says so, not when it has waited. */
const { now } = Date
let aheadMs = 0

export function moveClock(seconds: number): void {
  aheadMs += seconds * 1_000
  Date.now = () => now() + aheadMs
}
