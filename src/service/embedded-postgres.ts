import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  cp,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { syncFolder } from '../bytes/sync-folder.ts'
import { replaceFile } from '../bytes/whole-file.ts'
import { errorCode, reasonOf, StartupError } from '../config/startup-error.ts'
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts'
import { readPrivateFile } from './read-private-file.ts'
import { canReach, chooseServerAccount, type ServerAccount } from './server-account.ts'

export type EmbeddedPostgresOptions = {
  /** ours alone; made when absent */
  readonly folder: string
  /** on 127.0.0.1; without it the port of the last start, or a free one */
  readonly port?: number
  /** false gives up every promise about crashes, for tests that throw the database away */
  readonly durable: boolean
  /** 100 when absent */
  readonly maxConnections?: number
  /** holds `*.control` and must be called `extension`; null: the server knows its own extensions only */
  readonly extensionFolder: string | null
  /** told what is going on, and every line of the server's log */
  readonly onLine: (line: string) => void
}

export type EmbeddedPostgres = {
  /** over TCP, password included */
  readonly superuserUrl: string
  /** for another login, over the Unix socket */
  readonly urlFor: (login: string, password: string) => string
  readonly socketFolder: string
  readonly port: number
  readonly pid: number
  /** settles when the server has ended, wanted or not */
  readonly exited: Promise<void>
  /** refuses new connections, rolls back what is under way, writes a checkpoint (a "fast" shutdown) */
  readonly stop: () => Promise<void>
}

type Place = {
  readonly account: ServerAccount
  /** ours */
  readonly folder: string
  /** the same folder as the server's account gets to it */
  readonly seen: string
  /** handed to the server's processes as their descriptor 3, if that is how they get there */
  readonly door: FileHandle | null
}

type State = { readonly password: string; readonly port: number | null }

const FIRST_PORTS = [5433, 5434, 5435, 5436]
const READY = 'database system is ready to accept connections'
const FAST_STOP_MS = 20_000
/** A socket's address holds 104 bytes on macOS, 108 on Linux; the longest file name of ours takes 16. */
const MAX_SOCKET_FOLDER_BYTES = 87
const SHORT_FOLDER = '/tmp/.stowage-run-'
/** The highest number that Linux gives a process is one less. */
const UNUSED_PID = '4194304'

/**
 * Starts the PostgreSQL that comes with the package: makes the cluster on first use, ends a server that a killed service left behind,
 * and returns when connections are accepted. Two callers on one folder must be kept apart by the caller.
 *
 * @throws StartupError
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new StartupError('The built-in PostgreSQL runs on Linux and macOS: set DATABASE_URL to a PostgreSQL of your own.')
  }
  const place = await findPlace(options.folder)
  try {
    const binaries = await findPostgresBinaries(place.account, place.account ? '/var/lib/stowage' : join(place.folder, 'programs'))
    await endLeftOver(place, options.onLine)
    const state = await makeCluster(place, binaries, options)
    const socketFolder = await makeSocketFolder(place)
    const controlPath = await makeControlPath(place, options.extensionFolder)
    const serverSettings = settings(place, options, socketFolder, controlPath)
    return await startOnFreePort(place, binaries.postgres, serverSettings, socketFolder, state, options)
  } finally {
    await place.door?.close()
  }
}

async function startOnFreePort(
  place: Place,
  postgres: string,
  serverSettings: readonly string[],
  socketFolder: string,
  state: State,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  for (const port of await portsToTry(options.port, state.port)) {
    const started = await startServer(place, postgres, [...serverSettings, `port=${port}`], options.onLine)
    if (started === 'port taken') {
      if (options.port !== undefined) throw new StartupError(`Port ${port} for PostgreSQL is taken by another program.`)
      continue
    }
    if (state.port !== port) await saveState(stateFileOf(place.folder), { ...state, port })
    const authority = (login: string, password: string) => `${encodeURIComponent(login)}:${encodeURIComponent(password)}`
    return {
      superuserUrl: `postgresql://${authority('postgres', state.password)}@127.0.0.1:${port}/postgres`,
      urlFor: (login, password) =>
        `postgresql://${authority(login, password)}@localhost:${port}/postgres?host=${encodeURIComponent(socketFolder)}`,
      socketFolder,
      port,
      pid: started.pid,
      exited: started.exited,
      stop: async () => {
        await started.stop()
        if (socketFolder.startsWith(SHORT_FOLDER)) await rm(socketFolder, { recursive: true, force: true })
      },
    }
  }
  throw new StartupError('No free port on 127.0.0.1 was found for PostgreSQL.')
}

/** The superuser's connection string of the last start, whether or not the server runs; null when there is none. */
export async function lastSuperuserUrl(folder: string): Promise<string | null> {
  const state = await readState(stateFileOf(folder))
  return state?.port ? `postgresql://postgres:${encodeURIComponent(state.password)}@127.0.0.1:${state.port}/postgres` : null
}

