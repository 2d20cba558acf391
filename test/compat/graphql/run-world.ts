import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Json, JsonNumber } from '../../../src/graphql/operation/json.ts'
import { jsonFrom, readJson } from '../../../src/graphql/operation/read-json.ts'
import { createGraphql, installExtension } from '../../../src/index.ts'
import { withClient } from '../../support/postgres.ts'
import { DIFFERENCES, INTROSPECTED_DIFFERENCES } from './differences.ts'
import { type Difference, findDifference } from './find-difference.ts'

type Asked = { readonly query: string; readonly variables?: unknown; readonly operationName?: string }

type Step = Asked & {
  /** a variable's name -> where its value stands in the earlier answers: `0.data.…` is in the first step's */
  readonly variablesFrom?: { readonly [variable: string]: string }
  readonly response: unknown
  /** the exact text, where numbers would not survive a JavaScript reader */
  readonly responseText?: string
}

type Case = Step & {
  readonly name: string
  readonly quirk?: string
  readonly role: string
  readonly searchPath: string
  readonly claims?: unknown
  readonly settings?: { readonly [name: string]: string }
  /** SQL run before the requests, as a superuser */
  readonly setup?: string
  readonly steps?: readonly Step[]
  /** SQL run after the requests, as a superuser, and its rows */
  readonly after?: string
  readonly afterRows?: unknown
}

type Outcome = { readonly answers: readonly Json[]; readonly afterRows: Json }

/**
 * Runs the recorded cases of a world, each in a transaction that is rolled back.
 * The environment variable ONLY keeps the cases whose `world/topic/name` holds its text. A table of topics ends the run when
 * something differed or ONLY is given.
 */
export function runWorld(world: string): void {
  const folder = join(import.meta.dirname, 'worlds', world)
  const only = process.env.ONLY ?? ''
  const score = new Map<string, { cases: number; equal: number; onPurpose: number }>()
  let database: World

  beforeAll(async () => {
    database = await buildWorld(world, readFileSync(join(folder, 'schema.sql'), 'utf8'))
  })
  afterAll(async () => {
    await database?.client.end()
    const differs = [...score.values()].some((topic) => topic.equal + topic.onPurpose < topic.cases)
    if (differs || only) console.log([...score].map(([topic, s]) => scoreLine(`${world}/${topic}`, s)).join('\n'))
  })

  for (const file of readdirSync(join(folder, 'recorded')).sort()) {
    const topic = file.replace(/\.json$/, '')
    const cases = (JSON.parse(readFileSync(join(folder, 'recorded', file), 'utf8')) as readonly Case[]).filter((one) =>
      `${world}/${topic}/${one.name}`.includes(only),
    )
    if (cases.length === 0) continue
    const counted = { cases: cases.length, equal: 0, onPurpose: 0 }
    score.set(topic, counted)
    describe(topic, () => {
      test.each(cases)('$name', async (one) => {
        const id = `${world}/${topic}/${one.name}`
        const { answers, afterRows } = await runCase(database, one)
        const wanted = (one.steps ?? [one]).map((step) => (step.responseText ? readJson(step.responseText) : jsonFrom(step.response)))
        const found = [
          ...wanted.map((answer, i) => findDifference(answer, answers[i] ?? null)),
          findDifference(jsonFrom(one.afterRows ?? null), afterRows),
        ]
        const known = DIFFERENCES.find(({ cases, also }) => (one.quirk ? cases : (also ?? [])).includes(id))
        const reason = known?.ours
        if (found.every((place) => place === null)) {
          if (reason) throw difference(`${id}: answered as recorded, yet listed as a difference (${reason})`)
          counted.equal++
        } else if (reason) counted.onPurpose++
        else throw difference(describeDifference(id, one, wanted, answers, found))
      })
    })
  }

  const introspections: readonly Introspection[] = JSON.parse(readFileSync(join(folder, 'introspect.json'), 'utf8'))
  const asked = introspections.filter(({ as, file = as }) => `${world}/schema/${file}`.includes(only))
  if (asked.length > 0) {
    describe('schema', () => {
      const query = readFileSync(join(import.meta.dirname, 'worlds/introspection.graphql'), 'utf8')
      test.each(asked)('$as $file', async ({ as, file = as, searchPath = 'public, extensions' }) => {
        const { answers } = await runCase(database, { name: file, role: as, searchPath, query, response: null })
        const had = plain(answers[0] ?? null)
        const wanted: unknown = JSON.parse(readFileSync(join(folder, `introspection.${file}.json`), 'utf8'))
        const isOwn = (line: string) => !INTROSPECTED_DIFFERENCES.some((difference) => difference.test(line))
        const missing = without(linesOf(wanted), linesOf(had)).filter(isOwn)
        const extra = without(linesOf(had), linesOf(wanted)).filter(isOwn)
        if (missing.length + extra.length > 0) {
          throw difference(
            [`${world}/schema/${file}`, ...cut(missing).map((line) => `  - ${line}`), ...cut(extra).map((line) => `  + ${line}`)].join(
              '\n',
            ),
          )
        }
      })
      // the recorded schema refers to an enum that it does not list, since the role lacks USAGE of it; so does ours
      const whole = asked.filter(({ file }) => file !== 'anon-with-murky')
      test.each(whole)('$as $file, as a client reads it', async ({ as, file = as, searchPath = 'public, extensions' }) => {
        const { answers } = await runCase(database, { name: file, role: as, searchPath, query: getIntrospectionQuery(), response: null })
        const { data } = plain(answers[0] ?? null) as { readonly data: IntrospectionQuery }
        expect(Object.keys(buildClientSchema(data).getTypeMap())).toContain('PageInfo')
      })
    })
  }
}

