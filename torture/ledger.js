import { open } from 'node:fs/promises'

/**
 * What was intended and what came of it, one JSON line each, on the disk before the operation begins and before its answer counts.
 * It lies outside the faulted disk. Lines that come while one sync runs share the next.
 *
 * @typedef {{ readonly note: (line: object) => Promise<void>, readonly close: () => Promise<void> }} Ledger
 */

/**
 * @param {string} path
 * @returns {Promise<Ledger>}
 */
export async function openLedger(path) {
  const file = await open(path, 'a', 0o600)
  /** @type {{ text: string, done: () => void, failed: (error: unknown) => void }[]} */
  let waiting = []
  /** @type {Promise<void> | null} */
  let running = null

  async function flush() {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await file.appendFile(batch.map(({ text }) => text).join(''))
        await file.datasync()
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    running = null
  }

  return {
    note: (line) =>
      new Promise((done, failed) => {
        waiting.push({ text: `${JSON.stringify(line)}\n`, done, failed })
        running ??= flush()
      }),
    close: async () => {
      await running
      await file.close()
    },
  }
}
