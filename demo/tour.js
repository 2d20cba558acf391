import { deepStrictEqual } from 'node:assert'
import { createClient } from '@supabase/supabase-js'
import pg from 'pg'
import { covers, RULES as FILE_RULES, papers } from './files.js'
import { findService } from './find-service.js'
import { CATALOGUE, INVOICES, loadMusicShop, RULES as SHOP_RULES } from './music-shop.js'
import { signIn } from './sign-in.js'
import { answer, chapter, check, Mismatch, refused, say } from './story.js'

/** Two customers of the music shop. */
const LUIS = { id: '11111111-1111-4111-8111-111111111111', email: 'luisg@embraer.com.br' }
const HELENA = { id: '22222222-2222-4222-8222-222222222222', email: 'hholy@gmail.com' }

const COVERS = 'demo-covers'
const PAPERS = 'demo-papers'

/**
 * The whole tour; may be taken again on the same service.
 * @returns {Promise<number>} the exit code
 */
export async function tour() {
  console.log('Stowage: files and GraphQL beside one PostgreSQL. Each ✓ was compared with what it must be.')
  let service
  let database
  try {
    chapter('The service')
    service = await findService()
    const { keys } = service
    say(`${keys.baseUrl} answers; it is ${service.how}.`)
    database = new pg.Client({ connectionString: keys.databaseUrl })
    await database.connect()

    await loadData(database)
    await storeFiles(keys)
    await ownFolders(keys, database)
    await askCatalogue(keys, database)
    await askInvoices(keys, database)
    console.log('\nThat was all of it: every answer was as promised.')
    return 0
  } catch (error) {
    console.error(`\n✗ ${error instanceof Mismatch ? error.message : error instanceof Error ? (error.stack ?? error.message) : error}`)
    return 1
  } finally {
    await database?.end()
    await service?.stop()
  }
}

/** @param {pg.Client} database */
async function loadData(database) {
  chapter('Data: a music shop in ordinary tables')
  say('The Chinook sample database goes into schema public by plain SQL, over DATABASE_URL: Stowage has no schema language of its own.')
  const how = await loadMusicShop(database)
  const { rows } = await database.query(
    'select (select count(*) from artist) as artists, (select count(*) from track) as tracks, (select count(*) from invoice) as invoices',
  )
  check(rows[0].tracks === '3503', `${how}: ${rows[0].artists} artists, ${rows[0].tracks} tracks, ${rows[0].invoices} invoices`, rows[0])
  say('Who may see what is said in PostgreSQL, by grants and row level security:')
  say(excerpt(SHOP_RULES, 'create policy "their own" on customer', 2))
}

/** @param {import('./find-service.js').Keys} keys */
async function storeFiles(keys) {
  chapter('Files: buckets and objects, with the official client')
  const admin = client(keys.baseUrl, keys.serviceKey)
  await bucket(admin, COVERS, { public: true, allowedMimeTypes: ['image/*'] })
  await bucket(admin, PAPERS, { public: false, fileSizeLimit: '1MB' })
  const buckets = await answer('list buckets', admin.storage.listBuckets())
  check(
    buckets.some(({ id }) => id === COVERS) && buckets.some(({ id }) => id === PAPERS),
    `two buckets: ${COVERS} is public and takes images, ${PAPERS} is private and takes files up to 1 MB`,
    buckets,
  )

  const images = await covers()
  for (const { key, type, bytes } of images) {
    await answer(`upload ${key}`, admin.storage.from(COVERS).upload(key, bytes, { contentType: type, upsert: true, cacheControl: '3600' }))
  }
  check(true, `${images.length} images uploaded, ${images.reduce((sum, { bytes }) => sum + bytes.length, 0).toLocaleString('en')} bytes`)
  await refused(
    'a text file among the covers',
    admin.storage
      .from(COVERS)
      .upload('readme.txt', new Blob(['hello'], { type: 'text/plain' }), { contentType: 'text/plain', upsert: true }),
  )
  await refused(
    '2 MB among the papers',
    admin.storage.from(PAPERS).upload('big.bin', new Uint8Array(2 << 20), { contentType: 'application/octet-stream', upsert: true }),
  )

  const listed = await answer('list', admin.storage.from(COVERS).list('', { sortBy: { column: 'name', order: 'asc' } }))
  check(
    sameItems(
      listed.map(({ name, id }) => (id === null ? `${name}/` : name)),
      ['jobim/', 'logo.svg', 'rio/'],
    ),
    `the bucket lists as ${listed.map(({ name, id }) => (id === null ? `${name}/` : name)).join(', ')}`,
    listed,
  )

  for (const { key, bytes } of images) {
    const { publicUrl } = admin.storage.from(COVERS).getPublicUrl(key).data
    const response = await fetch(publicUrl)
    const came = Buffer.from(await response.arrayBuffer())
    if (!came.equals(bytes)) throw new Mismatch(`${publicUrl} gave other bytes than were uploaded (status ${response.status})`)
  }
  check(true, 'each of them came back from its public address without any key, byte for byte')
}

