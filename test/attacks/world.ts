import { createHmac, generateKeyPairSync, type JsonWebKey, sign as signWith } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { loginPassword } from '../../src/auth/login-password.ts'
import { type AttackedService, startAttackedService } from './attacked-service.ts'
import { type Answer, type Conversation, jsonOf, type Payload, request, type SendOptions, send } from './raw.ts'

export const USER_A = 'aaaaaaaa-0000-4000-8000-000000000001'
export const USER_B = 'bbbbbbbb-0000-4000-8000-000000000002'

/** Whose token goes with a request; null: none. */
export type Who = 'A' | 'B' | 'anon' | 'service'

export type Ask = {
  readonly as?: Who | null
  /** instead of one of the four */
  readonly token?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** an object is sent as JSON */
  readonly body?: Payload | object
  readonly options?: SendOptions
}

/** What attacks have to do with: a service, who may do what with it, and ears for all that it says. */
export type World = {
  readonly service: AttackedService
  readonly tokens: Readonly<Record<Who, string>>
  /** a session token as the service would take it, unless the arguments say otherwise */
  readonly sign: (claims: object, header?: object, secret?: string) => string
  /** a key of the service's key set, under the name `rsa`, and one that it has never heard of */
  readonly rsa: RsaKey
  readonly otherRsa: RsaKey
  /** makes the service's key set one of these alone, by name */
  readonly publishKeys: (keys: Readonly<Record<string, RsaKey>>) => Promise<void>
  /** to the service, raw */
  readonly send: (pieces: Payload | readonly Payload[], options?: SendOptions) => Promise<Conversation>
  /** one request, one answer */
  readonly ask: (method: string, target: string, ask?: Ask) => Promise<Answer>
  readonly graphql: (query: string, ask?: Ask & { readonly variables?: unknown }) => Promise<Answer>
  /** as the owner of the database */
  readonly db: pg.Client
  /** everything heard since the last call */
  readonly takeHeard: () => readonly Conversation[]
  /** texts that may stand in no answer and in no log */
  readonly canaries: () => readonly string[]
  readonly stop: () => Promise<void>
}

export type RsaKey = { readonly pem: string; readonly jwk: JsonWebKey; readonly sign: (claims: object, header?: object) => string }

const HOUR = 3_600

export const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

