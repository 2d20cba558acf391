/** The loop has slept if nothing was looked at for so long. */
const SLEPT_MS = 0.1

/**
 * When an answer has arrived, which is before it is read if the loop was busy with others: in between it was not there when the loop looked the
 * last time, and is there now. Milliseconds of `performance.now()`.
 */
export class ArrivalClock {
  /** when the loop began to look at what had come, last time and this time */
  private before = 0
  private current = 0
  private endedAt = 0
  private isWithin = false

  /** Something is looked at. */
  notice(now: number): void {
    if (this.isWithin) return
    this.isWithin = true
    this.before = this.current
    this.current = now
    setImmediate(() => {
      this.isWithin = false
      this.endedAt = performance.now()
    })
  }

  /** @param now when it is read */
  arrival(now: number): number {
    this.notice(now)
    return this.current - this.endedAt > SLEPT_MS ? this.current : (this.before + this.current) / 2
  }
}
