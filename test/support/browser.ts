import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** A Chromium that is installed; the variable CHROMIUM may name one. */
export const chromium: string | undefined = [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path))

export type Browser = {
  /** loads the address in a page of its own, or gives up waiting for it after a while */
  readonly open: (url: string) => Promise<Page>
  readonly close: () => Promise<void>
}

export type Page = {
  /** the value of an expression, a promise's when it is kept; what it throws is thrown here */
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly close: () => Promise<void>
}

type Message = { id?: number; sessionId?: string; method?: string; result?: Record<string, unknown>; error?: { message: string } }

const LOAD_MS = 1_000

/** A browser without a window, spoken to by the DevTools protocol over a pipe: no port, no package. */
export async function startBrowser(path: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'stowage-browser-'))
  const child = spawn(
    path,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  const { ask, onEvent } = speak(child)

  return {
    open: async (url) => {
      const { targetId } = await ask('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true })
      const session = String(sessionId)
      await ask('Page.enable', {}, session)
      const loaded = new Promise<void>((resolve) => onEvent(session, 'Page.loadEventFired', resolve))
      // an address that turns into a download is no error here
      await ask('Page.navigate', { url }, session).catch(() => undefined)
      await Promise.race([loaded, sleep(LOAD_MS)])
      return {
        evaluate: async (expression) => {
          const { result, exceptionDetails } = await ask(
            'Runtime.evaluate',
            { expression, awaitPromise: true, returnByValue: true },
            session,
          )
          const thrown = exceptionDetails as { exception?: { description?: string }; text: string } | undefined
          if (thrown) throw new Error(thrown.exception?.description ?? thrown.text)
          return (result as { value?: unknown }).value
        },
        close: async () => {
          await ask('Target.closeTarget', { targetId })
        },
      }
    },
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Messages are JSON, each ended by a NUL; what is asked is answered under its number. */
function speak(child: ChildProcess) {
  const [, , , to, from] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number, { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }>()
  const listeners = new Map<string, () => void>()
  let count = 0
  let rest = ''
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const messages = (rest + chunk).split('\0')
    rest = messages.pop() ?? ''
    for (const text of messages) take(JSON.parse(text))
  })
  to.on('error', () => undefined)
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'))
  })

  function take({ id, sessionId, method, result, error }: Message): void {
    if (method !== undefined) listeners.get(`${sessionId} ${method}`)?.()
    const asked = id === undefined ? undefined : waiting.get(id)
    if (!asked) return
    waiting.delete(id ?? 0)
    if (error) asked.reject(new Error(error.message))
    else asked.resolve(result ?? {})
  }

  return {
    ask: (method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> =>
      new Promise((resolve, reject) => {
        const id = ++count
        waiting.set(id, { resolve, reject })
        to.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
      }),
    onEvent: (sessionId: string, method: string, listener: () => void): void => {
      listeners.set(`${sessionId} ${method}`, listener)
    },
  }
}
