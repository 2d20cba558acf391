import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** Where even this is not enough, something else is wrong. */
const MOST = 8

/**
 * How many times as long as alone something may take now: on a machine whose processors others want too everybody waits for a turn, and that says
 * nothing about who is timed. 1 on a machine of one's own. What counts is the larger of the last minute's load and that of this moment, which
 * Linux tells (proc_loadavg(5)).
 */
export function crowd(): number {
  const wanting = Math.max(loadavg()[0] ?? 0, runnable())
  return Math.min(MOST, Math.max(1, wanting / availableParallelism()))
}

function runnable(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').split(' ')[3]?.split('/')[0] ?? 0)
  } catch {
    return 0
  }
}