/**
 * @param {import('./find-service.js').Keys} keys
 * @param {pg.Client} database
 */
async function ownFolders(keys, database) {
  chapter('Files: whose they are, PostgreSQL decides')
  await database.query(FILE_RULES)
  say('A policy on storage.objects, written as for Supabase Storage:')
  say(excerpt(FILE_RULES, 'create policy "demo: own folder, read"', 2))

  const luis = client(keys.baseUrl, keys.anonKey, signIn(LUIS, keys.jwtSecret)).storage.from(PAPERS)
  const helena = client(keys.baseUrl, keys.anonKey, signIn(HELENA, keys.jwtSecret)).storage.from(PAPERS)
  const nobody = client(keys.baseUrl, keys.anonKey).storage.from(PAPERS)
  const files = await papers()
  for (const { key, type, bytes } of files) {
    await answer(`upload ${key}`, luis.upload(`${LUIS.id}/${key}`, bytes, { contentType: type, upsert: true }))
  }
  check(true, `Luís stores ${files.map(({ key }) => key).join(', ')} in his own folder`)
  await refused(
    'Helena stores a file in it',
    helena.upload(`${LUIS.id}/note.txt`, new Blob(['hi'], { type: 'text/plain' }), { contentType: 'text/plain' }),
  )

  const names = async (/** @type {typeof luis} */ bucketOf) =>
    (await answer('list', bucketOf.list(LUIS.id, { sortBy: { column: 'name', order: 'asc' } }))).map(({ name }) => name)
  check(sameItems(await names(luis), files.map(({ key }) => key).sort()), `Luís lists his folder: ${(await names(luis)).join(', ')}`)
  check((await names(helena)).length === 0, 'Helena lists it: nothing')
  check((await names(nobody)).length === 0, 'somebody who is not signed in lists it: nothing')

  for (const { key, bytes } of files) {
    const blob = await answer(`download ${key}`, luis.download(`${LUIS.id}/${key}`))
    if (!Buffer.from(await blob.arrayBuffer()).equals(bytes)) throw new Mismatch(`${key} came back with other bytes`)
  }
  check(true, 'Luís gets all of them back, byte for byte')
  await refused('Helena downloads his invoice', helena.download(`${LUIS.id}/invoice.pdf`))

  const { signedUrl } = await answer('sign', luis.createSignedUrl(`${LUIS.id}/invoice.pdf`, 60))
  const bySignature = await fetch(signedUrl)
  const invoice = files.find(({ key }) => key === 'invoice.pdf')?.bytes ?? Buffer.alloc(0)
  check(
    invoice.equals(Buffer.from(await bySignature.arrayBuffer())),
    'by the address he signed, good for a minute, anybody gets that one file',
  )
  const tampered = await fetch(signedUrl.replace('invoice.pdf', 'ledger.csv'))
  check(tampered.status >= 400 && tampered.status < 500, `the same signature for another file: refused with ${tampered.status}`)
  await tampered.arrayBuffer()
}

/**
 * @param {import('./find-service.js').Keys} keys
 * @param {pg.Client} database
 */
async function askCatalogue(keys, database) {
  chapter('GraphQL: three levels in one question')
  say(CATALOGUE.graphql)
  say(`with ${JSON.stringify(CATALOGUE.variables)}`)
  const data = await ask(keys, null, CATALOGUE.graphql, CATALOGUE.variables)
  say(outline(data))
  same(data, await bySql(database, CATALOGUE.sql, CATALOGUE.variables.artist), 'the answer is what a join in SQL gives')
}

/**
 * @param {import('./find-service.js').Keys} keys
 * @param {pg.Client} database
 */
