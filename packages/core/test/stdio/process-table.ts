import { execFileSync } from 'node:child_process'

/** The processes whose command line has this text, by the system's own table. */
export function processesWith(text: string): string[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
    .split('\n')
    .filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line))
}
