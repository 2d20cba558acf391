import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ByteStore } from '../../../src/bytes/byte-store.ts'
import { createFsByteStore, type FsByteStoreOptions } from '../../../src/bytes/fs.ts'
import { createS3ByteStore } from '../../../src/bytes/s3/s3.ts'
import { milliseconds } from '../../../src/std/brand.ts'
import { type S3Server, s3Program, startS3Server } from '../../support/s3-server.ts'

let server: Promise<S3Server> | null = null
let open = 0
let made = 0

export type TestStore = {
  readonly store: ByteStore
  /** where the files are; empty where there are none */
  readonly folder: string
  readonly close: () => Promise<void>
}

/** An empty store: a folder, or a bucket where the variable TEST_STORE is `s3`. */
export async function openTestStore(options: Partial<FsByteStoreOptions> = {}): Promise<TestStore> {
  return process.env.TEST_STORE === 's3' ? openBucket() : openFolder(options)
}

async function openFolder(options: Partial<FsByteStoreOptions>): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-test-'))
  const store = createFsByteStore({ folder, maxConcurrentSyncs: 2, ...options })
  return { store, folder, close: () => rm(folder, { recursive: true }) }
}

/** One server for all stores that are open in this process. */
async function openBucket(): Promise<TestStore> {
  open++
  server ??= s3Program('a bucket').then((program) => {
    if (program === null) throw new Error('TEST_STORE=s3 needs versitygw')
    return startS3Server(program)
  })
  const place = await (await server).place(`wire-${++made}`)
  const { store } = createS3ByteStore({ place, limits: { callMs: milliseconds(20_000), objectMs: milliseconds(60_000) } })
  return {
    store,
    folder: '',
    close: async () => {
      await store.close()
      if (--open > 0) return
      const last = server
      server = null
      await (await last)?.stop()
    },
  }
}
