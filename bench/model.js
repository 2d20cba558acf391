// `node bench/model.js [--objects 1e9] [--mean-bytes 240000] [--core-hour 0.04] [--disk-gb-month 0.1] [--store-gb-month 0.023] [--put 5e-6]
// [--get 4e-7]`: what so many objects come to, from what was measured (bench/growth.json, bench/costs.json) and prices that you give.
// Everything that is assumed and not measured is an option or stands in ASSUMED. docs/scaling.md explains, and shows the tables for 10^9.
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fittedExponent } from './fitted-exponent.js'

/**
 * @typedef {{ name: string, serviceMs: number, databaseMs: number, storePuts: number, storeGets: number }} RequestCost
 * @typedef {object} Prices
 * @property {number} coreHour of one core for an hour
 * @property {number} diskGbMonth of the database's disk
 * @property {number} storeGbMonth of the bytes
 * @property {number} storePut of one PUT, COPY or LIST
 * @property {number} storeGet of one GET
 * @typedef {{ objects: number, meanBytes: number, prices: Prices }} Scenario
 * @typedef {{ server: string, sizes: readonly number[], statements: readonly { name: string, costs: readonly { pages: number, ms: number }[], exponent: number }[], relations: readonly { name: string, rows: number, bytesPerRow: number }[] }} Growth
 */

/** What PostgreSQL's manual and practice say, and no measurement of ours. */
const ASSUMED = {
  /** dead rows and half-empty pages of a table that is written, over one just loaded */
  bloat: 1.3,
  /** bytes of a page, and of a page's worth of an inner index page that is used */
  page: 8_192,
  fill: 0.7,
  /** bytes a second that vacuum reads from a disk that others use, too */
  vacuumRate: 200e6,
  /** of rows that must change before autovacuum comes */
  vacuumShare: 0.2,
  /** how much of a core is left to do work when 99 of 100 requests are to be answered soon */
  utilisation: 0.6,
}

/**
 * Sizes of tables and indexes at so many objects, with the height of each index: what a look-up reads.
 * @param {Growth} growth
 * @param {number} objects
 */
export function sizesAt({ relations }, objects) {
  return relations.map(({ name, bytesPerRow }) => {
    const bytes = bytesPerRow * objects * ASSUMED.bloat
    const isIndex = !/\.(?:objects|versions)$/.test(name)
    return { name, bytesPerRow, bytes, height: isIndex ? indexHeight(bytesPerRow, objects) : null }
  })
}

/**
 * Levels of a B-tree: leaves by the measured size of an entry; inner pages hold entries of about that size, too, which is more than they
 * need (PostgreSQL cuts what does not tell two keys apart), so this is an upper bound.
 * @param {number} bytesPerRow
 * @param {number} objects
 */
export function indexHeight(bytesPerRow, objects) {
  const fanout = Math.max(2, Math.floor((ASSUMED.page * ASSUMED.fill) / bytesPerRow))
  let pages = Math.ceil((objects * bytesPerRow) / (ASSUMED.page * ASSUMED.fill))
  let height = 1
  while (pages > 1) {
    pages = Math.ceil(pages / fanout)
    height++
  }
  return height
}

/**
 * What each statement would cost at so many objects, were it to go on as it did.
 * @param {Growth} growth
 * @param {number} objects
 */
export function statementsAt({ statements, sizes }, objects) {
  const largest = sizes.at(-1) ?? 1
  return statements.map(({ name, costs, exponent }) => {
    const last = costs.at(-1) ?? { pages: 0, ms: 0 }
    const microseconds = costs.map(({ ms }) => ms * 1_000)
    const grown = (/** @type {number} */ by) => (objects / largest) ** Math.max(0, by)
    return { name, exponent, pages: Math.round(last.pages * grown(exponent)), ms: last.ms * grown(fittedExponent(sizes, microseconds)) }
  })
}