/**
 * Who runs the server, and how it gets to the folder. Where the way there is closed to that account (a folder below /root, or in one
 * that `mktemp -d` made), it is given the opened folder itself: names below /proc/self/fd need no rights on what lies above (proc(5)).
 */
async function findPlace(given: string): Promise<Place> {
  await mkdir(given, { recursive: true, mode: 0o700 })
  const folder = await realpath(given)
  const cluster = join(folder, 'postgres')
  const owner = await stat(cluster).catch(() => null)
  const account = await chooseServerAccount(owner)
  if (account === null) return { account, folder, seen: folder, door: null }

  const { uid } = await stat(folder)
  if (uid === 0) {
    await chown(folder, 0, account.gid)
    await chmod(folder, 0o710)
  }
  if (!owner) await makeFolderFor(account, cluster)
  if (canReach(account, [cluster])) return { account, folder, seen: folder, door: null }
  if (process.platform === 'linux') return { account, folder, seen: '/proc/self/fd/3', door: await open(folder, 'r') }
  throw new StartupError(
    `The account with number ${account.uid}, which runs the database, cannot get to ${folder}: let it pass through the folders above, or set STOWAGE_DATA to another folder.`,
  )
}

/** The environment has nothing of ours: PG* variables of the caller would change what initdb and postgres do. */
function spawnServer({ account, door }: Place, program: string, args: readonly string[], detached: boolean) {
  const child = spawn(program, args, {
    ...account,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: door ? ['ignore', 'ignore', 'pipe', door.fd] : ['ignore', 'ignore', 'pipe'],
    detached,
  })
  return { child, lines: createInterface({ input: child.stderr as Readable }) }
}

async function makeFolderFor(account: ServerAccount, path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
  if (account) await chown(path, account.uid, account.gid)
}

const stateFileOf = (folder: string): string => join(folder, 'postgres.json')

async function readState(path: string): Promise<State | null> {
  const text = await readPrivateFile(path)
  if (text === null) return null
  try {
    const { password, port } = JSON.parse(text) as Partial<State>
    if (typeof password === 'string') return { password, port: typeof port === 'number' ? port : null }
  } catch {
    // said below
  }
  throw new StartupError(`${path} is damaged: it holds the password of the built-in PostgreSQL as {"password": "...", "port": 5433}.`)
}

const saveState = (path: string, state: State): Promise<void> => replaceFile(path, `${JSON.stringify(state)}\n`)

/** initdb works beside the final place and the result is renamed, so that a cluster is there whole or not at all. */
async function makeCluster(place: Place, binaries: PostgresBinaries, options: EmbeddedPostgresOptions): Promise<State> {
  const { account, folder, seen } = place
  const cluster = join(folder, 'postgres')
  const stateFile = stateFileOf(folder)
  const known = await readState(stateFile)
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim()
  if (version && version !== binaries.major) {
    throw new StartupError(
      `The database in ${cluster} was made by PostgreSQL ${version}, and the built-in one is ${binaries.major}: move the data with pg_dump, or use the older release.`,
    )
  }
  if (version) {
    if (!known) throw new StartupError(`${stateFile} is missing: it holds the password of the database in ${cluster}.`)
    await chmod(cluster, 0o700)
    return known
  }

  options.onLine('making a new database')
  const state = known ?? { password: randomBytes(24).toString('base64url'), port: null }
  await saveState(stateFile, state)
  const unfinished = join(folder, 'postgres.new')
  const passwordFile = join(folder, 'postgres.password')
  await rm(unfinished, { recursive: true, force: true })
  await makeFolderFor(account, unfinished)
  await replaceFile(passwordFile, `${state.password}\n`)
  if (account) await chown(passwordFile, account.uid, account.gid)
  try {
    await initialise(place, binaries.initdb, [
      `--pgdata=${seen}/postgres.new`,
      '--username=postgres',
      `--pwfile=${seen}/postgres.password`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(options.durable ? [] : ['--no-sync']),
    ])
  } finally {
    await rm(passwordFile, { force: true })
  }
  await rename(unfinished, cluster)
  await syncFolder(folder)
  return state
}

