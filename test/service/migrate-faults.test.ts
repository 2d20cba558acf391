import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MigrateOptions, migrate } from '../../src/pg/migrate.ts'
import type { OwnerClient } from '../../src/pg/owner-connection.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { schemaFingerprint } from '../support/schema-fingerprint.ts'

const ROOT = join(import.meta.dirname, '../..')
const SHIPPED: MigrateOptions = {
  migrationsFolder: join(ROOT, 'migrations'),
  routinesFolder: join(ROOT, 'sql/routines'),
  ownDatabase: true,
  onLine: () => undefined,
}
/** Every point, or so many of them for every day: FULL_SIZE=1 */
const POINTS = process.env.FULL_SIZE === '1' ? Number.POSITIVE_INFINITY : 12

/** Ends the session at its n-th statement of DDL, as a crash of the server would. */
const KILLER = `
  create function public.kill_at() returns event_trigger language plpgsql as $$
  declare
    n integer := coalesce(nullif(current_setting('kill.count', true), ''), '0')::integer + 1;
  begin
    perform set_config('kill.count', n::text, false);
    if n = coalesce(nullif(current_setting('kill.at', true), ''), '0')::integer then
      perform pg_terminate_backend(pg_backend_pid());
    end if;
  end $$;
  create event trigger kill_at on ddl_command_end execute function public.kill_at();`
const DISARM = 'drop event trigger kill_at; drop function public.kill_at()'

let whole: readonly string[]
beforeAll(async () => {
  whole = await withDatabase(async (database) => {
    const client = await database.connect()
    await migrate(client, SHIPPED)
    return schemaFingerprint(client)
  })
  expect(whole.length).toBeGreaterThan(150)
})

async function withDatabase<T>(work: (database: FreshDatabase) => Promise<T>): Promise<T> {
  const database = await freshDatabase('migrate_faults')
  try {
    return await work(database)
  } finally {
    await database.drop()
  }
}

async function doomed(database: FreshDatabase): Promise<pg.Client> {
  const client = await database.connect()
  client.on('error', () => undefined)
  return client
}

/** At most {@link POINTS} of 1 to `last`, the first and the last among them. */
function pointsTo(last: number): readonly number[] {
  if (last <= POINTS) return Array.from({ length: last }, (_, i) => i + 1)
  return Array.from({ length: POINTS }, (_, i) => 1 + Math.round((i * (last - 1)) / (POINTS - 1)))
}

describe('a migration that is killed', () => {
  test('at any statement of any file is done by the next start, and leaves the schema of an undisturbed one', async () => {
    const statements = await withDatabase(async (database) => {
      const client = await database.connect()
      await client.query(KILLER)
      await migrate(client, SHIPPED)
      return Number((await client.query(`select current_setting('kill.count') as count`)).rows[0]?.count)
    })
    expect(statements).toBeGreaterThan(60)
    for (const point of pointsTo(statements)) {
      await withDatabase(async (database) => {
        const killed = await doomed(database)
        await killed.query(KILLER)
        await killed.query(`set kill.at = '${point}'`)
        await expect(migrate(killed, SHIPPED), `statement ${point}`).rejects.toThrow()
        const next = await database.connect()
        await next.query(DISARM)
        await migrate(next, SHIPPED)
        expect(await schemaFingerprint(next), `after a kill at statement ${point} of ${statements}`).toEqual(whole)
        expect(await migrate(next, SHIPPED)).toEqual([])
      })
    }
  }, 300_000)

  test('between any two of its questions, too', async () => {
    const counted = async (client: OwnerClient, killAt: number, kill: () => Promise<void>) => {
      let asked = 0
      await migrate(
        {
          query: async (text, values) => {
            if (++asked === killAt) await kill()
            return client.query(text, values)
          },
        },
        SHIPPED,
      )
      return asked
    }
    const questions = await withDatabase(async (database) => counted(await database.connect(), 0, async () => undefined))
    for (const point of pointsTo(questions)) {
      await withDatabase(async (database) => {
        const killed = await doomed(database)
        await expect(counted(killed, point, () => killed.end())).rejects.toThrow()
        const next = await database.connect()
        await migrate(next, SHIPPED)
        expect(await schemaFingerprint(next), `after a kill at question ${point} of ${questions}`).toEqual(whole)
      })
    }
  }, 300_000)
})

describe('several servers that migrate at once', () => {
  test('make one schema, and each file runs once', async () => {
    await withDatabase(async (database) => {
      const clients = await Promise.all(Array.from({ length: 4 }, () => database.connect()))
      const ran = (await Promise.all(clients.map((client) => migrate(client, SHIPPED)))).flat()
      expect(ran.length).toBe(new Set(ran).size)
      expect(await schemaFingerprint(clients[0] as pg.Client)).toEqual(whole)
    })
  })

  test('go on when the one that was first is killed', async () => {
    await withDatabase(async (database) => {
      const first = await doomed(database)
      await first.query(KILLER)
      await first.query(`set kill.at = '40'`)
      const others = await Promise.all(Array.from({ length: 3 }, () => database.connect()))
      const outcomes = await Promise.allSettled([first, ...others].map((client) => migrate(client, SHIPPED)))
      expect(outcomes.slice(1).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
      const [next] = others
      await next?.query(DISARM)
      expect(await schemaFingerprint(next as pg.Client)).toEqual(whole)
    })
  })
})

describe('an upgrade', async () => {
  const files = (await readdir(SHIPPED.migrationsFolder)).sort()
  const folders: string[] = []
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

  async function older(steps: number, withRoutines: boolean): Promise<MigrateOptions> {
    const [migrationsFolder, empty] = [await mkdtemp(join(tmpdir(), 'older-')), await mkdtemp(join(tmpdir(), 'older-'))]
    folders.push(migrationsFolder, empty)
    for (const file of files.slice(0, steps)) await copyFile(join(SHIPPED.migrationsFolder, file), join(migrationsFolder, file))
    return { ...SHIPPED, migrationsFolder, routinesFolder: withRoutines ? SHIPPED.routinesFolder : empty }
  }

  test.each(files.map((_, i) => [i] as const))('from the state after %i files leads to the same schema', async (steps) => {
    await withDatabase(async (database) => {
      const client = await database.connect()
      expect((await migrate(client, await older(steps, false))).length).toBe(steps)
      expect((await migrate(client, SHIPPED)).length).toBe(whole.filter((line) => /^(ran|routine) /.test(line)).length - steps)
      expect(await schemaFingerprint(client)).toEqual(whole)
    })
  })

  test('of a database with objects keeps them', async () => {
    await withDatabase(async (database) => {
      const client = await database.connect()
      await migrate(client, await older(4, true))
      await client.query(`
        insert into storage.buckets (id, name) values ('b', 'b');
        insert into storage.objects (bucket_id, name, version, metadata) values ('b', 'Old.txt', 'a0000000-0000-4000-8000-000000000001', '{"size": 3}');`)
      await migrate(client, SHIPPED)
      expect(await schemaFingerprint(client)).toEqual(whole)
      const { rows } = await client.query(`select name, name_folded, version, metadata, crc32 from storage.objects`)
      expect(rows).toEqual([
        { name: 'Old.txt', name_folded: 'old.txt', version: 'a0000000-0000-4000-8000-000000000001', metadata: { size: 3 }, crc32: null },
      ])
    })
  })
})
