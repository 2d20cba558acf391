import { existsSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { crowd } from '../support/crowd.ts'
import type { Attack } from './attack.ts'
import { type Answer, type Conversation, headerOf, jsonOf, request, send } from './raw.ts'
import type { World } from './world.ts'

const MAX_LOOP_DELAY_MS = 250
const HEALTH_MS = 1_000
const BASELINE_MS = 5_000
/** Lines of the log are written together, a little later. */
const LOG_DELAY_MS = 300

/** Values of one header that may come several times. */
const REPEATABLE = new Set(['vary', 'set-cookie'])

/** Marks of what is the server's own affair: stack traces, places of files, SQL, and what PostgreSQL says beside its message. */
const PRIVATE = [
  /\n\s+at .+:\d+:\d+/,
  /node_modules/,
  /\bnode:internal/,
  /\/(?:src|dist)\/[\w/-]+\.[jt]s/,
  /\bset_config\(/,
  /\/\* ?\w+\.\w+ ?\*\//,
  /\bpg_catalog\./,
  /Key \([\w, ]+\)=\(/,
  /Failing row contains/,
  /\bPL\/pgSQL function\b/,
]

/** What must hold after every attack, whatever it was. */
export type Standing = {
  readonly check: (attack: Attack) => Promise<void>
  /** what shows a little later: bytes that nobody answers for are swept after their grace, the log is written in lots */
  readonly checkRest: () => Promise<void>
}

export function createStanding(world: World): Standing {
  // the keys are told to whoever starts a service for the first time
  let readTo = world.service.said().length
  const takeLog = (): string => {
    const all = world.service.said()
    const from = readTo
    readTo = all.length
    return all.slice(from)
  }
  return {
    check: async (attack) => {
      const { service } = world
      if (attack.alarms) await sleep(LOG_DELAY_MS)
      const log = takeLog()
      expect(service.hasEnded(), `the service ended:\n${service.said().slice(-3_000)}`).toBe(false)
      const inside = await service.ask()
      expect(inside.faults, 'errors that nobody caught').toEqual([])
      expect(inside.loopDelayMs, 'delay of the event loop, ms').toBeLessThan((attack.maxLoopDelay ?? MAX_LOOP_DELAY_MS) * shared())
      await checkHealth(service.port)
      await eventually('back to the baseline', () => leftOvers(world))
      const heard = world.takeHeard()
      for (const conversation of heard) checkAnswers(conversation, attack)
      checkSecrets(world, Buffer.concat(heard.map(({ received }) => received)).toString('latin1'), 'an answer')
      checkSecrets(world, log, 'the log')
      if (!attack.alarms) expect(errorsIn(log), 'errors in the log').toEqual([])
      if (!attack.damages) expect(await rowsWithoutBytes(world), 'rows without bytes').toEqual([])
    },
    checkRest: async () => {
      await eventually('nothing stored that nobody answers for', () => orphans(world))
      await sleep(LOG_DELAY_MS)
      const log = takeLog()
      checkSecrets(world, log, 'the log')
      expect(errorsIn(log), 'errors in the log').toEqual([])
    },
  }
}

async function checkHealth(port: number): Promise<void> {
  const began = performance.now()
  const { answers } = await send(port, request('GET', '/health/ready'), { patience: 20 * HEALTH_MS })
  expect(answers[0]?.status, 'health').toBe(200)
  expect(performance.now() - began, 'milliseconds until /health/ready answered').toBeLessThan(HEALTH_MS * crowd())
}

/** It is the processor's time that is counted, which two who share its caches and its halves both have more of. */
const shared = () => Math.min(2, crowd())

/** Asks until nothing is left, for as long as it may take. */
async function eventually(what: string, ask: () => Promise<readonly string[]>): Promise<void> {
  const until = performance.now() + BASELINE_MS * crowd()
  let left = await ask()
  while (left.length > 0 && performance.now() < until) {
    await sleep(25)
    left = await ask()
  }
  expect(left, what).toEqual([])
}

/** Connections to the database that are busy, connections of clients, open files of the store. */
async function leftOvers({ db, service }: World): Promise<readonly string[]> {
  const { rows } = await db.query<{ what: string }>(
    `select format('%s is %s: %s', a.usename, a.state, left(a.query, 100)) as what from pg_stat_activity a
      where a.usename in ('stowage_web', 'stowage_service') and a.state <> 'idle' and a.query not like '/* sweep.%'`,
  )
  return [...rows.map(({ what }) => what), ...(await connectionsTo(service.port)), ...(await openFiles(service.pid))]
}

/** Established connections as the kernel lists them (proc(5)); elsewhere nobody can tell. */
export async function connectionsTo(port: number): Promise<readonly string[]> {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const table = await readFile('/proc/net/tcp', 'latin1').catch(() => '')
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(hex) && state === '01')
    .map(([, , remote]) => `a connection from ${remote}`)
}

/** Files of the store that the process holds open. */
export async function openFiles(pid: number): Promise<readonly string[]> {
  if (!existsSync(`/proc/${pid}/fd`)) return []
  const links = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(links.map((link) => readlink(`/proc/${pid}/fd/${link}`).catch(() => '')))
  return targets.filter((target) => /\/bytes\/..\/..\/./.test(target))
}

function checkAnswers({ answers }: Conversation, { mayAnswer = [] }: Attack): void {
  for (const answer of answers) {
    const { status, headers, body } = answer
    const told = `${status} ${body.subarray(0, 500).toString()}`
    expect(status < 500 || mayAnswer.includes(status), `answered ${told}`).toBe(true)
    const names = headers.map(([name]) => name).filter((name) => !REPEATABLE.has(name))
    expect(
      names.filter((name, i) => names.indexOf(name) !== i),
      'headers sent twice',
    ).toEqual([])
    for (const [name, value] of headers) expect(value, `value of ${name}`).toMatch(/^[\t\x20-\x7e]*$/)
    expect(headerOf(answer, 'server') ?? headerOf(answer, 'x-powered-by'), 'a header that names the software').toBeUndefined()
    expect(headerOf(answer, 'x-content-type-options'), `nosniff on ${told}`).toBe('nosniff')
    if (status >= 400) checkError(answer, told)
  }
}

function checkError(answer: Answer, told: string): void {
  expect(headerOf(answer, 'cache-control') ?? '', `caches keep away from ${told}`).toMatch(/no-store/)
  if (answer.body.length === 0) return
  expect(headerOf(answer, 'content-type') ?? '', `type of ${told}`).toMatch(/^application\/(?:graphql-response\+)?json/)
  expect(jsonOf(answer), `JSON of ${told}`).toBeTypeOf('object')
  for (const pattern of PRIVATE) expect(answer.body.toString(), 'an error that tells too much').not.toMatch(pattern)
}

function checkSecrets({ canaries, service }: World, text: string, where: string): void {
  for (const canary of canaries()) expect(text.includes(canary), `${where} shows ${canary.slice(0, 12)}…`).toBe(false)
  expect(text.includes(service.folder) && where === 'an answer', 'an answer names the data folder').toBe(false)
}

const errorsIn = (log: string): readonly string[] => log.split('\n').filter((line) => /"level":(?:50|60)/.test(line))

type Versions = { readonly rows: ReadonlyMap<string, string>; readonly files: ReadonlySet<string> }

async function versions({ db, service }: World): Promise<Versions> {
  const { rows } = await db.query<{ version: string; place: string }>(
    `select o.version, format('%s/%s', o.bucket_id, o.name) as place from storage.objects o where o.version is not null`,
  )
  const folder = join(service.env.STOWAGE_DATA ?? '', 'bytes')
  const files = await readdir(folder, { recursive: true }).catch((): string[] => [])
  return {
    rows: new Map(rows.map(({ version, place }) => [version, place])),
    files: new Set(files.map((file) => file.split('/').pop() ?? '').filter((name) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name))),
  }
}

async function rowsWithoutBytes(world: World): Promise<readonly string[]> {
  const { rows, files } = await versions(world)
  return [...rows].filter(([version]) => !files.has(version)).map(([, place]) => place)
}

async function orphans(world: World): Promise<readonly string[]> {
  const { rows, files } = await versions(world)
  const reserved = await world.db.query<{ place: string }>(
    `select format('%s/%s is reserved', i.bucket_id, i.name) as place from stowage.intents i`,
  )
  return [...[...files].filter((version) => !rows.has(version)), ...reserved.rows.map(({ place }) => place)]
}
