import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_KEY, type StorageService, startStorageService, token } from './storage-service.ts'

const auth = { authorization: `Bearer ${SERVICE_KEY}` }
const json = { ...auth, 'content-type': 'application/json' }

let service: StorageService
beforeAll(async () => {
  service = await startStorageService('races')
})
afterAll(() => service.close())

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
const put = (path: string, body: string | Buffer, type = 'text/plain') =>
  fetch(`${service.url}/object/${path}`, { method: 'PUT', headers: { ...auth, 'content-type': type }, body })
const read = async (path: string): Promise<string | null> => {
  const answer = await fetch(`${service.url}/object/${path}`, { headers: auth })
  return answer.ok ? answer.text() : null
}
const remove = (path: string) => fetch(service.url + path, { method: 'DELETE', headers: auth })
const move = (bucketId: string, sourceKey: string, destinationKey: string, destinationBucket = bucketId) =>
  post('/object/move', { bucketId, sourceKey, destinationKey, destinationBucket })
const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code

async function bucket(name: string, limits: object = {}): Promise<string> {
  await post('/bucket', { name, ...limits })
  return name
}

/** Stored versions that no row and no outbox answers for, and rows whose bytes are gone. */
async function strays(): Promise<readonly string[]> {
  await service.settled()
  const client = await service.database.connect()
  const { rows } = await client.query(
    'select version::text, true as current from stowage.versions union all select version::text, false from stowage.outbox',
  )
  const stored = new Set<string>(await service.bytes.list(null, 100_000))
  const known = new Set(rows.map(({ version }) => version))
  const lost = rows.filter(({ version, current }) => current && !stored.has(version)).map(({ version }) => `lost ${version}`)
  return [...lost, ...[...stored].filter((version) => !known.has(version)).map((version) => `stray ${version}`)]
}