/**
 * Of a million requests of a kind: core-seconds and money.
 * @param {RequestCost} request
 * @param {Prices} prices
 */
export function costOfMillion(request, prices) {
  const serviceSeconds = (request.serviceMs * 1e6) / 1_000
  const databaseSeconds = (request.databaseMs * 1e6) / 1_000
  const cores = ((serviceSeconds + databaseSeconds) / 3_600 / ASSUMED.utilisation) * prices.coreHour
  const store = 1e6 * (request.storePuts * prices.storePut + request.storeGets * prices.storeGet)
  return { name: request.name, serviceSeconds, databaseSeconds, perCore: 1_000 / request.serviceMs, cores, store, total: cores + store }
}

/**
 * @param {Scenario} scenario
 * @param {Growth} growth
 */
export function monthlyStorage({ objects, meanBytes, prices }, growth) {
  const rows = sizesAt(growth, objects).reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    rowsGb: rows / 1e9,
    bytesGb: (objects * meanBytes) / 1e9,
    rows: (rows / 1e9) * prices.diskGbMonth,
    bytes: ((objects * meanBytes) / 1e9) * prices.storeGbMonth,
  }
}

/**
 * When upkeep of one undivided table stops being comfortable: how long vacuum reads it, and how many changes wait for it to come.
 * @param {Growth} growth
 * @param {number} objects
 */
export function upkeepAt(growth, objects) {
  const sizes = sizesAt(growth, objects).filter(({ name }) => name.startsWith('storage.'))
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0)
  return { vacuumHours: bytes / ASSUMED.vacuumRate / 3_600, changesBeforeVacuum: objects * ASSUMED.vacuumShare }
}

/**
 * Costs are of one machine and one release: there are none until `bench/costs.js --write` has measured them here.
 * @returns {{ growth: Growth, costs: { requests: readonly RequestCost[] } | null }}
 */
export function measured() {
  const at = (/** @type {string} */ file) => new URL(file, import.meta.url)
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(at(file), 'utf8'))
  return { growth: read('./growth.json'), costs: existsSync(at('./costs.json')) ? read('./costs.json') : null }
}

