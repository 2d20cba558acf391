import { createHash, randomBytes } from 'node:crypto'
import fsPromises, { type FileHandle } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NoSuchBytes, StoreFailed, type VersionId } from '../../src/bytes/byte-store.ts'
import { createDigestThreads, type DigestThreads } from '../../src/bytes/digest-threads.ts'
import { createFsByteStore } from '../../src/bytes/fs.ts'
import type { FsIo } from '../../src/bytes/fs-io.ts'
import { keepFiles } from '../../src/bytes/keep-files.ts'
import { createFsStoreMarker } from '../../src/bytes/store-marker.ts'
import { createWriteThreads } from '../../src/bytes/write-threads.ts'
import { bytes } from '../../src/std/brand.ts'
import { createFaultyIo } from '../faults/faulty-io.ts'
import { bodyOf, describeByteStore, never, newVersion, put, read } from './byte-store.contract.ts'

let folder: string
beforeEach(async () => {
  folder = await fsPromises.mkdtemp(join(tmpdir(), 'stowage-bytes-'))
})
afterEach(() => fsPromises.rm(folder, { recursive: true, force: true }))

const storeWith = (io?: FsIo) => createFsByteStore({ folder, maxConcurrentSyncs: 4, ...(io && { io }) })

describeByteStore('fs', async () => storeWith())
describeByteStore('fs with threads', async () =>
  createFsByteStore({ folder, maxConcurrentSyncs: 4, threads: createWriteThreads(2), digests: createDigestThreads(2) }),
)

