import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnService, startOwnService } from '../../demo/own-service.js'
import { dressError, internalError } from '../../src/http/wire/storage-error.ts'
import { ServiceError } from '../../src/std/service-error.ts'
import * as errors from '../../src/storage/errors.ts'
import { expectGenerated } from './generated.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/storage-api.md')
const USER_ID = 'a0000000-0000-4000-8000-00000000000a'
const run = promisify(execFile)

const text = await readFile(PAGE, 'utf8')
const blocks = [...text.matchAll(/^```(sh|js|sql)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
  language,
  code,
  promises: [...code.matchAll(/^(?:#|\/\/) prints (.*)$/gm)].map(([, promise = '']) => promise),
}))

let service: OwnService
let folder: string
beforeAll(async () => {
  service = await startOwnService()
  await mkdir(join(ROOT, '.tmp'), { recursive: true })
  // below the root, where the client is found
  folder = await mkdtemp(join(ROOT, '.tmp/storage-api-'))
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

function tokenOf(subject: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role: 'authenticated', sub: subject, exp: Math.floor(Date.now() / 1000) + 600 })}`
  return `${signed}.${createHmac('sha256', service.keys.jwtSecret).update(signed).digest('base64url')}`
}

const marker = (n: number): string => `--- block ${n} ---`

/** One shell for the whole page, as a reader has, and one program, since its parts share their names. */
async function script(): Promise<string> {
  const lines = ['set -e']
  const programs: string[] = []
  for (const [n, { language, code }] of blocks.entries()) {
    if (language === 'sh') lines.push(`echo '${marker(n)}'`, code)
    if (language === 'js') programs.push(`console.log('${marker(n)}')\n${code}`)
  }
  const program = join(folder, 'page.mjs')
  await writeFile(program, programs.join('\n'))
  lines.push(`node ${program}`)
  return lines.join('\n')
}

test('every block of the page prints what it says', async () => {
  expect(blocks.length).toBeGreaterThan(15)
  const owner = new pg.Client({ connectionString: service.keys.databaseUrl })
  await owner.connect()
  for (const { language, code } of blocks) if (language === 'sql') await owner.query(code)
  await owner.end()
  const { stdout } = await run('bash', ['-c', await script()], {
    cwd: ROOT,
    env: { ...service.env, USER_ID, USER_TOKEN: tokenOf(USER_ID) },
  }).catch((error) => expect.fail(`${error.message.split('\n').slice(-3).join('\n')}\n${error.stdout.slice(-3_000)}\n${error.stderr}`))
  for (const [n, { promises }] of blocks.entries()) {
    const printed = stdout.split(`${marker(n)}\n`)[1]?.split(/^--- block/m)[0] ?? ''
    let from = 0
    for (const promise of promises) {
      const at = printed.indexOf(promise, from)
      if (at < 0) expect.fail(`"${promise}" was promised, and this was printed:\n${printed}`)
      from = at + promise.length
    }
  }
}, 60_000)

test('the page names every endpoint that there is, and calls it', async () => {
  const answer = await fetch(`${service.keys.baseUrl}/storage/v1/openapi.json`)
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, object>> }
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const called = blocks.map(({ code }) => code).join('\n')
  for (const endpoint of endpoints.filter((each) => !each.startsWith('HEAD'))) {
    const [method = '', path = ''] = endpoint.split(' ')
    expect(text, endpoint).toMatch(new RegExp(`\`${method} ${path.replaceAll(/[{}./]/g, '\\$&')}[?\`]`))
    // as curl calls it: the first fixed segments of the path behind the address
    const fixed = path.slice(0, path.includes('{') ? path.indexOf('{') : undefined)
    expect(called, `curl of ${endpoint}`).toContain(`$API${fixed}`)
  }
})