type Introspection = { readonly as: string; readonly file?: string; readonly searchPath?: string }

type World = { readonly client: pg.Client; readonly resolve: (asked: Asked) => Promise<string> }

async function buildWorld(world: string, schema: string): Promise<World> {
  const name = `${inject('databasePrefix')}_world_${world}`
  await withClient(inject('superuserUrl'), async (client) => {
    // cluster-wide, and other files make them at the same time
    for (const role of ['anon nologin', 'authenticated nologin', 'service_role nologin bypassrls', 'onlooker nologin']) {
      await client.query(`create role ${role}`).catch((error: { code?: string }) => {
        if (error.code !== '42710' && error.code !== '23505') throw error
      })
    }
    await client.query(`drop database if exists "${name}" with (force)`)
    await client.query(`create database "${name}" template template0 encoding 'UTF8' locale_provider 'libc' lc_collate 'C' lc_ctype 'C'`)
  })
  const url = new URL(inject('superuserUrl'))
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(
    `set timezone to 'UTC'; set datestyle to 'ISO, MDY'; set intervalstyle to 'postgres'; set client_min_messages to 'error'`,
  )
  await installExtension(client)
  await client.query(schema)
  await client.query('reset search_path; analyze')
  const graphql = createGraphql()
  return { client, resolve: (asked) => graphql.resolveOn(client, asked) }
}

async function runCase({ client, resolve }: World, one: Case): Promise<Outcome> {
  await client.query('begin')
  try {
    await client.query('select oracle.rewind()')
    if (one.setup) await client.query(one.setup)
    await client.query(`select set_config('search_path', $1, true), set_config('request.jwt.claims', $2, true)`, [
      one.searchPath,
      JSON.stringify(one.claims ?? { role: one.role }),
    ])
    for (const setting of Object.entries(one.settings ?? {})) await client.query('select set_config($1, $2, true)', setting)
    await client.query(`select set_config('role', $1, true)`, [one.role])
    const answers: Json[] = []
    for (const step of one.steps ?? [one]) {
      await client.query('savepoint request')
      answers.push(readJson(await resolve(requestOf(step, answers)).catch((error: Error) => raised(client, error))))
    }
    if (!one.after) return { answers, afterRows: null }
    await client.query('reset role')
    const { rows } = await client.query({ text: one.after, rowMode: 'array' })
    return { answers, afterRows: jsonFrom(rows) }
  } finally {
    await client.query('rollback')
  }
}

