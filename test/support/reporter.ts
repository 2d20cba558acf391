import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** The end of a title that says why nothing of it ran. */
const REASON = /\(skipped: .*\)$/s

/**
 * Ends a run with one plain line, `N passed, N failed` (and `, N skipped`). Before it stands a line for each suite whose title says that it was
 * skipped, and why.
 * A file that could not be loaded, a failed hook and an error outside every test count as failed; so does a run of no test at all.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    const reasons: string[] = []
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state]++
      count.failed += module.errors().length
      for (const suite of module.children.allSuites()) {
        count.failed += suite.errors().length
        if (REASON.test(suite.name)) reasons.push(`${module.relativeModuleId}: ${suite.name}\n`)
      }
    }
    const none = modules.length === 0 ? 1 : 0
    const failed = count.failed + count.pending + none
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : ''
    if (failed > 0) process.exitCode = 1
    // at the exit, so that it stands below the summary of the reporter before this one
    process.once('exit', () => process.stdout.write(`${reasons.join('')}${count.passed} passed, ${failed} failed${skipped}\n`))
  }
}