/** Each error: an example of it, and when it comes. */
const ERRORS: Readonly<Record<keyof typeof errors, readonly [ServiceError, string]>> = {
  noSuchBucket: [errors.noSuchBucket(), 'there is none, the caller may not see it, or it is not public'],
  noSuchKey: [errors.noSuchKey(), 'there is none, or the caller may not see it'],
  bytesMissing: [errors.bytesMissing(), 'the row is there without bytes: put in by SQL, or lost'],
  bytesDamaged: [errors.bytesDamaged(), 'the bytes in the store are not those that were written; the log has the version'],
  relatedResourceMissing: [errors.relatedResourceMissing(), 'the bucket to write to does not exist'],
  accessDenied: [errors.accessDenied('…'), "policies do not allow it; the message is PostgreSQL's"],
  invalidRole: [errors.invalidRole(), 'the call takes the service role'],
  keyAlreadyExists: [errors.keyAlreadyExists(), 'an object has the key'],
  bucketAlreadyExists: [errors.bucketAlreadyExists(), 'a bucket has the id or the name'],
  resourceAlreadyExists: [errors.resourceAlreadyExists(), 'the target of a move is there'],
  resourceReferenced: [errors.resourceReferenced('…'), 'a table of yours refers to what was to go; the message is PostgreSQL’s'],
  bucketNotEmpty: [errors.bucketNotEmpty(), 'deleting a bucket that holds objects'],
  tooManyToEmpty: [errors.tooManyToEmpty(), 'only where a deployment limits it'],
  bucketNameInvalid: [errors.bucketNameInvalid(), 'a bucket cannot be called so'],
  invalidKey: [errors.invalidKey('…'), 'an object cannot be called so'],
  invalidSignature: [errors.invalidSignature(), 'the token is for another address or action'],
  invalidParameter: [errors.invalidParameter('…'), 'PostgreSQL or we cannot read a value'],
  missingParameter: [errors.missingParameter('…'), 'something has to be set first'],
  invalidRequest: [errors.invalidRequest('…'), 'the request makes no sense, or a trigger or constraint of yours refuses it'],
  invalidShape: [errors.invalidShape('…'), 'a body, query or header is not as described'],
  tooManyKeys: [errors.tooManyKeys(1000), 'only where a deployment limits it'],
  tooManyMediaTypes: [errors.tooManyMediaTypes(65_536), 'a bucket lists too many types'],
  invalidFileSize: [errors.invalidFileSize(), 'a limit that is no size'],
  noContent: [errors.noContent(), 'a form without a file'],
  invalidRobotsTag: [errors.invalidRobotsTag('…'), 'an X-Robots-Tag that is none'],
  unusableHeaderValue: [errors.unusableHeaderValue('cache-control', 'a'), 'a value that could not be sent back'],
  entityTooLarge: [errors.entityTooLarge(), 'a file, or its user metadata, is over its limit'],
  mediaTypeNotAllowed: [errors.mediaTypeNotAllowed('image/gif'), 'the bucket does not take the type'],
  contentTypeMalformed: [errors.contentTypeMalformed(), 'a Content-Type that is none'],
  preconditionFailed: [errors.preconditionFailed(), 'If-Match, If-None-Match or If-Unmodified-Since'],
  badDigest: [errors.badDigest(), 'the bytes that came are not those that were sent'],
  RangeNotSatisfiable: [new errors.RangeNotSatisfiable(1), 'a range behind the end; Content-Range has the length'],
  serviceWorkerRefused: [errors.serviceWorkerRefused(), 'a browser wants to install an object as a service worker'],
  resourceLocked: [errors.resourceLocked(), 'another transaction is in the way; try again'],
  clientGone: [errors.clientGone(), 'nobody reads this'],
  storeFull: [errors.storeFull(), 'the disk is full, or a quota is used up'],
  StoreBusy: [new errors.StoreBusy(null), 'disk or S3 store are away, overloaded or take too long; try again after `Retry-After`'],
  storeBroken: [errors.storeBroken(), 'the disk reports an error; nothing was changed, the log has it'],
  databaseTimeout: [errors.databaseTimeout(), 'a statement ran longer than its role may'],
  databaseUnavailable: [errors.databaseUnavailable(), 'try again after `Retry-After`'],
  uploadInterrupted: [errors.uploadInterrupted(), "the process stood still for longer than the sweeper's grace; try again"],
  databaseReadOnly: [errors.databaseReadOnly(), 'a standby, or a disk that is full'],
  databaseSchemaMismatch: [errors.databaseSchemaMismatch('…'), 'a policy or trigger of yours names what is not there'],
  databaseDefinitionInvalid: [errors.databaseDefinitionInvalid('…'), 'a policy of yours refers to itself'],
  databaseError: [errors.databaseError('XX000'), 'anything else from PostgreSQL'],
}

/** Those that are not this face's own. */
const OTHERS: readonly (readonly [ServiceError, string])[] = [
  [new ServiceError('InvalidToken', 401, '…'), 'the token is malformed, expired, or signed by somebody else'],
  [new ServiceError('UnknownRole', 403, '…'), 'the token names a role that is not known here'],
  [new ServiceError('InvalidJWT', 400, '…'), 'the token of an address is malformed, expired, or signed by somebody else'],
  [new ServiceError('InvalidBody', 400, '…'), 'a body that is no JSON'],
  [new ServiceError('BodyTooLarge', 413, '…'), 'a JSON body over its limit'],
  [
    new ServiceError('TooManyRequests', 429, '…'),
    'one user asks more often than `STOWAGE_CALLER_RATE` allows; try again after `Retry-After`',
  ],
  [new ServiceError('NotFound', 404, 'Route … not found'), 'no such address'],
  [internalError(), "a fault of ours; the log has it, with the request's id"],
]

test('the page lists every error as it is answered', async () => {
  expect(Object.keys(ERRORS).sort()).toEqual(Object.keys(errors).sort())
  const rows = [...Object.values(ERRORS), ...OTHERS].map(([error, when]) => {
    const { status, body } = dressError(error, 'legacy')
    const real = dressError(error, 'real')
    const cells = [`\`${body.code}\``, real.body.statusCode, String(status), `\`${body.error}\``, body.message, when]
    return `| ${cells.join(' | ')} |`
  })
  const head = ['| `code` | true status | status | `error` | `message` | when |', '|---|---|---|---|---|---|']
  await expectGenerated(PAGE, 'errors', [...head, ...[...new Set(rows)].sort()].join('\n'))
})
