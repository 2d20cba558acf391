import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Case, CaseFile, CaseObject, Expectation, Step } from './case-file.ts'
import { credentials, mint, USER_A, USER_B } from './credentials.ts'
import { type Bound, differences } from './differences.ts'
import { digest, pick } from './digest.ts'
import { counted, fillIn, fillInAll } from './fill-in.ts'
import { type Answer, send } from './send.ts'

/** The server under test, and its database as the owner. */
export type World = { readonly base: URL; readonly secret: string; readonly database: pg.Client }

export type StepResult = {
  /** counted from 1, pauses included */
  readonly number: number
  readonly step: Step
  /** empty: the answer is the recorded one */
  readonly differences: readonly string[]
}

export type Player = (file: CaseFile, test: Case) => Promise<readonly StepResult[]>

/** Plays cases one after another; each finds a world without the buckets of the one before. */
export function createPlayer({ base, secret, database }: World): Player {
  const tokens = credentials(secret)
  const request = (step: Step, names = new Map<string, string>()) => send(base, tokens, step, names)
  const asService = (method: string, path: string, json?: unknown) =>
    request({ as: 'service', method, path, ...(json === undefined ? {} : { json }) })

  async function remove(bucket: string): Promise<void> {
    const path = `/bucket/${encodeURIComponent(bucket)}`
    for (let turn = 0; turn < 20; turn++) {
      const gone = await asService('DELETE', path, {})
      if (gone.status < 300 || !gone.body.includes('409')) return
      await asService('POST', `${path}/empty`, {})
      if (turn > 0) await sleep(50)
    }
  }

  async function clear(test: Case): Promise<void> {
    const own = (test.buckets ?? []).map((bucket) => (typeof bucket === 'string' ? bucket : (bucket.id ?? bucket.name)))
    const extra = [...(test.cleanup ?? []), ...own]
    const listed = await asService('GET', '/bucket')
    for (const { id } of JSON.parse(listed.body.toString()) as { id: string }[])
      if (id.startsWith('orc') || extra.includes(id)) await remove(id)
  }

  async function prepare(test: Case, names: Map<string, string>): Promise<void> {
    for (const bucket of test.buckets ?? [])
      must(await asService('POST', '/bucket', typeof bucket === 'string' ? { name: bucket } : bucket), bucket)
    for (const object of (test.objects ?? []).flatMap(repeated)) {
      const { bucket, key, as = 'service', type = 'text/plain', headers, ...content } = object
      const path = `/object/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
      const body = content.text === undefined && content.random === undefined ? { text: `body of ${key}` } : content
      must(await request({ as, method: 'POST', path, headers: { 'content-type': type, ...headers }, ...body }, names), key)
      if (test.gap) await sleep(test.gap)
    }
  }

  async function play(step: Step, names: Map<string, string>, keys: CaseFile['keys']): Promise<Expectation | null> {
    for (const [name, token] of Object.entries(step.mint ?? {})) {
      const filled = fillInAll(token, names) as typeof token
      names.set(name, mint(secret, filled, filled.jwk === undefined ? undefined : keys?.[filled.jwk]))
    }
    if (step.wait) await sleep(step.wait)
    if (step.sql) return ask(database, fillIn(step.sql, names))
    if (!step.method) return null
    const answer = await request(step, names)
    for (const [name, path] of Object.entries(step.save ?? {})) names.set(name, pick(answer, path) ?? '')
    return digest(step, answer, fillIn(step.path ?? '', names))
  }

  return async ({ keys }, test) => {
    const names = new Map([...tokens].map(([name, token]) => [`key.${name}`, token]))
    names.set('a', USER_A).set('b', USER_B)
    const bound: Bound = new Map()
    await clear(test)
    await prepare(test, names)
    const results: StepResult[] = []
    for (const [i, step] of test.steps.entries()) {
      const actual = await play(step, names, keys)
      if (actual) results.push({ number: i + 1, step, differences: judge(step, actual, bound) })
    }
    await clear(test)
    return results
  }
}

/** A quirk binds no names: what is done better there may well be another value. */
function judge(step: Step, actual: Expectation, bound: Bound): readonly string[] {
  const names: Bound = step.quirk ? new Map(bound) : bound
  const first = differences(step.expect ?? {}, actual, names, !step.keep)
  const other = step.or?.some((way) => differences(way, actual, new Map(bound), !step.keep).length === 0)
  return other ? [] : first
}

function repeated(object: CaseObject): readonly CaseObject[] {
  if (!object.times) return [object]
  return counted(object.times).map((i) => ({ ...object, key: fillIn(object.key, new Map([['i', i]])) }))
}

function must({ status, body }: Answer, what: unknown): void {
  if (status >= 300) throw new Error(`${JSON.stringify(what)} was not made: ${status} ${body}`)
}

async function ask(database: pg.Client, text: string): Promise<Expectation> {
  try {
    const results = [await database.query(text)].flat()
    return { rows: results.at(-1)?.rows ?? [] }
  } catch (error) {
    if (error instanceof pg.DatabaseError) return { error: `${error.code}: ${error.message}` }
    throw error
  }
}
