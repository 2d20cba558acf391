/**
 * @typedef {object} Round
 * @property {number} rate requests per second
 * @property {number | null} serverCpuMs milliseconds of processor time per request; null where nothing tells
 * @property {number | null} databaseCpuMs
 * @property {number | null} p99Ms
 * @property {number | null} [peakMiB] of memory; only where it was looked at
 *
 * @typedef {{ workload: string, target: string, isLimit?: boolean, rounds: Round[] }} Cell
 */

/** @param {readonly number[]} numbers */
export function spread(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle] : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
  return { min: sorted[0] ?? 0, median: median ?? 0, max: sorted.at(-1) ?? 0 }
}

/**
 * A Markdown table a workload. Shares are of the rates of its limits, round by round, since rounds drift together.
 * @param {readonly Cell[]} cells
 */
export function printTables(cells) {
  const workloads = [...new Set(cells.map(({ workload }) => workload))]
  return workloads
    .map((workload) =>
      printTable(
        workload,
        cells.filter((cell) => cell.workload === workload),
      ),
    )
    .join('\n\n')
}

/**
 * @param {string} workload
 * @param {readonly Cell[]} cells
 */
function printTable(workload, cells) {
  const limits = cells.filter(({ isLimit }) => isLimit)
  const looksAtMemory = cells.some(({ rounds }) => rounds.some((round) => round.peakMiB != null))
  const lines = cells.map((cell) => {
    const { target, rounds } = cell
    return [
      target,
      inThree(spread(rounds.map((round) => round.rate))),
      ...limits.map((limit) => (cell.isLimit ? '' : shareOf(limit, cell))),
      middle(rounds.map((round) => round.serverCpuMs)),
      middle(rounds.map((round) => round.databaseCpuMs)),
      middle(rounds.map((round) => round.p99Ms)),
      ...(looksAtMemory ? [highest(rounds.map((round) => round.peakMiB ?? null))] : []),
    ]
  })
  const head = [
    workload,
    'requests/s min / median / max',
    ...limits.map(({ target }) => `of ${target}`),
    'server CPU-ms',
    'database CPU-ms',
    'p99 ms',
  ]
  return align([looksAtMemory ? [...head, 'peak MiB'] : head, ...lines])
}

/** @param {Cell} limit @param {Cell} cell */
function shareOf(limit, cell) {
  const shares = cell.rounds.map((round, i) => (100 * round.rate) / (limit.rounds[i]?.rate ?? Number.NaN))
  const { min, median, max } = spread(shares)
  return `${whole(min)} / **${whole(median)}** / ${whole(max)} %`
}

/** @param {{ min: number, median: number, max: number }} numbers */
const inThree = ({ min, median, max }) => `${whole(min)} / ${whole(median)} / ${whole(max)}`

/** @param {number} n */
const whole = (n) => (n < 10 ? n.toFixed(1) : Math.round(n).toLocaleString('en'))

/** @param {readonly (number | null)[]} numbers */
const highest = (numbers) => {
  const told = numbers.filter((n) => n !== null)
  return told.length === 0 ? '' : whole(Math.max(...told))
}

/** @param {readonly (number | null)[]} numbers */
function middle(numbers) {
  const told = numbers.filter((n) => n !== null)
  return told.length === 0 ? '' : spread(told).median.toFixed(2)
}

/** @param {readonly (readonly string[])[]} rows */
function align(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const [head = [], ...body] = rows
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...body.map(line)].join('\n')
}