describe('moving', () => {
  it('loses no write to an object that is overwritten meanwhile', async () => {
    const b = await bucket('overwritten')
    await put(`${b}/from`, 'start')
    let last = 'start'
    let moving = true
    const writer = (async () => {
      for (let n = 0; moving; n++) if ((await put(`${b}/from`, `write ${n}`)).ok) last = `write ${n}`
    })()
    await sleep(50)
    const moved = await move(b, 'from', 'to')
    await sleep(20)
    moving = false
    await writer
    expect(moved.status).toBe(200)
    const [from, to] = await Promise.all([read(`${b}/from`), read(`${b}/to`)])
    expect(to).not.toBeNull()
    // what was answered last is at one of the two places
    expect([from, to]).toContain(last)
    expect(await strays()).toEqual([])
  })

  it('goes to one of two targets', async () => {
    const b = await bucket('targets')
    await put(`${b}/from`, 'bytes')
    const answers = await Promise.all([move(b, 'from', 'a'), move(b, 'from', 'b')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await Promise.all([read(`${b}/a`), read(`${b}/b`)])).filter((text) => text === 'bytes')).toHaveLength(1)
  })

  it('of two into one target in another bucket lets one through', async () => {
    const [one, two, to] = await Promise.all([bucket('source-1'), bucket('source-2'), bucket('target')])
    await Promise.all([put(`${one}/k`, 'one'), put(`${two}/k`, 'two')])
    const answers = await Promise.all([move(one, 'k', 'k', to), move(two, 'k', 'k', to)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await Promise.all(answers.filter(({ ok }) => !ok).map(codeOf))).toEqual(['ResourceAlreadyExists'])
  })

  it('back and forth at once is no deadlock and loses nothing', async () => {
    const b = await bucket('swap')
    await Promise.all([put(`${b}/a`, 'a'), put(`${b}/b`, 'b')])
    for (let turn = 0; turn < 10; turn++) {
      const answers = await Promise.all([move(b, 'a', 'b'), move(b, 'b', 'a')])
      expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
    }
    const client = await service.database.connect()
    const { rows } = await client.query(`select count(*)::int as objects from storage.objects where bucket_id = 'swap'`)
    expect(rows).toEqual([{ objects: 2 }])
  })

  it('and copying keep to the limits of the bucket they lead into', async () => {
    const [from, to] = await Promise.all([bucket('free'), bucket('strict', { file_size_limit: 4, allowed_mime_types: ['text/plain'] })])
    await put(`${from}/long`, 'longer')
    await put(`${from}/page`, '<p>', 'text/html')
    for (const [key, code] of [
      ['long', 'EntityTooLarge'],
      ['page', 'InvalidMimeType'],
    ]) {
      const copy = { bucketId: from, sourceKey: key, destinationKey: 'k', destinationBucket: to }
      expect(await codeOf(await post('/object/copy', copy))).toBe(code)
      expect(await codeOf(await move(from, key ?? '', 'k', to))).toBe(code)
      expect(await read(`${from}/${key}`)).not.toBeNull()
    }
    const lie = {
      bucketId: from,
      sourceKey: 'page',
      destinationKey: 'k',
      destinationBucket: to,
      copyMetadata: false,
      metadata: { mimetype: 'text/plain\r\nx: y' },
    }
    expect(await codeOf(await post('/object/copy', lie))).toBe('InvalidMimeType')
    expect(await strays()).toEqual([])
  })

  it('onto itself changes nothing', async () => {
    const b = await bucket('itself')
    await put(`${b}/k`, 'bytes')
    expect((await move(b, 'k', 'k')).status).toBe(200)
    expect(await read(`${b}/k`)).toBe('bytes')
    expect(await codeOf(await post('/object/copy', { bucketId: b, sourceKey: 'k', destinationKey: 'k' }))).toBe('KeyAlreadyExists')
    expect((await post('/object/copy', { bucketId: b, sourceKey: 'k', destinationKey: 'k' }, { 'x-upsert': 'true' })).status).toBe(200)
    expect(await read(`${b}/k`)).toBe('bytes')
    expect(await strays()).toEqual([])
  })
})

describe('buckets', () => {
  it('are made once by 20 at a time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/bucket', { name: 'once' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(await Promise.all(answers.filter(({ ok }) => !ok).map(codeOf)))).toEqual(new Set(['BucketAlreadyExists']))
  })

  it('are deleted or uploaded to, never both', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const b = await bucket(`doomed-${turn}`)
      const [uploaded, deleted] = await Promise.all([put(`${b}/k`, 'bytes'), sleep(turn).then(() => remove(`/bucket/${b}`))])
      expect([uploaded.status, deleted.status].every((status) => status === 200 || status === 400)).toBe(true)
      expect(uploaded.ok && deleted.ok).toBe(false)
      expect(await read(`${b}/k`)).toBe(uploaded.ok ? 'bytes' : null)
    }
    expect(await strays()).toEqual([])
  })

  it('lose nothing that is uploaded after they were said to be emptied', async () => {
    const b = await bucket('emptied')
    await Promise.all(Array.from({ length: 30 }, (_, n) => put(`${b}/old-${n}`, 'old')))
    const uploads: Promise<Response>[] = []
    let answered = false
    const emptied = post(`/bucket/${b}/empty`, {}).then((answer) => {
      answered = true
      return answer
    })
    const after: string[] = []
    for (let n = 0; n < 60; n++) {
      const key = n % 2 ? `new-${n}` : `old-${n % 30}`
      if (answered) after.push(key)
      uploads.push(put(`${b}/${key}`, `new ${key}`))
      await sleep(1)
    }
    expect((await emptied).status).toBe(200)
    await Promise.all(uploads)
    await service.settled()
    expect(after.length).toBeGreaterThan(0)
    for (const key of after) expect([key, await read(`${b}/${key}`)]).toEqual([key, `new ${key}`])
    expect(await strays()).toEqual([])
  }, 20_000)

  it('with more objects than fit into an answer are emptied behind it, and stay until they are empty', async () => {
    const b = await bucket('many')
    const owner = await service.database.connect()
    await owner.query(`insert into storage.objects (bucket_id, name) select 'many', 'k' || n from generate_series(1, 25000) n`)
    expect((await post(`/bucket/${b}/empty`, {})).status).toBe(200)
    const tooEarly = await remove(`/bucket/${b}`)
    expect([tooEarly.status, await codeOf(tooEarly)]).toEqual([400, 'ResourceNotEmpty'])
    await service.settled()
    expect((await remove(`/bucket/${b}`)).status).toBe(200)
    const reports = service.observed.filter(({ kind }) => kind === 'bucket emptied')
    expect(reports.slice(-2)).toEqual([
      { kind: 'bucket emptied', bucket: b, objects: expect.any(Number), done: false },
      { kind: 'bucket emptied', bucket: b, objects: 25000, done: true },
    ])
  }, 20_000)

  it('that something keeps from being emptied are promised nothing', async () => {
    const b = await bucket('kept')
    await put(`${b}/k`, 'bytes')
    const owner = await service.database.connect()
    await owner.query(
      `create function public.keep() returns trigger language plpgsql as $$ begin raise 'it stays'; end $$;
       create trigger keep before delete on storage.objects for each row when (old.bucket_id = 'kept') execute function public.keep()`,
    )
    const refused = await post(`/bucket/${b}/empty`, {})
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'InvalidRequest', message: 'it stays' }])
    expect((await owner.query('select from stowage.emptyings')).rows).toEqual([])
    await owner.query('drop trigger keep on storage.objects')
    expect(await read(`${b}/k`)).toBe('bytes')
  })
})

