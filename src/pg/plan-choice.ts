/** What takes less is not worth a plan each time. */
export const WORTH_PLANNING_MS = 5
/** A plan for any values is given up when what it plans takes so many times as long as with plans for its values. */
const MUCH_WORSE = 3
/** Plans for the values have to stay so much better than it was. */
const BETTER = 2
/** How often the plan for any values has to have been looked at. */
const ENOUGH = 3
/** So often values are planned for, to see whether it was the plan or the values. */
const TRIAL = 16
/** If it was not the plan, so many more are left to it. */
const REST = 500
/** After so many plans for values the other one is looked at again: tables change, and so does what else a machine does. */
const RECONSIDERED = 1_000
const NEWEST_WEIGHS = 1 / 4
const SHORTEST_MS = 0.01

/**
 * Whether a statement is better planned for its values each time. PostgreSQL plans a prepared one for its values five times, and from then on for any values if that looks
 * as cheap by its estimates (manual, PREPARE), which know of columns what they hold on average: where one tenant has nine tenths of a table, reading his rows by
 * the plan that is right for everybody else's takes many times as long. Estimates cannot tell; times can.
 */
export class PlanChoice {
  /** the statement is to be planned for its values each time */
  isAnew = false
  /** logarithms of milliseconds, so that one that waited for something weighs no more than others */
  private forValues: number
  private forAny: number | null = null
  private timesForAny = 0
  private timesAnew = 0

  /** @param quickMs what it took lately, planned for its values */
  constructor(quickMs: number) {
    this.forValues = Math.log(Math.max(quickMs, SHORTEST_MS))
  }

  /** @param isForAny whether PostgreSQL may have used a plan for any values */
  note(ms: number, isForAny: boolean): void {
    const now = Math.log(Math.max(ms, SHORTEST_MS))
    if (isForAny) {
      this.forAny = nearer(this.forAny ?? now, now)
      this.timesForAny++
      if (this.timesForAny >= ENOUGH && this.isWorse(MUCH_WORSE)) this.planAnew()
    } else {
      this.forValues = nearer(this.forValues, now)
      if (!this.isAnew) return
      this.timesAnew++
      if (this.timesAnew === TRIAL && !this.isWorse(BETTER)) this.leaveTo(REST)
      if (this.timesAnew === RECONSIDERED) this.leaveTo(0)
    }
  }

  private planAnew(): void {
    this.isAnew = true
    this.timesAnew = 0
  }

  private leaveTo(rest: number): void {
    this.isAnew = false
    this.forAny = null
    this.timesForAny = -rest
  }

  private isWorse(times: number): boolean {
    return this.forAny !== null && this.forAny > Math.log(WORTH_PLANNING_MS) && this.forAny - this.forValues > Math.log(times)
  }
}

const nearer = (mean: number, now: number): number => mean + (now - mean) * NEWEST_WEIGHS