async function initialise(place: Place, initdb: string, args: readonly string[]): Promise<void> {
  const { child, lines } = spawnServer(place, initdb, args, false)
  const said: string[] = []
  lines.on('line', (line) => said.push(line))
  const atExit = () => child.kill('SIGKILL')
  process.once('exit', atExit)
  const ended = await outcome(child)
  process.off('exit', atExit)
  if (ended === 0) return
  const why = said.filter((line) => /error|fatal|could not|cannot/i.test(line)).at(-1) ?? said.at(-1) ?? `it ended with ${ended}`
  throw new StartupError(`PostgreSQL could not make its database: ${why}`)
}

const outcome = (child: ChildProcess): Promise<number | NodeJS.Signals> =>
  new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new StartupError(`The built-in PostgreSQL could not be run: ${reasonOf(error)}.`, { cause: error })),
    )
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1))
  })

/** A socket path is short or does not work, so a long one moves to /tmp. */
async function makeSocketFolder(place: Place): Promise<string> {
  const run = join(place.folder, 'run')
  // what a killed server left in it would be in the next one's way
  await rm(run, { recursive: true, force: true })
  const short = Buffer.byteLength(run) <= MAX_SOCKET_FOLDER_BYTES && !/[",]/.test(run) ? run : await mkdtemp(SHORT_FOLDER)
  await makeFolderFor(place.account, short)
  return short
}

/** PostgreSQL looks for `extension/*.control` below each entry of extension_control_path (manual 19.11). */
async function makeControlPath({ account, folder, seen }: Place, extensionFolder: string | null): Promise<string> {
  if (extensionFolder === null) return '$system'
  const real = await realpath(extensionFolder)
  const above = dirname(real)
  if (basename(real) === 'extension' && !above.includes(':') && canReach(account, [real])) return `${above}:$system`
  const copy = join(folder, 'extension')
  await rm(copy, { recursive: true, force: true })
  await cp(real, copy, { recursive: true })
  await makeFolderFor(account, copy)
  for (const name of await readdir(copy)) await chmod(join(copy, name), 0o644)
  return `${seen}:$system`
}

/** A name for the server in lists of processes, by which the next start knows it. */
const nameOf = ({ folder }: Place): string => `stowage-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`

function settings(place: Place, options: EmbeddedPostgresOptions, socketFolder: string, controlPath: string): string[] {
  const megabytes = Math.floor(totalmem() / 2 ** 20)
  const socketsSeen = socketFolder.startsWith(place.folder) ? `${place.seen}/run` : socketFolder
  const always = [
    `cluster_name=${nameOf(place)}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories="${socketsSeen}"`,
    'unix_socket_permissions=0700',
    `extension_control_path=${controlPath}`,
    `max_connections=${options.maxConnections ?? 100}`,
    `shared_buffers=${Math.min(512, Math.max(32, Math.floor(megabytes / 32)))}MB`,
    `effective_cache_size=${Math.max(128, Math.floor(megabytes / 2))}MB`,
    'work_mem=8MB',
    'maintenance_work_mem=64MB',
    'random_page_cost=1.1',
    'jit=off',
    'logging_collector=off',
    'log_destination=stderr',
    'log_line_prefix=',
    'log_checkpoints=off',
    // a statement's text may hold a user's data, and the log is read by more people than the database
    'log_min_error_statement=panic',
  ]
  if (options.durable) return always
  return [...always, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0']
}

async function portsToTry(wanted: number | undefined, last: number | null): Promise<readonly number[]> {
  if (wanted !== undefined) return [wanted]
  const candidates = last === null ? FIRST_PORTS : [last, ...FIRST_PORTS]
  const free: number[] = []
  for (const port of [...candidates, 0, 0, 0]) {
    const found = await freePort(port)
    if (found) free.push(found)
  }
  return free
}

/** The port itself if it is free, for 0 any free one, else null. */
const freePort = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(null))
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })

type Running = { readonly pid: number; readonly exited: Promise<void>; readonly stop: () => Promise<void> }

