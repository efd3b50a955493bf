import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The command lines of the processes that have all of these texts in theirs, by the system's own table; none that has ended. */
export function processesWith(...texts: string[]): string[] {
  const all = process.platform === 'linux' ? fromProc() : fromPs()
  return all.filter((line) => texts.every((text) => line.includes(text)))
}

/** Small systems have no `ps`. */
function fromProc(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        // Of one that has ended and waits for its parent there is no command line.
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        return line ? [`${pid} ${line}`] : []
      } catch {
        // It ended while the table was read.
        return []
      }
    })
}

function fromPs(): string[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
    .split('\n')
    .filter((line) => !/^\s*\d+\s+Z/.test(line))
}