const rounded = (/** @type {number} */ n) => (n >= 100 ? Math.round(n).toLocaleString('en') : n >= 10 ? n.toFixed(1) : n.toPrecision(2))
const gigabytes = (/** @type {number} */ bytes) => `${rounded(bytes / 1e9)} GB`
const row = (/** @type {readonly (string | number)[]} */ cells) => `| ${cells.join(' | ')} |`
const table = (/** @type {readonly string[]} */ head, /** @type {readonly (readonly (string | number)[])[]} */ rows) =>
  [row(head), row(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n')

/**
 * The tables of docs/scaling.md.
 * @param {Scenario} scenario
 */
export function modelTables(scenario) {
  const { growth, costs } = measured()
  const { objects, prices } = scenario
  const power = (/** @type {number} */ n) => `10^${Math.round(Math.log10(n))}`
  const storage = monthlyStorage(scenario, growth)
  const sizes = sizesAt(growth, objects)
  return {
    growth: table(
      ['Statement', ...growth.sizes.map((size) => `${power(size)}: pages, ms`), 'exponent'],
      growth.statements.map(({ name, costs: each, exponent }) => [
        name,
        ...each.map(({ pages, ms }) => `${pages.toLocaleString('en')}, ${rounded(ms)}`),
        exponent.toFixed(2),
      ]),
    ),
    sizes: table(
      ['Table or index', 'bytes a row', `at ${power(objects)}`, 'levels'],
      [
        ...sizes.map(({ name, bytesPerRow, bytes, height }) => [`\`${name}\``, bytesPerRow, gigabytes(bytes), height ?? '']),
        [
          'together',
          rounded(sizes.reduce((sum, { bytesPerRow }) => sum + bytesPerRow, 0)),
          gigabytes(sizes.reduce((sum, { bytes }) => sum + bytes, 0)),
          '',
        ],
      ],
    ),
    requests: table(
      ['A million of', 'core-seconds: service', 'database', 'a second on one core', 'processors', 'store calls', 'together'],
      (costs?.requests ?? EXAMPLE).map((request) => {
        const one = costOfMillion(request, prices)
        return [
          one.name,
          rounded(one.serviceSeconds),
          rounded(one.databaseSeconds),
          rounded(one.perCore),
          rounded(one.cores),
          rounded(one.store),
          rounded(one.total),
        ]
      }),
    ),
    upkeep: table(
      ['Objects', 'rows and indexes', 'vacuum reads for', 'changes before it comes', 'bytes in the store', 'rows a month', 'bytes a month'],
      [1e6, 1e7, 1e8, 1e9].map((size) => {
        const { vacuumHours, changesBeforeVacuum } = upkeepAt(growth, size)
        const month = monthlyStorage({ ...scenario, objects: size }, growth)
        return [
          power(size),
          `${rounded(month.rowsGb)} GB`,
          vacuumHours < 1 ? `${rounded(vacuumHours * 60)} min` : `${rounded(vacuumHours)} h`,
          power(changesBeforeVacuum * 5).replace('10^', '0.2 x 10^'),
          `${rounded(month.bytesGb / 1000)} TB`,
          rounded(month.rows),
          rounded(month.bytes),
        ]
      }),
    ),
    beyond: table(
      ['Statement', `at ${power(objects)}: pages`, 'ms, all in memory'],
      statementsAt(growth, objects)
        .filter(({ exponent }) => exponent > 0.5)
        .map(({ name, pages, ms }) => [name, pages.toLocaleString('en'), rounded(ms)]),
    ),
    storage,
  }
}

/** What shows how the costs add up where none were measured: round numbers. @type {readonly RequestCost[]} */
const EXAMPLE = [
  { name: 'for example: 0.2 ms of the service, 0.1 ms of the database', serviceMs: 0.2, databaseMs: 0.1, storePuts: 0, storeGets: 0 },
  { name: 'for example: the same with one GET of the store', serviceMs: 0.2, databaseMs: 0.1, storePuts: 0, storeGets: 1 },
  { name: 'for example: 0.5 ms of each with one PUT of the store', serviceMs: 0.5, databaseMs: 0.5, storePuts: 1, storeGets: 0 },
]

/** @type {Scenario} */
export const DOCUMENTED = {
  objects: 1e9,
  meanBytes: 240_000,
  prices: { coreHour: 0.04, diskGbMonth: 0.1, storeGbMonth: 0.023, storePut: 5e-6, storeGet: 4e-7 },
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const text = /** @type {const} */ ({ type: 'string' })
  const { values } = parseArgs({
    options: { objects: text, 'mean-bytes': text, 'core-hour': text, 'disk-gb-month': text, 'store-gb-month': text, put: text, get: text },
  })
  const number = (/** @type {keyof typeof values} */ name, /** @type {number} */ fallback) => {
    const given = values[name]
    const n = given === undefined ? fallback : Number(given)
    if (!Number.isFinite(n) || n < 0) throw new Error(`--${name} takes a number from 0 on, not ${given}`)
    return n
  }
  const { prices } = DOCUMENTED
  const { growth, sizes, requests, upkeep, beyond } = modelTables({
    objects: number('objects', DOCUMENTED.objects),
    meanBytes: number('mean-bytes', DOCUMENTED.meanBytes),
    prices: {
      coreHour: number('core-hour', prices.coreHour),
      diskGbMonth: number('disk-gb-month', prices.diskGbMonth),
      storeGbMonth: number('store-gb-month', prices.storeGbMonth),
      storePut: number('put', prices.storePut),
      storeGet: number('get', prices.storeGet),
    },
  })
  console.log([growth, sizes, upkeep, beyond, requests].join('\n\n'))
}
