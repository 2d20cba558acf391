import { LRUCache } from 'lru-cache'
import { PlanChoice, WORTH_PLANNING_MS } from './plan-choice.ts'
import { isQuestion, type ScopedBatch } from './scoped-batch.ts'

/** What the newest time of a statement weighs. A long one may be another's doing: a processor that was not free, a plan made anew. */
const WEIGHT_OF_SHORTER = 1 / 2
const WEIGHT_OF_LONGER = 1 / 16
const MOST_STATEMENTS = 4_096
/** Saying who asks, and nothing else. */
const PREAMBLE_MS = 0.05

/** Longer than lately by so much: a plan may be to blame. */
const SUSPICIOUS = 2

type Known = { ms: number; choice: PlanChoice | null }

/**
 * How long batches that only ask have taken lately, by the texts of their statements and what they are about. Milliseconds on one connection, from the moment it
 * was theirs alone until their answer was complete.
 */
export class Pace {
  private readonly byText = new LRUCache<string, Known>({ max: MOST_STATEMENTS, dispose: (_, key) => this.anew.delete(key) })
  /** which of them are planned for their values each time */
  private readonly anew = new Set<string>()
  /** a text is looked up by the hash it has once and for all; one of which it is a part would be hashed anew each time */
  private readonly numbers = new LRUCache<string, number>({ max: MOST_STATEMENTS })
  private lastNumber = 0

  /** null: not known, or not to be told beforehand since it writes */
  expected(batch: ScopedBatch): number | null {
    if (!isQuestion(batch)) return null
    let sum = PREAMBLE_MS
    for (const { text } of batch.statements) {
      const known = this.byText.get(this.likeness(batch, text))
      if (!known) return null
      sum += known.ms
    }
    return sum
  }

  /** Whether a statement of the batch takes so much longer by a plan for any values that it is to be planned for its own. */
  plansAnew(batch: ScopedBatch, text: string): boolean {
    return this.anew.size > 0 && this.anew.has(this.likeness(batch, text))
  }

  /** @param isForAny whether PostgreSQL may have planned for any values */
  note(batch: ScopedBatch, ms: number, isForAny: boolean): void {
    if (!isQuestion(batch)) return
    const each = ms / batch.statements.length
    for (const { text } of batch.statements) {
      const key = this.likeness(batch, text)
      const known = this.byText.get(key)
      if (known) {
        this.choosePlan(key, known, each, isForAny)
        known.ms += (each - known.ms) * (each < known.ms ? WEIGHT_OF_SHORTER : WEIGHT_OF_LONGER)
      } else this.byText.set(key, { ms: each, choice: null })
    }
  }

  private choosePlan(key: string, known: Known, ms: number, isForAny: boolean): void {
    if (isForAny && ms > WORTH_PLANNING_MS && ms > known.ms * SUSPICIOUS) known.choice ??= new PlanChoice(known.ms)
    if (!known.choice) return
    known.choice.note(ms, isForAny)
    if (known.choice.isAnew) this.anew.add(key)
    else this.anew.delete(key)
  }

  private likeness({ as, about }: ScopedBatch, text: string): string {
    if (about === undefined) return text
    let number = this.numbers.get(text)
    if (number === undefined) {
      number = ++this.lastNumber
      this.numbers.set(text, number)
    }
    return `${number} ${as.role} ${about}`
  }
}