function requestOf(step: Step, answers: readonly Json[]): Asked {
  const found = Object.entries(step.variablesFrom ?? {}).map(([name, place]) => [name, at(plain(answers), place)])
  return {
    query: step.query,
    ...('variables' in step || found.length > 0 ? { variables: withMembers(step.variables, found) } : {}),
    ...(step.operationName === undefined ? {} : { operationName: step.operationName }),
  }
}

const withMembers = (variables: unknown, members: readonly (readonly unknown[])[]): unknown =>
  members.length === 0 ? variables : { ...(variables as object), ...Object.fromEntries(members) }

/** `0.data.bookCollection.edges.0.node.id` */
const at = (value: unknown, place: string): unknown =>
  place.split('.').reduce<unknown>((inner, step) => (inner as { readonly [key: string]: unknown } | undefined)?.[step], value)

/** A library call must answer, not raise: shown as an answer of its own kind. */
async function raised(client: pg.Client, error: Error): Promise<string> {
  await client.query('rollback to savepoint request')
  return JSON.stringify({ raised: `${error.name}: ${error.message}` })
}

/** numbers as JavaScript numbers again */
const plain = (json: unknown): unknown => JSON.parse(printJson(json as Json))

function printJson(json: Json | undefined): string {
  if (json === undefined) return 'nothing'
  if (json instanceof JsonNumber) return json.text
  if (json === null || typeof json !== 'object') return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(printJson).join()}]`
  return `{${Object.entries(json)
    .map(([key, value]) => `${JSON.stringify(key)}:${printJson(value)}`)
    .join()}}`
}

function describeDifference(
  id: string,
  one: Case,
  wanted: readonly Json[],
  had: readonly Json[],
  found: readonly (Difference | null)[],
): string {
  const lines = [`${id}${one.quirk ? `  (quirk: ${one.quirk})` : ''}  as ${one.role}, search_path ${one.searchPath}`]
  if (one.setup) lines.push(`  set-up ${one.setup}`)
  for (const [i, place] of found.entries()) {
    if (place === null) continue
    const step = (one.steps ?? [one])[i]
    if (step) {
      lines.push(`  asked  ${clip(step.query)}${step.variables ? ` with ${clip(JSON.stringify(step.variables))}` : ''}`)
      lines.push(`  wanted ${clip(printJson(wanted[i]))}`, `  had    ${clip(printJson(had[i]))}`)
    }
    lines.push(`  differ at ${step ? 'answer' : 'rows'}${place.at}: ${clip(printJson(place.wanted))} / ${clip(printJson(place.had))}`)
  }
  return lines.join('\n')
}

const clip = (text: string): string => (text.length > 1_500 ? `${text.slice(0, 1_500)}…` : text)

const scoreLine = (topic: string, { cases, equal, onPurpose }: { cases: number; equal: number; onPurpose: number }): string =>
  `${topic}: ${cases} cases, ${equal} equal, ${onPurpose} different on purpose, ${cases - equal - onPurpose} differ`

/** An error whose message is all there is to see. */
function difference(message: string): Error {
  const error = new Error(message)
  error.stack = ''
  return error
}

/** An introspection as lines that do not depend on any order: `.types.Book.fields.title.type.kind: "SCALAR"`. */
function linesOf(answer: unknown): readonly string[] {
  const walk = (value: unknown, path: string, named: boolean): readonly string[] => {
    if (Array.isArray(value)) {
      if (value.length === 0) return [`${path}: []`]
      return value.flatMap((item: { readonly name?: string } | null, i) => walk(item, `${path}.${item?.name ?? i}`, true))
    }
    if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`]
    return Object.entries(value).flatMap(([key, inner]) => (named && key === 'name' ? [] : walk(inner, `${path}.${key}`, false)))
  }
  return walk((answer as { data?: { __schema?: unknown } }).data?.__schema ?? answer, '', false)
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0
    counts.set(line, count - 1)
    return count <= 0
  })
}

const cut = (lines: readonly string[]): readonly string[] =>
  lines.length > 40 ? [...lines.slice(0, 40), `… and ${lines.length - 40} more`] : lines
