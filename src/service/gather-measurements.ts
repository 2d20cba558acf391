import { addUp, countedOf, gaugesOf, type Measurements, NOTHING_MEASURED, type Share } from '../observe/measurements.ts'
import type { Milliseconds } from '../std/brand.ts'

/** A process whose numbers are asked for. */
export type Measured = {
  /** rejects when it cannot be asked; may take for ever */
  readonly measure: () => Promise<Measurements>
}

export type Gathering = {
  /** what a process told without being asked */
  readonly note: (process: Measured, told: Measurements) => void
  /** the process is gone; what it counted stays */
  readonly left: (process: Measured) => void
  /** asks all at once; one that does not tell in time is there with what it had counted before, and without what changes */
  readonly read: (processes: readonly Measured[]) => Promise<Measurements>
}

/**
 * The numbers of several processes as one. What was counted never goes back, whoever leaves, is killed or says nothing: a sum that fell would be
 * taken for a start from zero, and everything counted before for new.
 * @param own counted by whoever gathers
 */
export function gatherMeasurements(own: () => Measurements, limitMs: Milliseconds): Gathering {
  let departed = NOTHING_MEASURED
  const counted = new Map<Measured, Measurements>()
  const note = (process: Measured, told: Measurements) => {
    const { samples, distributions } = countedOf(told)
    // a last word lacks what has to be read, like the time on the processor
    counted.set(process, { samples: { ...counted.get(process)?.samples, ...samples }, distributions })
  }

  return {
    note,
    left: (process) => {
      const last = counted.get(process)
      counted.delete(process)
      if (last) departed = addUp([nameless(departed), nameless(last)])
    },
    read: async (processes) => {
      const told = await Promise.all(processes.map((process) => inTime(process.measure(), limitMs)))
      const gauges: Share[] = []
      told.forEach((measured, i) => {
        const process = processes[i]
        if (measured === null || !process) return
        note(process, measured)
        gauges.push({ process: String(i + 1), measured: gaugesOf(measured) })
      })
      const missing = processes.length - gauges.length
      const silence: Measurements = {
        samples: {
          processes: [{ labels: ['no'], value: missing }],
          ...(missing > 0 && { ready: [{ labels: [], value: 0 }] }),
        },
        distributions: {},
      }
      return addUp([...[own(), departed, ...counted.values(), silence].map(nameless), ...gauges])
    },
  }
}

/** Nothing in it is told of each process by itself. */
const nameless = (measured: Measurements): Share => ({ process: '', measured })

/** null: it did not tell, or not in time */
function inTime(measuring: Promise<Measurements>, limitMs: Milliseconds): Promise<Measurements | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(null), limitMs)
    measuring.then(resolve, () => resolve(null)).finally(() => clearTimeout(late))
  })
}