it('deletes what was listed twice once, and nothing by pattern', async () => {
  const b = await bucket('bulk')
  for (const key of ['a', 'folder/b', 'c']) await put(`${b}/${key}`, key)
  const bulk = async (prefixes: readonly unknown[]) => {
    const answer = await fetch(`${service.url}/object/${b}`, { method: 'DELETE', headers: json, body: JSON.stringify({ prefixes }) })
    return ((await answer.json()) as { name: string }[]).map(({ name }) => name)
  }
  expect(await bulk(['%', 'folder/', 'folder', '*', '_'])).toEqual([])
  expect(await bulk(['a', 'a', 'none'])).toEqual(['a'])
  expect(await bulk(Array.from({ length: 1_200 }, (_, n) => `n${n}`).concat('c'))).toEqual(['c'])
  expect(await read(`${b}/folder/b`)).toBe('folder/b')
  expect(await read(`${b}/a`)).toBeNull()
})

it('tells of a database that is away by 503 and when to come again, and of its timeout as the peer does', async () => {
  const { storage } = service.deps
  const { asService, asCaller, asCallerAtLength } = storage
  const failing = (error: Error) => {
    const fail = () => Promise.reject(error)
    Object.assign(storage, { asService: fail, asCaller: fail, asCallerAtLength: fail })
  }
  failing(Object.assign(new Error('gone'), { name: 'PgUnavailable', reason: 'unreachable' }))
  const away = await put('any/key', 'x')
  expect([away.status, away.headers.get('retry-after'), await codeOf(away)]).toEqual([503, '1', 'DatabaseUnavailable'])
  failing(Object.assign(new Error('canceling statement'), { name: 'PgError', sqlstate: '57014', statement: 0 }))
  const late = await fetch(`${service.url}/bucket`, { headers: auth })
  expect(await late.json()).toEqual({
    statusCode: '544',
    error: 'DatabaseTimeout',
    message: 'The connection to the database timed out',
    code: 'DatabaseTimeout',
  })
  expect(late.status).toBe(544)
  failing(new TypeError('a bug with a secret in it'))
  const bug = await fetch(`${service.url}/bucket`, { headers: auth })
  expect([bug.status, await bug.text()]).toEqual([
    500,
    '{"statusCode":"500","error":"Internal","message":"Internal Server Error","code":"InternalError"}',
  ])
  Object.assign(storage, { asService, asCaller, asCallerAtLength })
  expect((await fetch(`${service.url}/bucket`, { headers: auth })).status).toBe(200)
})

