import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Attack, each, shown } from '../attack.ts'
import { either, folded, OK, type Outcome, status, storageError, text } from '../outcome.ts'
import { jsonOf, request } from '../raw.ts'
import type { World } from '../world.ts'

type Method = 'POST' | 'PUT' | 'GET' | 'HEAD' | 'DELETE' | 'sign' | 'upload sign' | 'info' | 'list'

/** Every way a key comes in by an address. */
const REQUESTS: Readonly<Record<Exclude<Method, 'list'>, (path: string) => { method: string; target: string; body?: string | object }>> = {
  POST: (path) => ({ method: 'POST', target: `/object/${path}`, body: 'x' }),
  PUT: (path) => ({ method: 'PUT', target: `/object/${path}`, body: 'x' }),
  GET: (path) => ({ method: 'GET', target: `/object/authenticated/${path}` }),
  HEAD: (path) => ({ method: 'HEAD', target: `/object/authenticated/${path}` }),
  DELETE: (path) => ({ method: 'DELETE', target: `/object/${path}` }),
  sign: (path) => ({ method: 'POST', target: `/object/sign/${path}`, body: { expiresIn: 60 } }),
  'upload sign': (path) => ({ method: 'POST', target: `/object/upload/sign/${path}` }),
  info: (path) => ({ method: 'GET', target: `/object/info/authenticated/${path}` }),
}

/**
 * A key that nothing may be stored under, in every way it can come. What is only asked for may be plainly missing: no object has it.
 */
const impossible = (id: string, path: string, what = shown(path)): Attack => ({
  id,
  what,
  note: 'recorded: a read of an impossible key may say that there is no such object',
  play: async (world) => {
    for (const [way, asked] of Object.entries(REQUESTS)) {
      const { method, target, body } = asked(path)
      const { answers } = await world.send(
        request(
          method,
          target,
          [
            ['Authorization', `Bearer ${world.tokens.A}`],
            ['x-upsert', 'true'],
            ['Content-Type', typeof body === 'object' ? 'application/json' : 'application/octet-stream'],
          ],
          typeof body === 'object' ? JSON.stringify(body) : body,
        ),
        method === 'HEAD' ? { bodiless: true } : {},
      )
      const [answer] = answers
      const allowed = ['POST', 'PUT', 'upload sign'].includes(way) ? [400] : [400, 404]
      expect(answer?.status, `${way} ${answer?.body}`).toBeOneOf(allowed)
      if (method !== 'HEAD' && answer && storageError(answer)) expect(storageError(answer)?.statusCode, way).toBeOneOf(allowed.map(String))
    }
  },
})

/** A key that is good: the very bytes that were put come back, under the very name. */
const good = (id: string, path: string, key: string, what = shown(path)): Attack => ({
  id,
  what: `${what} comes back as it went in`,
  play: async (world) => {
    const put = await world.ask('POST', `/object/priv/${path}`, { headers: [['x-upsert', 'true']], body: key })
    expect(put.status, put.body.toString()).toBe(200)
    expect((jsonOf(put) as { Key: string }).Key).toBe(`priv/${key}`)
    expect((await world.ask('GET', `/object/authenticated/priv/${path}`)).body.toString()).toBe(key)
    const { rows } = await world.db.query(`select name from storage.objects where bucket_id = 'priv' and name = $1`, [key])
    expect(rows).toEqual([{ name: key }])
    const removed = jsonOf(await world.ask('DELETE', '/object/priv', { body: { prefixes: [key] } })) as { name: string }[]
    expect(removed.map(({ name }) => name)).toEqual([key])
  },
})

const asA =
  (method: string, target: string, body: string | object = '') =>
  (world: World) =>
    request(
      method,
      target,
      [
        ['Authorization', `Bearer ${world.tokens.A}`],
        ['Content-Type', typeof body === 'object' ? 'application/json' : 'application/octet-stream'],
      ],
      typeof body === 'object' ? JSON.stringify(body) : body,
    )

