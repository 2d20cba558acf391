import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const BIN = join(import.meta.dirname, '../../bin/stowage.js')

/** The service as operators run it: `bin/stowage.js`, with these settings and nothing else of ours. `bin/prepare.js` must have run. */
export type ServiceProcess = {
  readonly baseUrl: string
  readonly pid: number
  readonly signal: (signal: NodeJS.Signals) => void
  readonly output: () => string
  /** exit code or signal */
  readonly exited: Promise<number | NodeJS.Signals | null>
  /** processes that it has started with `command` in their command line */
  readonly children: (command: string) => readonly number[]
}

export async function serviceProcess(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const env = { PATH: process.env.PATH, STOWAGE_LOG_LEVEL: 'warn', ...settings }
  const child = spawn(process.execPath, [BIN], { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
  const baseUrl = `http://127.0.0.1:${settings.PORT}`
  for (;;) {
    const answer = await fetch(`${baseUrl}/health/ready`).catch(() => null)
    if (answer?.status === 200) break
    if (hasEnded(child)) throw new Error(`the service ended: ${output}`)
    await sleep(30)
  }
  const pid = child.pid ?? 0
  return {
    baseUrl,
    pid,
    signal: (signal) => child.kill(signal),
    output: () => output,
    exited,
    children: (command) => processes().flatMap((one) => (one.parent === pid && one.command.includes(command) ? [one.pid] : [])),
  }
}

/** One after the other, also those that were frozen. */
export async function endAll(running: readonly ServiceProcess[]): Promise<void> {
  for (const one of running) {
    one.signal('SIGCONT')
    one.signal('SIGTERM')
    await one.exited
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** proc(5) */
function processes(): readonly { readonly pid: number; readonly parent: number; readonly command: string }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const parent = Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1])
      return [{ pid: Number(name), parent, command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }]
    } catch {
      return []
    }
  })
}
