import { parseArgs } from 'node:util'

/**
 * @typedef {object} Options
 * @property {number} rounds
 * @property {number} seconds of a round
 * @property {number} connections
 * @property {string} only part of a workload's name, in any case
 * @property {boolean} short small data and short rounds: whether everything runs, and about how the shares are
 * @property {number} budgetSeconds after which no workload is begun
 * @property {boolean} growth the tables of what grows, too
 * @property {boolean} write
 * @property {{ url: string, serviceKey: string, anonKey: string, databaseUrl: string | null, jwtSecret: string | null, pid: number | null } | null} against
 */

/** Leaves time to start, to fill and to stop within a minute. */
const SHORT_SECONDS = 40

export const HELP = `npm run bench [-- options]

  --only WORD          workloads whose name holds WORD ("upload", "GraphQL", "4 KiB")
  --rounds N           rounds of each workload (5)
  --seconds N          seconds of a round, for each server (1)
  --connections N      requests at once (8)
  --short              small data and short rounds: under a minute
  --growth             also what grows: tables, roles, documents, listings
  --write              write bench/RESULTS.md

  --against URL        measure another server beside it, with the same workloads; it needs
    --service-key KEY    a token of service_role there, and for GraphQL and row security
    --anon-key KEY       its API key
    --jwt-secret TEXT    the secret its tokens are signed with
    --database URL       its database, where the data is put
    --pid N              its process, where it runs on this machine, for its CPU time
`

/**
 * @param {readonly string[]} argv
 * @returns {Options | null} null: help was asked for
 * @throws Error naming what is wrong
 */
export function readOptions(argv) {
  const text = /** @type {const} */ ({ type: 'string' })
  const flag = /** @type {const} */ ({ type: 'boolean', default: false })
  const { values } = parseArgs({
    args: [...argv],
    options: {
      help: { ...flag, short: 'h' },
      only: { ...text, default: '' },
      rounds: text,
      seconds: text,
      connections: { ...text, default: '8' },
      short: flag,
      growth: flag,
      write: flag,
      against: text,
      'service-key': text,
      'anon-key': text,
      'jwt-secret': text,
      database: text,
      pid: text,
    },
  })
  if (values.help) return null
  const whole = (/** @type {string} */ name, /** @type {string} */ given, most = 1000) => {
    const n = Number(given)
    if (!Number.isInteger(n) || n < 1 || n > most) throw new Error(`--${name} takes a whole number from 1 to ${most}, not ${given}`)
    return n
  }
  const { against, short } = values
  if (against !== undefined && !URL.canParse(against))
    throw new Error(`--against takes an address like http://127.0.0.1:8000, not ${against}`)
  const serviceKey = values['service-key']
  if (against !== undefined && serviceKey === undefined) throw new Error('--against needs --service-key')
  return {
    rounds: values.rounds === undefined ? (short ? 1 : 5) : whole('rounds', values.rounds),
    seconds: values.seconds === undefined ? (short ? 0.25 : 1) : whole('seconds', values.seconds),
    connections: whole('connections', values.connections),
    only: values.only,
    short,
    budgetSeconds: short ? SHORT_SECONDS : Number.POSITIVE_INFINITY,
    growth: values.growth,
    write: values.write,
    against:
      against === undefined || serviceKey === undefined
        ? null
        : {
            url: against.replace(/\/$/, ''),
            serviceKey,
            anonKey: values['anon-key'] ?? serviceKey,
            databaseUrl: values.database ?? null,
            jwtSecret: values['jwt-secret'] ?? null,
            pid: values.pid === undefined ? null : whole('pid', values.pid, 2 ** 22),
          },
  }
}