/** Buckets priv, pub and lim (1 MiB, image/png only), priv/a.txt and priv/k1000 (1,000 bytes) of A, and world.sql. */
export async function createWorld(settings: Readonly<Record<string, string>> = {}, nodeOptions: readonly string[] = []): Promise<World> {
  const [rsa, otherRsa] = [rsaKey(), rsaKey()]
  const issuer = await mkdtemp(join(tmpdir(), 'stowage-issuer-'))
  const keySet = join(issuer, 'keys.json')
  const publishKeys: World['publishKeys'] = async (keys) => {
    const all = Object.entries(keys).map(([kid, { jwk }]) => ({ ...jwk, kid, alg: 'RS256', use: 'sig' }))
    await writeFile(`${keySet}.new`, JSON.stringify({ keys: all }))
    await rename(`${keySet}.new`, keySet)
  }
  await publishKeys({ rsa })
  const service = await startAttackedService({ STOWAGE_JWKS: keySet, ...settings }, nodeOptions)
  const { anonKey, serviceKey, jwtSecret, databaseUrl } = service.keys
  const sent = new Set<string>([anonKey, serviceKey])
  const sign = (claims: object, header: object = {}, secret = jwtSecret): string => {
    const token = signed({ alg: 'HS256', typ: 'JWT', ...header }, claims, secret)
    sent.add(token)
    return token
  }
  const session = (sub: string) => sign({ role: 'authenticated', sub, exp: Math.floor(Date.now() / 1000) + HOUR })
  const tokens = { A: session(USER_A), B: session(USER_B), anon: anonKey, service: serviceKey }

  let heard: Conversation[] = []
  const say: World['send'] = async (pieces, options) => {
    const conversation = await send(service.port, pieces, options)
    heard.push(conversation)
    return conversation
  }
  const ask: World['ask'] = async (method, target, { as = 'A', token, headers = [], body = '', options } = {}) => {
    const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
    const bearer = token ?? (as === null ? null : tokens[as])
    const all = [
      ...(bearer === null ? [] : [['Authorization', `Bearer ${bearer}`] as const]),
      ...(isJson ? [['Content-Type', 'application/json'] as const] : []),
      ...headers,
    ]
    const bytes = request(method, target, all, isJson ? JSON.stringify(body) : body)
    const conversation = await say(bytes, { ...(method === 'HEAD' ? { bodiless: true } : {}), ...options })
    const [answer] = conversation.answers
    if (!answer) throw new Error(`${method} ${target.slice(0, 100)} was not answered: ${conversation.ended}`)
    return answer
  }
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  await db.query(await readFile(join(import.meta.dirname, 'world.sql'), 'utf8'))
  await db.query(
    `insert into account (id, owner, name, parent_id) values (1, $1, 'first of A', null), (2, $1, 'second of A', 1), (3, $2, 'first of B', 1)`,
    [USER_A, USER_B],
  )
  await db.query(
    `insert into note (id, account_id, body) values (1, 1, 'of A'), (2, 3, 'of B'); select setval('account_id_seq', 100), setval('note_id_seq', 100)`,
  )

  const world: World = {
    service,
    tokens,
    sign,
    rsa,
    otherRsa,
    publishKeys,
    send: say,
    ask,
    graphql: (query, { as = 'anon', variables, ...rest } = {}) =>
      ask('POST', '/graphql/v1', { as, headers: [['apiKey', anonKey]], body: { query, variables }, ...rest }),
    db,
    takeHeard: () => {
      const all = heard
      heard = []
      return all
    },
    canaries: () => [
      jwtSecret,
      loginPassword(jwtSecret, 'stowage_web'),
      loginPassword(jwtSecret, 'stowage_service'),
      ownerPassword(databaseUrl),
      ...sent,
    ],
    stop: async () => {
      await db.end()
      await service.stop()
      await rm(issuer, { recursive: true })
    },
  }
  await furnish(world)
  return world
}

const ownerPassword = (url: string): string => decodeURIComponent(new URL(url).password) || 'a password that there is not'

async function furnish({ ask }: World): Promise<void> {
  const made = [
    await ask('POST', '/bucket', { as: 'service', body: { id: 'priv', name: 'priv', public: false } }),
    await ask('POST', '/bucket', { as: 'service', body: { id: 'pub', name: 'pub', public: true } }),
    await ask('POST', '/bucket', {
      as: 'service',
      body: { id: 'lim', name: 'lim', file_size_limit: 1_048_576, allowed_mime_types: ['image/png'] },
    }),
    await ask('POST', '/object/priv/a.txt', { headers: [['Content-Type', 'text/plain']], body: 'the text of A' }),
    await ask('POST', '/object/priv/k1000', { headers: [['Content-Type', 'application/octet-stream']], body: Buffer.alloc(1000, 'k') }),
  ]
  const failed = made.find(({ status }) => status !== 200)
  if (failed) throw new Error(`The world could not be made: ${failed.status} ${JSON.stringify(jsonOf(failed))}`)
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** HS256 (RFC 7518 3.2). */
function signed(header: object, claims: object, secret: string): string {
  const content = `${encoded(header)}.${encoded(claims)}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

/** RS256 (RFC 7518 3.3). */
function rsaKey(): RsaKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    jwk: publicKey.export({ format: 'jwk' }),
    sign: (claims, header = {}) => {
      const content = `${encoded({ alg: 'RS256', typ: 'JWT', ...header })}.${encoded(claims)}`
      return `${content}.${signWith('sha256', Buffer.from(content), privateKey).toString('base64url')}`
    },
  }
}
