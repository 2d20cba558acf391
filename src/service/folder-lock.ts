import { createHash, randomBytes } from 'node:crypto'
import { rm, stat, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, StartupError } from '../config/startup-error.ts'
import { readPrivateFile } from './read-private-file.ts'

/** What the holder of a folder tells others: nothing secret, since any account of the machine may ask. */
export type FolderHolder = {
  readonly pid: number
  readonly baseUrl: string | null
  /** it is about to give the folder back */
  readonly stopping: boolean
}

export type FolderLock = { readonly release: () => Promise<void> }

const STEP_MS = 50
const ANSWER_MS = 1_000
/** Names that were held by nobody and yet could not be had. */
const MOST_STALE = 5

/**
 * Takes a data folder for this process, and waits for one that is on its way out. The lock is a listening socket, so it ends with the process however that ends,
 * and no number of a dead process has to be judged.
 *
 * @param holder asked whenever another process wants the folder
 * @param patienceMs how long a stopping process is waited for
 * @throws StartupError naming the process that has it
 */
export async function lockFolder(folder: string, holder: () => FolderHolder, patienceMs = 0): Promise<FolderLock> {
  const address = await addressOf(folder)
  const until = performance.now() + patienceMs
  for (let attempt = 1; ; attempt += 1) {
    const server = await listen(address, holder)
    if (server) return { release: () => new Promise((resolve) => server.close(() => resolve())) }
    const other = await ask(address)
    const isLeaving = typeof other === 'object' && other.stopping && performance.now() < until
    if (isLeaving) await sleep(STEP_MS)
    else if (typeof other === 'object' || other === 'silent' || attempt > MOST_STALE) throw inUse(folder, other)
    else if (other === 'gone') await sleep(STEP_MS)
    // the socket file of a process that is no more; on Linux there are none
    else await rm(address, { force: true })
  }
}

/**
 * For processes that share a folder, which is then only bytes and secrets: the first of them answers for it, so that commands find a service.
 * The others are told of, and go on.
 */
export async function shareFolder(
  folder: string,
  holder: () => FolderHolder,
): Promise<FolderLock & { readonly other: FolderHolder | null }> {
  const address = await addressOf(folder)
  const server = await listen(address, holder)
  if (server) return { other: null, release: () => new Promise((resolve) => server.close(() => resolve())) }
  const other = await ask(address)
  return { other: typeof other === 'string' ? null : other, release: async () => undefined }
}

/** The process that serves from the folder, or null. */
export async function holderOf(folder: string): Promise<FolderHolder | null> {
  const answer = await ask(await addressOf(folder))
  return typeof answer === 'string' ? null : answer
}

function inUse(folder: string, other: FolderHolder | string): StartupError {
  const who = typeof other === 'string' ? 'another process' : `process ${other.pid}${other.baseUrl ? ` (${other.baseUrl})` : ''}`
  return new StartupError(`The data folder ${folder} is in use by ${who}: stop that one, or set STOWAGE_DATA to another folder.`)
}

/**
 * Linux has socket names that are in no file system and vanish with their process (unix(7), abstract). The name is made of the folder's
 * identity and of a secret in it, so that other accounts cannot take it first, and a copy of the folder has another.
 */
async function addressOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder)
  const file = join(folder, 'lock-id')
  await writeFile(file, randomBytes(16).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  const name = createHash('sha256')
    .update(`${dev} ${ino} ${await readPrivateFile(file)}`)
    .digest('hex')
    .slice(0, 32)
  return process.platform === 'linux' ? `\0stowage-${name}` : join(tmpdir(), `stowage-${name}.sock`)
}

const listen = (address: string, holder: () => FolderHolder): Promise<Server | null> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.end(JSON.stringify(holder()))
    })
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(address, () => {
      // the lock alone is no reason to go on living
      server.unref()
      resolve(server)
    })
  })

/** `gone`: it closed the door on whoever stood before it. `silent`: it does not answer in time, or says something else. */
const ask = (address: string): Promise<FolderHolder | 'nobody' | 'gone' | 'silent'> =>
  new Promise((resolve) => {
    let isLate = false
    const socket = connect(address)
    let text = ''
    socket.setTimeout(ANSWER_MS, () => {
      isLate = true
      socket.destroy()
    })
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', (error) => {
      if (errorCode(error) === 'ECONNREFUSED' || errorCode(error) === 'ENOENT') resolve('nobody')
    })
    socket.on('close', () => resolve(text === '' && !isLate ? 'gone' : parse(text)))
  })

function parse(text: string): FolderHolder | 'silent' {
  try {
    const { pid, baseUrl, stopping } = JSON.parse(text) as FolderHolder
    return { pid, baseUrl, stopping }
  } catch {
    return 'silent'
  }
}
