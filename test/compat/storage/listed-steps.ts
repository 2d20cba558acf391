import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, '../../../docs/compatibility-storage.md')

/** The steps that docs/compatibility-storage.md names: those that answer otherwise, and the peer's faults that we share. */
export type ListedSteps = {
  readonly differ: (testCase: string, step: number) => boolean
  readonly shared: (testCase: string, step: number) => boolean
}

export function readListedSteps(): ListedSteps {
  const [before = '', after = ''] = readFileSync(PAGE, 'utf8').split('## Faults that Stowage shares')
  const differing = stepsIn(before)
  const shared = stepsIn(after)
  return {
    differ: (testCase, step) => differing.has(`${testCase} ${step}`),
    shared: (testCase, step) => shared.has(`${testCase} ${step}`),
  }
}

/** From the first cells of tables: `` `topic/case` 1, 2; `topic/other` 3 ``. */
function stepsIn(text: string): ReadonlySet<string> {
  const cells = text.matchAll(/^\| (`[^|]+) \|/gm)
  const steps = new Set<string>()
  for (const [, cell = ''] of cells) {
    for (const [, testCase, numbers = ''] of cell.matchAll(/`([\w/-]+)` ([\d, ]+)/g)) {
      for (const number of numbers.split(',')) if (number.trim()) steps.add(`${testCase} ${number.trim()}`)
    }
  }
  return steps
}