/** Every call, in order and relative to the store; `decide` may put an outcome in place of it. */
function watched(decide: (call: string, count: number) => Error | number | undefined = () => undefined) {
  const calls: string[] = []
  const counts = new Map<string, number>()
  const step = (name: string, path: string) => {
    const call = `${name} ${relative(folder, path) || '.'}`
    calls.push(call)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const outcome = decide(call, counts.get(name) ?? 0)
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const io: FsIo = {
    open: (async (path: string, flags: string, mode?: number) => {
      step(`open(${flags})`, path)
      const handle = await fsPromises.open(path, flags, mode)
      return new Proxy(handle, {
        get: (target, property) => {
          const member = Reflect.get(target, property, target)
          if (typeof member !== 'function') return member
          return async (...args: unknown[]) => {
            const short = step(String(property), path)
            if (typeof short === 'number') return (target as FileHandle).write(Buffer.concat([args[0] as Buffer].flat()).subarray(0, short))
            return member.apply(target, args)
          }
        },
      })
    }) as FsIo['open'],
    mkdir: (async (path: string, options: object) => {
      step('mkdir', path)
      return fsPromises.mkdir(path, options)
    }) as FsIo['mkdir'],
    unlink: async (path) => {
      step('unlink', String(path))
      return fsPromises.unlink(path)
    },
    readdir: fsPromises.readdir,
  }
  return { io, calls }
}

const failing = (code: string) => Object.assign(new Error(code), { code })
const version = 'abcd0000-0000-4000-8000-000000000000' as VersionId

describe('fs: what reaches the disk, and when', () => {
  test('file, then its folder; new folders are flushed into those above before', async () => {
    const { io, calls } = watched()
    const store = storeWith(io)
    await put(store, version, Buffer.from('x'))
    expect(calls).toEqual([
      ...['open(r) ..', 'sync ..', 'close ..'],
      ...['mkdir ab', 'open(r) .', 'sync .', 'close .'],
      ...['mkdir ab/cd', 'open(r) ab', 'sync ab', 'close ab'],
      ...[`open(wx) ab/cd/${version}`, `write ab/cd/${version}`, `sync ab/cd/${version}`, `close ab/cd/${version}`],
      ...['open(r) ab/cd', 'sync ab/cd', 'close ab/cd'],
    ])
    calls.length = 0
    const second = `${version.slice(0, -1)}1` as VersionId
    await put(store, second, Buffer.alloc(0))
    expect(calls).toEqual([
      `open(wx) ab/cd/${second}`,
      `sync ab/cd/${second}`,
      `close ab/cd/${second}`,
      'open(r) ab/cd',
      'sync ab/cd',
      'close ab/cd',
    ])
  })

  test('a folder that another process made is flushed too, since it may not be on the disk yet', async () => {
    await fsPromises.mkdir(join(folder, 'ab/cd'), { recursive: true })
    const { io, calls } = watched()
    await put(storeWith(io), version, Buffer.from('x'))
    expect(calls.slice(0, 11).filter((call) => call.startsWith('sync'))).toEqual(['sync ..', 'sync .', 'sync ab'])
  })

  test('whichever call fails, the put fails, leaves nothing, and is not tried again', async () => {
    const plain = watched()
    await put(storeWith(plain.io), version, randomBytes(600_000))
    await fsPromises.rm(join(folder, 'ab'), { recursive: true })
    expect(plain.calls.length).toBeGreaterThan(15)
    for (let nth = 0; nth < plain.calls.length; nth++) {
      const faulty = watched(() => (faulty.calls.length === nth + 1 ? failing('EIO') : undefined))
      const store = storeWith(faulty.io)
      await expect(put(store, version, randomBytes(600_000))).rejects.toThrow('EIO')
      expect(await storeWith().list(null, 10)).toEqual([])
      const failed = faulty.calls[nth] ?? ''
      expect(faulty.calls.filter((call) => call === failed).length).toBe(
        plain.calls.slice(0, nth + 1).filter((call) => call === failed).length,
      )
      const content = randomBytes(1000)
      await put(store, version, content)
      expect((await read(store, version)).equals(content)).toBe(true)
      await fsPromises.rm(join(folder, 'ab'), { recursive: true })
    }
  })

  test('a disk that takes a part of a write gets the rest; one that takes nothing fails the put', async () => {
    const content = randomBytes(200_000)
    const short = watched((call, count) => (/^writev? /.test(call) && count <= 3 ? 70_000 : undefined))
    await put(storeWith(short.io), version, content)
    expect((await read(storeWith(), version)).equals(content)).toBe(true)
    const full = watched((call) => (/^writev? /.test(call) ? 0 : undefined))
    await expect(put(storeWith(full.io), newVersion(), content)).rejects.toThrow('no more bytes')
    expect(await storeWith().list(null, 10)).toEqual([version])
  })

  test('a folder that disappears under a running store is made again', async () => {
    const store = storeWith()
    await put(store, version, Buffer.from('x'))
    await fsPromises.rm(join(folder, 'ab'), { recursive: true })
    await expect(store.get(version, { range: null, signal: never })).rejects.toThrow(NoSuchBytes)
    await put(store, version, Buffer.from('y'))
    expect((await read(store, version)).toString()).toBe('y')
  })

  test('the store itself is not made again: an unmounted disk must show', async () => {
    const store = storeWith()
    await put(store, version, Buffer.from('x'))
    await fsPromises.rm(folder, { recursive: true })
    await expect(put(store, newVersion(), Buffer.from('x'))).rejects.toThrow('ENOENT')
    await expect(store.list(null, 10)).rejects.toThrow('ENOENT')
  })

  test('files and folders are readable by their owner only, whatever the umask', async () => {
    const before = process.umask(0)
    try {
      await put(storeWith(), version, Buffer.from('x'))
    } finally {
      process.umask(before)
    }
    expect((await fsPromises.stat(join(folder, 'ab/cd', version))).mode & 0o777).toBe(0o600)
    expect((await fsPromises.stat(join(folder, 'ab/cd'))).mode & 0o777).toBe(0o700)
  })

  test('a file that is shorter than asked for ends as an error', async () => {
    const store = storeWith()
    await put(store, version, randomBytes(400_000))
    await fsPromises.truncate(join(folder, 'ab/cd', version), 100_000)
    const range = { first: bytes(0), last: bytes(399_999) }
    await expect(read(store, version, range)).rejects.toThrow('shorter')
    await expect(store.get(version, { range: { first: bytes(99_999), last: bytes(100_005) }, signal: never })).rejects.toThrow('shorter')
  })

  test('a copy of damaged bytes has hashes of its own, whatever is known of its source', async () => {
    const store = storeWith()
    for (const size of [1_000, 700_000]) {
      const [from, to] = [newVersion(), newVersion()]
      const content = randomBytes(size)
      const known = await put(store, from, content)
      const file = join(folder, from.slice(0, 2), from.slice(2, 4), from)
      for (const damaged of [
        Buffer.concat([content, Buffer.of(0)]),
        content.subarray(1),
        Buffer.concat([Buffer.of((content[0] ?? 0) ^ 1), content.subarray(1)]),
      ]) {
        await fsPromises.writeFile(file, damaged)
        const stored = await store.copy(from, to, { known, signal: never })
        expect(stored).toMatchObject({ size: damaged.length, md5: createHash('md5').update(damaged).digest('hex') })
        expect((await read(store, to)).equals(damaged)).toBe(true)
        await store.delete([to])
      }
    }
  })

  test('foreign files in the folder are not listed', async () => {
    await put(storeWith(), version, Buffer.from('x'))
    await createFsStoreMarker(folder).write('00000000-0000-4000-8000-000000000000')
    for (const name of ['lost+found', 'zz', '.DS_Store', 'abc']) await fsPromises.mkdir(join(folder, name))
    await fsPromises.writeFile(join(folder, 'ab/cd/notes.txt'), '')
    await fsPromises.writeFile(join(folder, 'ab/cd', newVersion().replace(/^..../, 'eeee')), '')
    expect(await storeWith().list(null, 10)).toEqual([version])
  })

  test.skipIf(process.platform !== 'linux')('no file stays open, whatever happened', async () => {
    const openFiles = async () => {
      const links = (await fsPromises.readdir('/proc/self/fd')).map((fd) => fsPromises.readlink(`/proc/self/fd/${fd}`).catch(() => ''))
      return (await Promise.all(links)).filter((file) => file.startsWith(folder))
    }
    const store = storeWith()
    await put(store, version, randomBytes(500_000))
    await buffer(await store.get(version, { range: null, signal: never }))
    ;(await store.get(version, { range: null, signal: never })).destroy()
    const leaving = new AbortController()
    const body = await store.get(version, { range: null, signal: leaving.signal })
    body.on('error', () => {})
    leaving.abort()
    await store.copy(version, newVersion(), { known: null, signal: never })
    const broken = new PassThrough()
    const putting = store.put(newVersion(), broken, { maxBytes: bytes(9), signal: never })
    broken.end('0123456789')
    await expect(putting).rejects.toThrow()
    await expect(store.put(version, bodyOf(randomBytes(10)), { maxBytes: bytes(9), signal: never })).rejects.toThrow()
    await expect.poll(openFiles).toEqual([])
  })
})

describe('small files in threads of their own', () => {
  const shown = (call: { name: string; path: string; flags: string | null }) =>
    [call.name, call.flags, relative(folder, call.path) || '.'].filter(Boolean).join(' ')
  const files = ['home/a', 'home/b', 'other/c'].map((name) => ({ name, bytes: randomBytes(4_000) }))
  const placed = () => files.map(({ name, bytes: content }) => ({ path: join(folder, name), bytes: content }))

  beforeEach(async () => {
    await fsPromises.mkdir(join(folder, 'home'))
    await fsPromises.mkdir(join(folder, 'other'))
  })

  test('each is written once and flushed once, and so is each folder, behind them', async () => {
    const disk = createFaultyIo()
    expect(keepFiles(placed(), disk.syncIo)).toEqual([null, null, null])
    const path = ['home/a', 'home/b', 'other/c']
    expect(disk.calls().map(shown)).toEqual([
      ...path.flatMap((name) => [`open wx ${name}`, `write wx ${name}`]),
      ...path.flatMap((name) => [`fsync wx ${name}`, `close wx ${name}`]),
      ...['home', 'other'].flatMap((name) => [`open r ${name}`, `fsync r ${name}`, `close r ${name}`]),
    ])
    for (const { path: at, bytes: content } of placed()) {
      expect((await fsPromises.readFile(at)).equals(content)).toBe(true)
      expect((await fsPromises.stat(at)).mode & 0o777).toBe(0o600)
    }
  })

  test('whichever call fails, those that it was for fail and are taken away, and the others are there', async () => {
    const disk = createFaultyIo()
    keepFiles(placed(), disk.syncIo)
    const calls = disk.calls().map(shown)
    for (let nth = 1; nth <= calls.length; nth++) {
      for (const { path } of placed()) await fsPromises.rm(path, { force: true })
      disk.failNth(nth, 'EIO')
      const faults = keepFiles(placed(), disk.syncIo)
      disk.failNoMore()
      const failed = calls[nth - 1] ?? ''
      const hit = placed().map(
        ({ path }) => failed.endsWith(` ${relative(folder, path)}`) || failed.endsWith(` ${relative(folder, join(path, '..'))}`),
      )
      expect(hit, failed).toContain(true)
      expect(
        faults.map((fault) => fault?.code ?? null),
        failed,
      ).toEqual(hit.map((isHit) => (isHit ? 'EIO' : null)))
      for (const [i, { path, bytes: content }] of placed().entries()) {
        const found = await fsPromises.readFile(path).catch(() => null)
        if (hit[i]) expect(found, failed).toBe(null)
        else expect(found?.equals(content), failed).toBe(true)
      }
      expect(disk.openFiles()).toEqual([])
    }
  })

  test('a name that is taken keeps its bytes', async () => {
    const [first] = placed()
    if (!first) return expect.fail()
    await fsPromises.writeFile(first.path, 'old')
    expect(keepFiles(placed(), createFaultyIo().syncIo).map((fault) => fault?.code ?? null)).toEqual(['EEXIST', null, null])
    expect(await fsPromises.readFile(first.path, 'utf8')).toBe('old')
  })

  test('a disk that takes a part of a write gets the rest; one that takes nothing is full', () => {
    const { syncIo } = createFaultyIo()
    const short = {
      ...syncIo,
      writeSync: ((fd: number, content: Uint8Array, at: number) => syncIo.writeSync(fd, content, at, 1_000)) as typeof syncIo.writeSync,
    }
    const [first, second] = placed()
    if (!first || !second) return expect.fail()
    expect(keepFiles([first], short)).toEqual([null])
    const full = { ...syncIo, writeSync: () => 0 }
    expect(keepFiles([second], full)).toMatchObject([{ code: 'ENOSPC' }])
  })

  test('many at once all come to the disk; behind the end nothing is taken', async () => {
    const threads = createWriteThreads(2, 50)
    const many = Array.from({ length: 200 }, (_, i) => ({ path: join(folder, 'home', String(i)), content: randomBytes(i * 20) }))
    const kept = many.map(({ path, content }) => threads.keep(path, [content.subarray(0, 7), content.subarray(7)], content.length))
    await expect(threads.keep(join(folder, 'nowhere/x'), [], 0)).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' })
    await Promise.all(kept)
    for (const { path, content } of many) expect((await fsPromises.readFile(path)).equals(content)).toBe(true)
    // by then the threads have ended, and others are started
    await sleep(300)
    await threads.keep(join(folder, 'other/later'), [Buffer.from('x')], 1)
    expect(await fsPromises.readFile(join(folder, 'other/later'), 'utf8')).toBe('x')
    await threads.close()
    await expect(threads.keep(join(folder, 'home/late'), [], 0)).rejects.toThrow('closed')
    expect(await fsPromises.readdir(join(folder, 'home'))).toHaveLength(200)
  })
})

describe('large files', () => {
  const isFlush = (call: string) => call === `sync ab/cd/${version}`
  const openFiles = async () => {
    const links = (await fsPromises.readdir('/proc/self/fd')).map((fd) => fsPromises.readlink(`/proc/self/fd/${fd}`).catch(() => ''))
    return (await Promise.all(links)).filter((file) => file.startsWith(folder))
  }

  /** The same MiB so many times. */
  const megabytes = (count: number, mib: Buffer) =>
    Readable.from(
      (function* () {
        for (let i = 0; i < count; i++) yield mib
      })(),
      { objectMode: false },
    )

  test('many at once are each whole, and known by their own hashes, while writes come back in any order', async () => {
    const { io } = watched()
    const slow: FsIo = {
      ...io,
      open: async (path, flags, mode) => {
        const file = await io.open(path, flags, mode)
        const write = file.write.bind(file) as (piece: Buffer) => Promise<{ bytesWritten: number; buffer: Buffer }>
        return Object.assign(file, {
          write: async (piece: Buffer) => {
            await sleep(Math.random() * 4)
            return write(piece.subarray(0, 1 + Math.floor(Math.random() * piece.length)))
          },
        })
      },
    }
    const store = createFsByteStore({ folder, maxConcurrentSyncs: 4, io: slow, digests: createDigestThreads(2) })
    const contents = Array.from({ length: 12 }, (_, i) => randomBytes(100_000 + i * 150_001))
    const versions = contents.map(newVersion)
    const stored = await Promise.all(contents.map((content, i) => put(store, versions[i] ?? version, content)))
    for (const [i, content] of contents.entries()) {
      expect(stored[i]).toMatchObject({ size: content.length, sha256: createHash('sha256').update(content).digest('hex') })
      expect((await read(store, versions[i] ?? version)).equals(content)).toBe(true)
    }
    await store.close()
  })

  test('a sender who is faster than the disk is not read ahead by more than a mebibyte', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { io } = watched()
    const stuck: FsIo = {
      ...io,
      open: async (path, flags, mode) => {
        const file = await io.open(path, flags, mode)
        const write = file.write.bind(file) as (piece: Buffer) => Promise<{ bytesWritten: number; buffer: Buffer }>
        return Object.assign(file, { write: (piece: Buffer) => held.then(() => write(piece)) })
      },
    }
    const content = randomBytes(5_000_000)
    let taken = 0
    const body = Readable.from(
      (async function* () {
        for (let at = 0; at < content.length; at += 65_536) {
          taken = at
          yield content.subarray(at, at + 65_536)
        }
      })(),
      { objectMode: false, highWaterMark: 1 },
    )
    const putting = storeWith(stuck).put(version, body, { maxBytes: bytes(1e9), signal: never })
    await expect.poll(() => taken).toBeGreaterThan(700_000)
    await sleep(100)
    expect(taken).toBeLessThan(1_300_000)
    release()
    expect((await putting).size).toBe(content.length)
    expect((await read(storeWith(), version)).equals(content)).toBe(true)
  })

  test('the disk begins with a very large one while it comes, and its end is flushed too', async () => {
    const { io, calls } = watched()
    const mib = randomBytes(1 << 20)
    const stored = await storeWith(io).put(version, megabytes(130, mib), { maxBytes: bytes(1e9), signal: never })
    expect(stored.size).toBe(130 << 20)
    const own = calls.filter((call) => call.endsWith(version))
    expect(own.filter(isFlush)).toHaveLength(3)
    expect(own.slice(-2)).toEqual([`sync ab/cd/${version}`, `close ab/cd/${version}`])
    expect(own.lastIndexOf(`write ab/cd/${version}`)).toBe(own.length - 3)
  })

  test.each([
    [1, 2_000],
    [2, 100],
  ])(
    'when flush %i of a very large one fails, so does the put, at once, without another flush, and nothing is left',
    async (nth, mebibytes) => {
      let count = 0
      const { io, calls } = watched((call) => (isFlush(call) && ++count === nth ? failing('EIO') : undefined))
      const body = megabytes(mebibytes, randomBytes(1 << 20))
      await expect(storeWith(io).put(version, body, { maxBytes: bytes(1e10), signal: never })).rejects.toThrow('EIO')
      expect(calls.filter(isFlush)).toHaveLength(nth)
      // a failure in the middle does not wait for the end
      expect(calls.filter((call) => call.startsWith('write ')).length).toBeLessThan(100 * 8 + 1)
      expect(await storeWith().list(null, 10)).toEqual([])
    },
  )

  test.skipIf(process.platform !== 'linux')(
    'when a thread that hashes ends, its uploads fail, leave nothing, and the next goes through',
    async () => {
      const real = createDigestThreads(1)
      for (const isEnd of [false, true]) {
        let isBroken = true
        const digests: DigestThreads = {
          ...real,
          begin: () => {
            const digest = real.begin()
            if (!isBroken) return digest
            return isEnd ? { ...digest, finish: () => digest.finish(5 as never) } : { ...digest, add: () => digest.add(5 as never) }
          },
        }
        const store = createFsByteStore({ folder, maxConcurrentSyncs: 4, threads: createWriteThreads(1), digests })
        const content = randomBytes(3_000_000)
        await expect(put(store, version, content)).rejects.toThrow(StoreFailed)
        expect(await store.list(null, 10)).toEqual([])
        await expect.poll(openFiles).toEqual([])
        isBroken = false
        expect((await put(store, version, content)).size).toBe(content.length)
        expect((await read(store, version)).equals(content)).toBe(true)
        await store.delete([version])
      }
      await real.close()
    },
  )

  test('what a request brings may be taken over, and arrives whole', async () => {
    const store = createFsByteStore({ folder, maxConcurrentSyncs: 4, digests: createDigestThreads(2) })
    const seen: Buffer[] = []
    const outcomes: Promise<number>[] = []
    const server = createServer((request, response) => {
      const { read: take } = request
      request.read = (size?: number) => {
        const chunk = take.call(request, size)
        if (chunk) seen.push(chunk)
        return chunk
      }
      const putting = store.put(version, request, { maxBytes: bytes(1e9), signal: never })
      outcomes.push(putting.then(({ size }) => size))
      putting.finally(() => response.end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const content = randomBytes(2_000_000)
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', body: content })
    server.close()
    expect(await Promise.all(outcomes)).toEqual([content.length])
    expect((await read(store, version)).equals(content)).toBe(true)
    // the memory of the large ones was given back
    expect(seen.some(({ length }) => length === 0)).toBe(true)
    expect(seen.filter(({ length }) => length >= 16_384)).toEqual([])
    await store.close()
  })

  test('what somebody else may hold is left to them', async () => {
    const content = randomBytes(2_000_000)
    const chunks = [content.subarray(0, 500_000), Buffer.from(new Uint8Array(content.subarray(500_000)))]
    const store = createFsByteStore({ folder, maxConcurrentSyncs: 4, threads: createWriteThreads(1), digests: createDigestThreads(2) })
    await store.put(version, Readable.from(chunks, { objectMode: false }), { maxBytes: bytes(1e9), signal: never })
    expect(Buffer.concat(chunks).equals(content)).toBe(true)
    await store.close()
  })
})

describe('the marker of a store', () => {
  const id = '11111111-2222-4333-8444-555555555555'
  test('is what was written, null when there is none, an error when it is something else', async () => {
    const marker = createFsStoreMarker(folder)
    expect(await marker.read()).toBe(null)
    await marker.write(id)
    expect(await createFsStoreMarker(folder).read()).toBe(id)
    for (const text of ['', '{', '{}', 'null', '{"storeId": 5}', '{"storeId": "../x"}']) {
      await fsPromises.writeFile(join(folder, 'stowage-store.json'), text)
      await expect(marker.read()).rejects.toThrow('does not name a store')
    }
  })
})
