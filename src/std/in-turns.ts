/** Long work cut into steps: each `yield` is a place where others may go first. */
export type Steps<Result> = Generator<undefined, Result>

/** How a clock is read, and how others are let by. */
export type Turns = {
  readonly now: () => number
  readonly letOthersBy: () => Promise<unknown>
  /** longest turn in the clock's unit, but for the step that overruns it */
  readonly turn: number
}

/** Works through the steps, and lets others by whenever a turn is over. */
export async function inTurns<Result>(steps: Steps<Result>, { now, letOthersBy, turn }: Turns): Promise<Result> {
  for (let since = now(); ; ) {
    const step = steps.next()
    if (step.done) return step.value
    if (now() - since < turn) continue
    await letOthersBy()
    since = now()
  }
}

/** Works through the steps at one go. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Items between two pauses: a few milliseconds of work. */
const ITEMS_AT_ONCE = 500

/** The same work on each, with pauses. */
export function* each<Item>(items: readonly Item[] | null, work: (item: Item) => void): Steps<void> {
  let left = ITEMS_AT_ONCE
  for (const item of items ?? []) {
    work(item)
    if (--left > 0) continue
    left = ITEMS_AT_ONCE
    yield
  }
}
