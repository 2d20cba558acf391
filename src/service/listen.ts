import { createServer } from 'node:net'
import { errorCode, reasonOf, StartupError } from '../config/startup-error.ts'
import type { App } from '../http/app.ts'

/**
 * Tells a taken port before anything was started for nothing; the listening itself may still fail.
 * @throws StartupError
 */
export async function checkAddress(host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => reject(cannotListen(host, port, error)))
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

/** Answers the address that clients on this machine use. @throws StartupError */
export async function listen(app: App, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw cannotListen(host, port, error)
  }
  const address = app.server.address()
  return baseUrlOf(host, typeof address === 'object' && address ? address.port : port)
}

export function baseUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function cannotListen(host: string, port: number, error: unknown): StartupError {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartupError(`Port ${port} on ${host} is taken by another program: stop that one, or set PORT to another.`, {
        cause: error,
      })
    case 'EACCES':
      return new StartupError(`Port ${port} on ${host} may not be used by this account: set PORT to one above 1023.`, { cause: error })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`HOST ${host} is not an address of this machine.`, { cause: error })
    default:
      return new StartupError(`The service cannot listen on ${host}:${port}: ${reasonOf(error)}.`, { cause: error })
  }
}