describe('an upload that takes its time', () => {
  const user = (sub: string) => ({ authorization: `Bearer ${token({ role: 'authenticated', sub })}`, 'content-type': 'text/plain' })
  const ANN = user('00000000-0000-4000-8000-00000000000a')
  const BEN = user('00000000-0000-4000-8000-00000000000b')
  beforeAll(async () => {
    await bucket('shared')
    const client = await service.database.connect()
    await client.query(`
      create policy see on storage.objects for select to authenticated using (bucket_id = 'shared');
      create policy add on storage.objects for insert to authenticated with check (bucket_id = 'shared');
      create policy own on storage.objects for update to authenticated using (bucket_id = 'shared' and owner_id = auth.uid()::text);
    `)
    await client.end()
  })

  /** Begins to put an object, and answers how to end it. */
  async function begin(key: string, headers: Record<string, string>, method = 'PUT'): Promise<(last: string) => Promise<Response>> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const init = { method, headers, body: readable, duplex: 'half' }
    const answer = fetch(`${service.url}/object/shared/${key}`, init as RequestInit)
    await writer.write(Buffer.from('from '))
    // asked about by now
    await sleep(300)
    return async (last) => {
      await writer.write(Buffer.from(last))
      await writer.close()
      return answer
    }
  }
  const write = (key: string, headers: Record<string, string>, body: string) =>
    fetch(`${service.url}/object/shared/${key}`, { method: 'PUT', headers, body })

  it('does not replace what somebody else put there meanwhile, if the caller may not', async () => {
    const end = await begin('race', BEN)
    expect((await write('race', ANN, "ann's")).status).toBe(200)
    expect(await (await end('ben')).json()).toMatchObject({ statusCode: '403', code: 'AccessDenied' })
    expect(await read('shared/race')).toBe("ann's")
  })

  it('nor what is committed while it is being published', async () => {
    const end = await begin('late', BEN)
    const client = await service.database.connect()
    await client.query(`begin; insert into storage.objects (bucket_id, name, owner_id) values ('shared', 'late', 'ann')`)
    const answer = end('ben')
    await sleep(300)
    await client.query('commit')
    expect(await (await answer).json()).toMatchObject({ statusCode: '403', code: 'AccessDenied' })
    const { rows } = await client.query(`select owner_id, version from storage.objects where name = 'late'`)
    await client.end()
    expect(rows).toEqual([{ owner_id: 'ann', version: null }])
  })

  it('nor by a copy', async () => {
    expect((await write('mine', BEN, "ben's")).status).toBe(200)
    expect((await write('theirs', ANN, "ann's")).status).toBe(200)
    const copied = await fetch(`${service.url}/object/copy`, {
      method: 'POST',
      headers: { ...BEN, 'content-type': 'application/json', 'x-upsert': 'true' },
      body: JSON.stringify({ bucketId: 'shared', sourceKey: 'mine', destinationKey: 'theirs' }),
    })
    expect(await copied.json()).toMatchObject({ statusCode: '403' })
    expect(await read('shared/theirs')).toBe("ann's")
  })

  it('replaces what the caller may replace, whatever was there before', async () => {
    const overNew = await begin('own', ANN)
    expect((await write('own', ANN, 'early')).status).toBe(200)
    expect((await overNew('first')).status).toBe(200)
    expect(await read('shared/own')).toBe('from first')
    const overOther = await begin('own', ANN)
    expect((await write('own', ANN, 'meanwhile')).status).toBe(200)
    expect((await overOther('second')).status).toBe(200)
    expect(await read('shared/own')).toBe('from second')
    const overGone = await begin('own', ANN)
    expect((await remove('/object/shared/own')).status).toBe(200)
    expect((await overGone('third')).status).toBe(200)
    expect(await read('shared/own')).toBe('from third')
    expect(await strays()).toEqual([])
  })
})

it('asks again when nobody knows whether the row was written', async () => {
  const b = await bucket('unknown')
  const { storage } = service.deps
  const { asService } = storage
  const lost = Object.assign(new Error('lost'), { name: 'PgUnavailable', reason: 'connection lost' })
  const put = (key: string, headers: Record<string, string>) =>
    fetch(`${service.url}/object/${b}/${key}`, {
      method: 'PUT',
      headers: { ...auth, 'content-type': 'text/plain', ...headers },
      body: 'bytes',
    })
  const client = await service.database.connect()
  await client.query(`create policy unknown on storage.objects to authenticated using (bucket_id = 'unknown')`)
  await client.end()
  const user = { authorization: `Bearer ${token({ role: 'authenticated', sub: '00000000-0000-4000-8000-00000000000a' })}` }
  for (const committed of [true, false]) {
    for (const headers of [{}, { 'if-match': '*' }, user]) {
      const key = `k-${committed}-${Object.keys(headers).join()}`
      if ('if-match' in headers || headers === user) expect((await put(key, {})).status).toBe(200)
      let broken = false
      Object.assign(storage, {
        asService: async (...args: Parameters<typeof asService>) => {
          if (broken || !args[0].statements.some(({ text }) => text.includes('ledger.publish'))) return asService(...args)
          broken = true
          if (committed) await asService(...args)
          throw lost
        },
      })
      expect((await put(key, headers)).status).toBe(200)
      expect(broken).toBe(true)
      Object.assign(storage, { asService })
      expect(await read(`${b}/${key}`)).toBe('bytes')
    }
  }
  expect(await strays()).toEqual([])
})
