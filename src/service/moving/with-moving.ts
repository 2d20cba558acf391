import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ByteStore, VersionId } from '../../bytes/byte-store.ts'
import type { Config } from '../../config/options.ts'
import { StartupError } from '../../config/startup-error.ts'
import { connectOwner } from '../../pg/owner-connection.ts'
import type { Row } from '../../pg/scoped-batch.ts'
import type { Statement } from '../../sqltext/sql.ts'
import { milliseconds } from '../../std/brand.ts'
import { renewVersions } from '../../storage/rows/ledger.sql.ts'
import { endLease, takeLease } from '../../storage/rows/sweep.sql.ts'
import { createInFlight } from '../../storage/sweep/in-flight.ts'
import { identifyStore } from '../../storage/sweep/store-identity.ts'
import { type OpenedStore, openStores } from '../open-store.ts'
import { withConnections } from '../with-connections.ts'

export type Moving = {
  readonly config: Config
  readonly dataFolder: string
  /** statements of one transaction, as the service; may delete rows */
  readonly run: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[]>
  readonly ownerUrl: string
  readonly hold: (version: VersionId) => () => void
  readonly signal: AbortSignal
}

const LEASE_LIFE = milliseconds(20_000)
const RENEW_MS = 4_000
const ASK_AGAIN_MS = 500
const BUSY = 'Another import, export or copy is running on this database.'

/**
 * Hands a command that moves bytes the database, one command at a time. What it holds is kept from the sweeper; Ctrl-C ends it in order.
 * @throws StartupError
 */
export const withMoving = <T>(onLine: (line: string) => void, work: (moving: Moving) => Promise<T>): Promise<T> =>
  withConnections(onLine, async ({ config, dataFolder, ownerUrl, connections }) => {
    const stopping = new AbortController()
    const stop = () => stopping.abort(new StartupError('It was stopped. Run the same command again to go on.'))
    const inFlight = createInFlight()
    const holder = randomUUID()
    const run: Moving['run'] = (statements) =>
      connections.asService(
        { access: 'read write', end: 'commit', settings: [['storage.allow_delete_query', 'true']], statements },
        new AbortController().signal,
      )
    const keep = async () => {
      const held = inFlight.versions()
      const [lease] = await run([takeLease('moving', holder, LEASE_LIFE), ...(held.length > 0 ? [renewVersions(held)] : [])])
      return lease?.length === 1
    }
    /** A command that was killed lets go by itself. */
    const begin = async () => {
      const until = performance.now() + LEASE_LIFE + ASK_AGAIN_MS
      for (let told = false; !(await keep()); told = true) {
        stopping.signal.throwIfAborted()
        if (performance.now() > until) throw new StartupError(BUSY)
        if (!told) onLine('waiting for another import, export or copy to end')
        await sleep(ASK_AGAIN_MS)
      }
    }
    const goOn = async () => {
      if (!(await keep())) throw new StartupError(BUSY)
    }
    let renewing: NodeJS.Timeout | undefined
    process.once('SIGINT', stop).once('SIGTERM', stop)
    try {
      await begin()
      renewing = setInterval(() => goOn().catch((error) => stopping.abort(error)), RENEW_MS)
      return await work({
        config,
        dataFolder,
        run,
        ownerUrl,
        hold: inFlight.hold,
        signal: stopping.signal,
      })
    } finally {
      clearInterval(renewing)
      process.off('SIGINT', stop).off('SIGTERM', stop)
      await run([endLease('moving', holder)]).catch(() => undefined)
    }
  })

/** The store of the settings, once it is known to be the database's. */
export async function withOwnBytes<T>({ config, dataFolder, run }: Moving, work: (store: ByteStore) => Promise<T>): Promise<T> {
  const opened: OpenedStore = await openStores(config, dataFolder)
  try {
    const identity = await identifyStore(
      { asService: (batch) => run(batch.statements), bytes: opened.store, marker: opened.marker, newId: randomUUID },
      new AbortController().signal,
    )
    if (identity.kind === 'mismatch') throw new StartupError(`The files in ${opened.place} do not belong to the database: ${identity.why}.`)
    return await work(opened.store)
  } finally {
    await opened.store.close()
  }
}

/** As the database's owner. */
export async function asOwner<T>(url: string, work: (owner: Awaited<ReturnType<typeof connectOwner>>) => Promise<T>): Promise<T> {
  const owner = await connectOwner(url, 'stowage moving')
  try {
    return await work(owner)
  } finally {
    await owner.end()
  }
}
