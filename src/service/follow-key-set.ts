import { constants, open } from 'node:fs/promises'
import { BadKeySet, type SessionKeys, sessionKeys } from '../auth/session-keys.ts'
import type { KeySetSource } from '../config/load-config.ts'
import { reasonOf, StartupError } from '../config/startup-error.ts'
import type { Observe } from '../observe/observation.ts'
import type { Milliseconds } from '../std/brand.ts'

export type KeySetDeps = {
  /** of HS256 tokens */
  readonly secret: string
  readonly source: KeySetSource | null
  readonly observe: Observe
  /** between two looks at the file */
  readonly everyMs: Milliseconds
}

export type FollowedKeySet = {
  /** those of this moment */
  readonly keys: () => SessionKeys
  /** what it says at the moment stays */
  readonly end: () => void
}

const MAX_BYTES = 2 ** 20

/**
 * The keys of sessions; where they came from a file, those that are in it now. The file is read again and again and compared: its time
 * tells too little of it, and a link on the way to it may be what has changed. A file that is no key set changes nothing, since somebody may be in the
 * midst of writing it; an empty set does.
 * @throws StartupError
 */
export function followKeySet({ secret, source, observe, everyMs }: KeySetDeps): FollowedKeySet {
  let current = firstKeys(secret, source)
  const file = source?.file ?? null
  if (file === null) return { keys: () => current, end: () => undefined }
  let known = source?.json
  let complaint: string | null = null
  let timer: NodeJS.Timeout
  let ended = false

  async function look(file: string): Promise<void> {
    try {
      const json = await readAgain(file)
      if (json !== null && json !== known) {
        current = sessionKeys(secret, json)
        known = json
        observe({ kind: 'note', level: 'info', message: 'the key set was read again', details: { file } })
      }
      complaint = null
    } catch (error) {
      const reason = reasonOf(error)
      if (reason !== complaint)
        observe({ kind: 'note', level: 'warn', message: 'the key set cannot be read again, and the old one stays', details: { reason } })
      complaint = reason
    }
  }
  function lookLater(file: string): void {
    if (ended) return
    timer = setTimeout(() => void look(file).then(() => lookLater(file)), everyMs)
    timer.unref()
  }
  lookLater(file)
  return {
    keys: () => current,
    end: () => {
      ended = true
      clearTimeout(timer)
    },
  }
}

function firstKeys(secret: string, source: KeySetSource | null): SessionKeys {
  try {
    return sessionKeys(secret, source?.json ?? null)
  } catch (error) {
    if (error instanceof BadKeySet) throw new StartupError(`STOWAGE_JWKS cannot be used: ${error.message}.`, { cause: error })
    throw error
  }
}

/** Null: nothing that can be read twice. */
async function readAgain(file: string): Promise<string | null> {
  // the end of a pipe would wait for somebody who writes to it
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return null
    if (stats.size > MAX_BYTES) throw new BadKeySet(`it has more than ${MAX_BYTES} bytes`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
