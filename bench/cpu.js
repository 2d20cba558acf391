import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Linux counts process time in hundredths of a second (proc(5), USER_HZ). */
const TICKS_PER_SECOND = 100

/** @param {number} pid */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return {
      name,
      parent: Number(fields[1]),
      own: Number(fields[11]) + Number(fields[12]),
      waitedFor: Number(fields[13]) + Number(fields[14]),
    }
  } catch {
    return null
  }
}

/** Whether this system tells what its processes cost. */
export const canMeasureCpu = () => statOf(process.pid) !== null

/** @param {number} pid */
function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => statOf(candidate)?.parent === pid)
}

/**
 * The database server that a service started: its child, whose own children are the connections.
 * @param {number} servicePid
 */
export const databaseOf = (servicePid) => childrenOf(servicePid).find((pid) => statOf(pid)?.name.startsWith('postgres')) ?? null

/**
 * Seconds of processor time that a process has used, alone or with its children, the ended ones included.
 * @param {number} pid
 * @param {{ withChildren: boolean }} options
 * @returns {number}
 */
export function cpuSeconds(pid, { withChildren }) {
  const stat = statOf(pid)
  if (!stat) return 0
  let ticks = stat.own
  if (withChildren) {
    ticks += stat.waitedFor
    for (const child of childrenOf(pid)) {
      const below = statOf(child)
      ticks += below ? below.own + below.waitedFor : 0
    }
  }
  return ticks / TICKS_PER_SECOND
}

/**
 * The most memory a process has held since {@link forgetPeak}, in MiB (proc(5), VmHWM). null where the system does not tell.
 * @param {number} pid
 */
export function peakMiB(pid) {
  try {
    const kib = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return kib === undefined ? null : Number(kib) / 1024
  } catch {
    return null
  }
}

/** Sets the peak to what is held now (proc(5), clear_refs). @param {number} pid */
export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // not every system lets; then the peak is that of the process's life
  }
}