async function askInvoices(keys, database) {
  chapter('GraphQL: the same question, asked by others')
  say(INVOICES.graphql)
  const nobody = await ask(keys, null, INVOICES.graphql)
  same(
    nobody,
    { customerCollection: { edges: [] } },
    'somebody who is not signed in: no customer is shown, row level security hides them all',
  )
  for (const [name, person] of /** @type {const} */ ([
    ['Luís', LUIS],
    ['Helena', HELENA],
  ])) {
    const data = await ask(keys, signIn(person, keys.jwtSecret), INVOICES.graphql)
    say(outline(data))
    same(data, await bySql(database, INVOICES.sql, person.email), `${name}: these invoices and no others, down to the tracks`)
  }
  const { errors } = await post(keys, signIn(LUIS, keys.jwtSecret), '{ employeeCollection { edges { node { last_name } } } }')
  check(
    errors?.length === 1,
    `the employees were taken from both roles (revoke), so for them there is no such field: "${errors?.[0]?.message}"`,
    errors,
  )
}

/**
 * @param {import('./find-service.js').Keys} keys
 * @param {string | null} token the person's; null: the anon key alone
 * @param {string} query
 * @param {Record<string, unknown>} [variables]
 * @returns {Promise<{ data?: unknown, errors?: { message: string }[] }>}
 */
async function post(keys, token, query, variables = {}) {
  const response = await fetch(`${keys.baseUrl}/graphql/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: keys.anonKey, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify({ query, variables }),
  })
  return /** @type {{ data?: unknown, errors?: { message: string }[] }} */ (await response.json())
}

/** @type {(...of: Parameters<typeof post>) => Promise<unknown>} */
async function ask(...of) {
  const { data, errors } = await post(...of)
  if (errors) throw new Mismatch(`GraphQL said: ${errors.map(({ message }) => message).join('; ')}`)
  return data
}

/**
 * @param {pg.Client} database
 * @param {string} sql
 * @param {string} value
 */
async function bySql(database, sql, value) {
  const { rows } = await database.query({ text: sql, values: [value], rowMode: 'array' })
  return rows[0]?.[0]
}

/**
 * @param {string} baseUrl
 * @param {string} key
 * @param {string} [token] a signed-in person's
 */
function client(baseUrl, key, token) {
  return createClient(baseUrl, key, {
    // Node 20 has no WebSocket, which the client wants for a service that this tour does not use
    realtime: { transport: /** @type {any} */ (globalThis.WebSocket ?? class {}) },
    auth: { persistSession: false, autoRefreshToken: false },
    ...(token ? { accessToken: async () => token } : {}),
  })
}

/**
 * @param {ReturnType<typeof client>} admin
 * @param {string} id
 * @param {{ public: boolean, fileSizeLimit?: string, allowedMimeTypes?: string[] }} options
 */
async function bucket(admin, id, options) {
  const { error } = await admin.storage.createBucket(id, options)
  if (!error) return
  if (!/already exists/i.test(error.message)) throw new Mismatch(`bucket ${id}: ${error.message}`)
}

/**
 * @param {unknown} seen
 * @param {unknown} expected
 * @param {string} what
 */
function same(seen, expected, what) {
  try {
    deepStrictEqual(seen, expected)
  } catch {
    throw new Mismatch(
      `${what}\n   but this came:  ${JSON.stringify(seen)?.slice(0, 1500)}\n   instead of:     ${JSON.stringify(expected)?.slice(0, 1500)}`,
    )
  }
  check(true, what)
}

/** @type {(a: readonly string[], b: readonly string[]) => boolean} */
const sameItems = (a, b) => a.length === b.length && a.every((item, i) => item === b[i])

/**
 * A statement out of several, by how it begins.
 * @param {string} sql
 * @param {string} beginning
 * @param {number} lines
 */
const excerpt = (sql, beginning, lines) => sql.slice(sql.indexOf(beginning)).split('\n').slice(0, lines).join('\n').replaceAll(/^/gm, '   ')

/**
 * An answer as indented lines, without the words that say only its shape.
 * @param {unknown} value
 * @param {string} [indent]
 * @returns {string}
 */
function outline(value, indent = '   ') {
  if (Array.isArray(value)) return value.map((item) => outline(item, indent)).join('\n')
  if (typeof value !== 'object' || value === null) return `${indent}${value}`
  const isPlain = (/** @type {unknown} */ item) => typeof item !== 'object' || item === null
  const isRecord = (/** @type {unknown} */ item) => !isPlain(item) && !Array.isArray(item) && Object.values(Object(item)).every(isPlain)
  const entries = Object.values(value)
  const plain = entries.flatMap((item) => (isPlain(item) ? [String(item)] : isRecord(item) ? Object.values(item).map(String) : []))
  const nested = entries.filter((item) => !isPlain(item) && !isRecord(item))
  const own = plain.length > 0 ? [`${indent}${plain.join('  ')}`] : []
  return [...own, ...nested.map((item) => outline(item, plain.length > 0 ? `${indent}   ` : indent))].filter(Boolean).join('\n')
}
