import { createServer } from 'node:net'
import { errorCode, reasonOf, StartupError } from '../config/startup-error.ts'
import type { App } from '../http/app.ts'

/** The settings that name an address, for the sentences about it. */
export type AddressSettings = { readonly host: string; readonly port: string }

export const METRICS_ADDRESS: AddressSettings = { host: 'STOWAGE_METRICS_HOST', port: 'STOWAGE_METRICS_PORT' }
const MAIN: AddressSettings = { host: 'HOST', port: 'PORT' }

/**
 * Tells a taken port before anything was started for nothing; the listening itself may still fail.
 * @throws StartupError
 */
export async function checkAddress(host: string, port: number, settings = MAIN): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => reject(cannotListen(host, port, settings, error)))
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

/** Answers the address that clients on this machine use. @throws StartupError */
export async function listen(app: App, host: string, port: number, settings = MAIN): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw cannotListen(host, port, settings, error)
  }
  const address = app.server.address()
  return baseUrlOf(host, typeof address === 'object' && address ? address.port : port)
}

export function baseUrlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' || host === '' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function cannotListen(host: string, port: number, settings: AddressSettings, error: unknown): StartupError {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartupError(`Port ${port} on ${host} is taken by another program: stop that one, or set ${settings.port} to another.`, {
        cause: error,
      })
    case 'EACCES':
      return new StartupError(`Port ${port} on ${host} may not be used by this account: set ${settings.port} to one above 1023.`, {
        cause: error,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`${settings.host} ${host} is not an address of this machine.`, { cause: error })
    default:
      return new StartupError(`The service cannot listen on ${host}:${port}: ${reasonOf(error)}.`, { cause: error })
  }
}