async function startServer(
  place: Place,
  postgres: string,
  serverSettings: readonly string[],
  onLine: (line: string) => void,
): Promise<Running | 'port taken'> {
  const patience = performance.now() + 10_000
  for (;;) {
    const attempt = await attemptStart(place, postgres, serverSettings, onLine)
    if (typeof attempt !== 'string') return attempt
    if (/address already in use/i.test(attempt)) return 'port taken'
    // the children of a killed server need a moment to notice
    if (/shared memory block/i.test(attempt) && performance.now() < patience) await sleep(200)
    else throw new StartupError(`PostgreSQL did not start: ${attempt}`)
  }
}

/** The running server, or why there is none. */
async function attemptStart(
  place: Place,
  postgres: string,
  serverSettings: readonly string[],
  onLine: (line: string) => void,
): Promise<Running | string> {
  // a session of its own: Ctrl-C in a terminal is for the service, which then stops its database last
  const args = ['-D', `${place.seen}/postgres`, ...serverSettings.flatMap((setting) => ['-c', setting])]
  const { child, lines } = spawnServer(place, postgres, args, true)
  const complaints: string[] = []
  const ended = outcome(child)
  const ready = new Promise<'ready'>((resolve) => {
    lines.on('line', (line) => {
      if (/FATAL|PANIC|could not|address already in use/i.test(line) && complaints.length < 20) complaints.push(line)
      onLine(line)
      if (line.includes(READY)) resolve('ready')
    })
  })
  const first = await Promise.race([ready, ended])
  if (first !== 'ready' || child.pid === undefined) {
    const decisive = complaints.find((line) => /address already in use|shared memory block/i.test(line)) ?? complaints.at(-1)
    return decisive?.replace(/^\s*\w+:\s+/, '') ?? `it ended with ${first}`
  }
  const atExit = () => child.kill('SIGINT')
  process.once('exit', atExit)
  const exited = ended.then(() => {
    process.off('exit', atExit)
  })
  const stop = async () => {
    child.kill('SIGINT')
    const slow = setTimeout(() => child.kill('SIGQUIT'), FAST_STOP_MS)
    await exited
    clearTimeout(slow)
  }
  return { pid: child.pid, exited, stop }
}

/** A service that was killed leaves its server running; one data folder has one server, so that one ends first. */
async function endLeftOver(place: Place, onLine: (line: string) => void): Promise<void> {
  const pidFile = join(place.folder, 'postgres', 'postmaster.pid')
  const noted = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n')
  const pid = Number(noted[0])
  const socketFolder = noted[4]
  if (Number.isInteger(pid) && pid > 0 && isAlive(pid)) {
    const who = await identify(pid, nameOf(place))
    if (who === 'server') {
      onLine(`ending the PostgreSQL that was left running (process ${pid})`)
      await endServer(pid, nameOf(place))
    } else if (who === 'other') {
      // The number belongs to another program by now, or to a server that nobody has buried, and PostgreSQL would refuse to start.
      // The other lines stay: they let it find children of the old server by the shared memory they hold.
      await writeFile(pidFile, [UNUSED_PID, ...noted.slice(1)].join('\n'))
    }
  }
  if (socketFolder?.startsWith(SHORT_FOLDER)) await rm(socketFolder, { recursive: true, force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** A server has its name in its command line; a dead process that is still listed has none. */
async function identify(pid: number, name: string): Promise<'server' | 'other' | 'unknown'> {
  const command = await (process.platform === 'linux' ? readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null) : listedCommand(pid))
  if (command === null) return isAlive(pid) ? 'unknown' : 'other'
  return command.includes(name) ? 'server' : 'other'
}

async function listedCommand(pid: number): Promise<string | null> {
  const listed = spawn('ps', ['-o', 'command=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] })
  let command = ''
  listed.stdout.on('data', (chunk: Buffer) => {
    command += chunk.toString()
  })
  return (await outcome(listed)) === 0 ? command : null
}

async function endServer(pid: number, name: string): Promise<void> {
  const steps = [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', 5_000],
  ] as const
  for (const [signal, patienceMs] of steps) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (errorCode(error) === 'ESRCH') return
      throw new StartupError(`PostgreSQL is still running as process ${pid} and may not be ended by this account: end it first.`, {
        cause: error,
      })
    }
    const until = performance.now() + patienceMs
    while (performance.now() < until) {
      if (!isAlive(pid) || (await identify(pid, name)) === 'other') return
      await sleep(20)
    }
  }
  throw new StartupError(`PostgreSQL is still running as process ${pid} and does not end: end it first.`)
}