export const KEYS: readonly Attack[] = [
  ...['priv/../../etc/passwd', 'priv/../priv/a.txt', 'priv/../../../../../../../etc/passwd'].map((path) => impossible('KY-01', path)),
  ...[
    'priv/%2e%2e/%2e%2e/x',
    'priv/..%2f..%2fx',
    'priv/%2e%2e%2fx',
    'priv/%2E%2E/x',
    'priv/.%2e/x',
    'priv/..%2F..%2F..%2F..%2Fetc%2Fpasswd',
  ].map((path) => impossible('KY-02', path)),
  ...['priv/a/./b', 'priv/a/../b', 'priv/./a', 'priv/a/..', 'priv/..', 'priv/.', 'priv/a/.', 'priv/a/../../b'].map((path) =>
    impossible('KY-04', path),
  ),
  {
    id: 'KY-05',
    what: 'empty segments make other keys',
    note: 'recorded: the peer takes them',
    play: async (world) => {
      const keys = ['ky5', '/ky5', 'ky5/', 'ky5//b', 'ky5/b', '//ky5', 'ky5//']
      for (const key of keys) {
        const put = await world.ask('POST', `/object/priv/${key}`, { body: `<${key}>` })
        expect(put.status, `${key} ${put.body}`).toBe(200)
      }
      for (const key of keys) expect((await world.ask('GET', `/object/authenticated/priv/${key}`)).body.toString()).toBe(`<${key}>`)
      await world.ask('DELETE', '/object/priv', { body: { prefixes: keys } })
    },
  },
  ...['priv/a%00b', 'priv/%00', 'priv/a.txt%00', 'priv/a.txt%00.png', 'priv/%00%00'].map((path) => impossible('KY-07', path)),
  {
    id: 'KY-07',
    what: 'NUL in the bucket',
    play: async (world) => {
      for (const { method, target, body } of Object.values(REQUESTS).map((way) => way('pr%00iv/k')))
        expect((await world.ask(method, target, { body: body ?? '' })).status, `${method} ${target}`).toBeOneOf([400, 404])
    },
  },
  ...[
    'priv/%c0%ae%c0%ae/',
    'priv/%ff',
    'priv/%ed%a0%80',
    'priv/%zz',
    'priv/%E0%A4%A',
    'priv/%',
    'priv/%1',
    'priv/a%c0%afb',
    'priv/\u00ff\u00fe',
    'priv/\u00c3\u00a9',
  ].map((path) => impossible('KY-09', path)),
  ...['priv/a\\..\\b', 'priv/%5c..%5cb', 'priv/C:%5cx', 'priv/%5c%5chost%5cshare', 'priv/..%5c..%5cetc'].map((path) =>
    impossible('KY-10', path),
  ),
  {
    id: 'KY-11',
    what: '1,024 bytes, in one segment and in many',
    play: async (world) => {
      for (const key of ['k'.repeat(1_024), `${'d/'.repeat(511)}ab`]) {
        expect((await world.ask('POST', `/object/priv/${key}`, { body: 'x' })).status).toBe(200)
        expect((await world.ask('GET', `/object/authenticated/priv/${key}`)).body.toString()).toBe('x')
        expect((await world.ask('DELETE', `/object/priv/${key}`)).status).toBe(200)
      }
    },
  },
  impossible('KY-11', `priv/${'k'.repeat(1_025)}`, '1,025 bytes'),
  ...[3_000, 9_000].map((length) => impossible('KY-13', `priv/${random(length)}`, `${length} random characters`)),
  impossible('KY-13', `priv/${random(1_024)}/${random(5_000)}`, '6,025 random characters'),
  ...[
    'caf%C3%A9',
    'cafe%CC%81',
    '%F0%9F%98%80',
    'a%E2%80%AEb',
    'a%EF%BC%8Fb',
    '%C2%A0',
    'a%E2%81%84b',
    '%EF%BB%BFa',
    'a%7Fb',
    'a%0Ab',
    'a%0D%0AX:y',
    'a%1Bb',
    'a%09b',
  ].map((key) => impossible('KY-14', `priv/${key}`, `${decodeURIComponent(key).replace(/[^\x20-\x7e]/g, '?')} (${key})`)),
  {
    id: 'KY-16',
    what: 'A.txt and a.txt are two',
    play: async (world) => {
      expect((await world.ask('POST', '/object/priv/A.txt', { body: 'upper' })).status).toBe(200)
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).body.toString()).toBe('the text of A')
      expect((await world.ask('DELETE', '/object/priv/A.txt')).status).toBe(200)
      expect((await world.ask('GET', '/object/authenticated/priv/a.txt')).status).toBe(200)
    },
  },
  ...each(
    ['/object/authenticated/priv/a.txt#b', '/object/authenticated/priv/a#b', '/#', '/bucket#/x', '/object/sign/priv/a.txt?x#token=y'],
    (target) => ({
      id: 'KY-17',
      what: `target ${target}`,
      send: asA('GET', target),
      outcome: status(400),
    }),
  ),
  impossible('KY-19', 'priv/100%25.txt'),
  impossible('KY-19', 'priv/%2525'),
  impossible('KY-19', 'priv/%252e%252e%252fx'),
  { id: 'KY-20', what: 'a placeholder of one byte', send: asA('POST', '/object/priv/.emptyFolderPlaceholder', 'x'), outcome: folded(413) },
  {
    id: 'KY-20',
    what: 'a placeholder of one byte, deep',
    send: asA('POST', '/object/lim/deep/.emptyFolderPlaceholder', 'x'),
    outcome: folded(413),
  },
  {
    id: 'KY-20',
    what: 'a placeholder of one byte that does not say so',
    send: ({ tokens }) =>
      request(
        'POST',
        '/object/priv/.emptyFolderPlaceholder',
        [
          ['Authorization', `Bearer ${tokens.A}`],
          ['Transfer-Encoding', 'chunked'],
        ],
        '1\r\nx\r\n0\r\n\r\n',
      ),
    outcome: folded(413),
  },
  { id: 'KY-20', what: 'an empty placeholder of any type', send: asA('POST', '/object/lim/x/.emptyFolderPlaceholder'), outcome: OK },
  {
    id: 'KY-22',
    what: 'a slash in the bucket, escaped',
    send: asA('GET', '/object/authenticated/priv%2Fx/k'),
    outcome: either(folded(400), folded(404)),
  },
  { id: 'KY-22', what: 'a slash in the bucket of an upload, escaped', send: asA('POST', '/object/priv%2Fx/k', 'x'), outcome: folded(400) },
  {
    id: 'KY-22',
    what: 'the bucket escaped is the bucket',
    send: asA('GET', '/object/authenticated/%70riv/a.txt'),
    outcome: text('the text of A'),
  },
  {
    id: 'KY-22',
    what: 'the bucket escaped twice is none',
    send: asA('GET', '/object/authenticated/%2570riv/a.txt'),
    outcome: either(folded(400), folded(404)),
  },
  {
    id: 'KY-22',
    what: 'the route escaped',
    send: asA('GET', '/%6fbject/authenticated/priv/a.txt'),
    outcome: either(text('the text of A'), status(404)),
  },
  { id: 'KY-22', what: 'a slash of the route escaped', send: asA('GET', '/object%2fauthenticated/priv/a.txt'), outcome: status(400, 404) },
  ...each<readonly [string, Outcome]>(
    [
      ['//object/authenticated/priv/a.txt', status(404)],
      ['/object//authenticated/priv/a.txt', status(400, 404)],
      ['/object/authenticated//a.txt', status(400, 404)],
      ['/OBJECT/authenticated/priv/a.txt', status(404)],
      ['/object/Authenticated/priv/a.txt', status(400, 404)],
      ['/object/authenticated/priv/a.txt/', either(folded(404), folded(400))],
      ['/./object/authenticated/priv/a.txt', status(404)],
      ['/x/../object/authenticated/priv/a.txt', status(404)],
      ['/storage/v1/../../object/authenticated/priv/a.txt', status(404)],
      ['/storage/v1//object/authenticated/priv/a.txt', status(404)],
      ['http://x/object/authenticated/priv/a.txt', status(200, 400, 404)],
      ['http://evil.example:80/object/authenticated/priv/a.txt', status(200, 400, 404)],
      ['*', status(400, 404)],
      ['object', status(400, 404)],
      ['', status(400)],
      ['/object', status(404, 400)],
      ['/object/', status(404, 400)],
      ['/object/authenticated', status(404, 400)],
      ['/object/authenticated/priv', status(404, 400)],
      ['/object/authenticated/priv/', either(folded(400), folded(404))],
      ['/;/object/authenticated/priv/a.txt', status(404)],
      ['/object/authenticated/priv;x=1/a.txt', either(folded(400), folded(404))],
    ],
    ([target, outcome]) => ({ id: 'KY-23', what: `GET ${shown(target)}`, send: asA('GET', target), outcome }),
  ),
  ...[
    ["o'brien.txt", "o'brien.txt"],
    ['a;b.txt', 'a;b.txt'],
    ['$1.txt', '$1.txt'],
    ['%241%3A%3Atext.txt', '$1::text.txt'],
    ["'%20or%201=1--", "' or 1=1--"],
    ['a&b=c,d@e:f+g', 'a&b=c,d@e:f+g'],
    ['a%3Fb', 'a?b'],
    ['a%20b', 'a b'],
    ['(x)!*', '(x)!*'],
    ['%20', ' '],
    ['...', '...'],
    ['..a', '..a'],
    ['a..', 'a..'],
    ['-rf', '-rf'],
    ['__proto__', '__proto__'],
    ['constructor/prototype', 'constructor/prototype'],
    ['null', 'null'],
    ['NaN', 'NaN'],
    ['CON', 'CON'],
    ['nul.txt', 'nul.txt'],
  ].map(([path = '', key = '']) => good('KY-25', path, key)),
  {
    id: 'KY-26',
    what: '100,000 long keys in one folder: the last thousand cost what the first did',
    long: true,
    play: async (world) => {
      const { world: times } = { world: [] as number[] }
      for (let i = 0; i < 100_000; i += 1_000) {
        const began = performance.now()
        const uploads = Array.from({ length: 1_000 }, (_, n) =>
          request(
            'POST',
            `/object/priv/ky-26/${String(i + n).padStart(200, '0')}`,
            [
              ['Authorization', `Bearer ${world.tokens.A}`],
              ['Connection', 'keep-alive'],
            ],
            'x',
          ),
        )
        const lanes = Array.from({ length: 8 }, (_, lane) => uploads.filter((_, n) => n % 8 === lane))
        const heard = await Promise.all(lanes.map((lane) => world.send(Buffer.concat(lane), { answers: lane.length, patience: 120_000 })))
        expect(heard.flatMap(({ answers }) => answers).filter((answer) => answer.status !== 200)).toEqual([])
        world.takeHeard()
        times.push(performance.now() - began)
      }
      const mean = (some: readonly number[]) => some.reduce((sum, time) => sum + time, 0) / some.length
      expect(mean(times.slice(-10)) / mean(times.slice(1, 11))).toBeLessThan(2)
      await world.ask('POST', '/bucket/priv/empty', { as: 'service', options: { patience: 60_000 } })
    },
  },
  ...each(['a\0b', '\ud800', 'x\udfff/y', '\0'], (key, what) => ({
    id: 'KY-28',
    what: `${what} in every body that names keys`,
    play: async (world) => {
      const bodies: readonly (readonly [string, string, object])[] = [
        ['POST', '/object/move', { bucketId: 'priv', sourceKey: key, destinationKey: 'x' }],
        ['POST', '/object/move', { bucketId: 'priv', sourceKey: 'a.txt', destinationKey: key }],
        ['POST', '/object/move', { bucketId: key, sourceKey: 'a.txt', destinationKey: 'x' }],
        ['POST', '/object/move', { bucketId: 'priv', sourceKey: 'a.txt', destinationBucket: key, destinationKey: 'x' }],
        ['POST', '/object/copy', { bucketId: 'priv', sourceKey: key, destinationKey: 'x' }],
        ['POST', '/object/copy', { bucketId: 'priv', sourceKey: 'a.txt', destinationKey: key }],
        ['POST', '/object/copy', { bucketId: key, sourceKey: 'a.txt', destinationKey: 'x' }],
        ['POST', '/object/copy', { bucketId: 'priv', sourceKey: 'a.txt', destinationBucket: key, destinationKey: 'x' }],
        [
          'POST',
          '/object/copy',
          {
            bucketId: 'priv',
            sourceKey: 'a.txt',
            destinationKey: 'x',
            copyMetadata: false,
            metadata: { mimetype: key, cacheControl: key },
          },
        ],
        ['DELETE', '/object/priv', { prefixes: [key] }],
        ['DELETE', '/object/priv', { prefixes: ['none', key] }],
        ['POST', '/object/sign/priv', { expiresIn: 60, paths: [key] }],
        ['POST', '/object/list/priv', { prefix: key }],
        ['POST', '/object/list/priv', { prefix: '', search: key }],
        ['POST', '/object/list-v2/priv', { prefix: key }],
        ['POST', '/object/list-v2/priv', { prefix: '', cursor: key }],
        ['POST', '/bucket', { name: key }],
        ['POST', '/bucket', { name: 'ky-28', id: key }],
        ['POST', '/bucket', { name: 'ky-28', allowed_mime_types: [key] }],
        ['POST', '/bucket', { name: 'ky-28', file_size_limit: key }],
      ]
      for (const [method, target, body] of bodies) {
        const answer = await world.ask(method, target, { body })
        expect(storageError(answer)?.statusCode, `${method} ${target} ${shown(body)} ${answer.body}`).toBeOneOf(['400', '404', '415'])
      }
    },
  })),
  ...each(['../x', './x', 'a/../b', '', '/'.repeat(2_000), 'k'.repeat(1_025), 'k'.repeat(10_000), '\u00e9', 'a\\b'], (key, what) => ({
    id: 'KY-28',
    what: `${what} as a destination`,
    play: async (world) => {
      for (const target of ['/object/move', '/object/copy']) {
        const answer = await world.ask('POST', target, { body: { bucketId: 'priv', sourceKey: 'a.txt', destinationKey: key } })
        expect(storageError(answer)?.statusCode, `${target} ${answer.body}`).toBe('400')
      }
    },
  })),
  {
    id: 'KY-29',
    what: 'keys that look like routes',
    play: async (world) => {
      await world.ask('POST', '/bucket', { body: { name: 'object' } })
      for (const key of ['sign/priv/x', 'public/x', 'info/x', 'list', 'authenticated/priv/a.txt', 'upload/sign/x', 'copy', 'move'])
        expect((await world.ask('POST', `/object/object/${key}`, { body: key })).status, key).toBe(200)
      for (const key of ['sign/priv/x', 'public/x', 'info/x', 'list', 'authenticated/priv/a.txt', 'upload/sign/x', 'copy', 'move']) {
        expect((await world.ask('GET', `/object/authenticated/object/${key}`)).body.toString()).toBe(key)
        // neither is it read without a token
        expect((await world.ask('GET', `/object/object/${key}`, { as: null })).status).toBe(400)
        expect((await world.ask('GET', `/object/public/object/${key}`, { as: null })).status).toBe(400)
      }
      for (const bucket of ['sign', 'public', 'authenticated', 'info', 'list', 'upload', 'copy', 'move', 'list-v2']) {
        await world.ask('POST', '/bucket', { body: { name: bucket } })
        const put = await world.ask('POST', `/object/${bucket}/ky-29`, { body: 'mine' })
        expect(put.status, bucket).toBeOneOf([200, 400, 404])
        for (const reader of [null, 'B'] as const)
          expect((await world.ask('GET', `/object/${bucket}/ky-29`, { as: reader })).body.toString(), bucket).not.toBe('mine')
      }
    },
  },
  {
    id: 'KY-31',
    what: 'a data folder that is a file, that others may write, or that is a link',
    play: async (world) => {
      const { chmod, mkdir, symlink, writeFile } = await import('node:fs/promises')
      const { execFile } = await import('node:child_process')
      const folder = await mkdtemp(join(tmpdir(), 'stowage-folder-'))
      const start = (data: string) =>
        new Promise<{ code: unknown; said: string }>((resolve) => {
          const bin = join(import.meta.dirname, '../../../bin/stowage.js')
          const env = { ...world.service.env, STOWAGE_DATA: data, PORT: '0' }
          const child = execFile(process.execPath, [bin, 'serve'], { env, timeout: 20_000 }, (error, out, err) =>
            resolve({ code: error ? (error.code ?? error.signal) : 0, said: out + err }),
          )
          const wait = setInterval(() => {
            if (child.stdout?.readableEnded) clearInterval(wait)
          }, 50)
          child.stdout?.on('data', (said: Buffer) => {
            if (said.includes('ready at')) child.kill('SIGTERM')
          })
          child.once('exit', () => clearInterval(wait))
        })
      try {
        await writeFile(join(folder, 'file'), 'x')
        const onFile = await start(join(folder, 'file'))
        expect(onFile.code).toBe(1)
        expect(onFile.said).not.toMatch(/\n\s+at /)
        await mkdir(join(folder, 'open'))
        await chmod(join(folder, 'open'), 0o777)
        const open = await start(join(folder, 'open'))
        expect(open.said).toMatch(/warning: other accounts may write to the data folder/)
        await mkdir(join(folder, 'real'), { mode: 0o700 })
        await symlink(join(folder, 'real'), join(folder, 'link'))
        const linked = await start(join(folder, 'link'))
        expect([0, 1]).toContain(linked.code)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  },
]

/** The same characters in every run. */
function random(length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  let seed = length
  let made = ''
  while (made.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    made += letters[(seed >> 8) % letters.length]
  }
  return made
}
