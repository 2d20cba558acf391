import { connect, createServer, type Socket } from 'node:net'

export type Direction = 'to the server' | 'to the client'

/** A wire between a program and its PostgreSQL that can be held, cut, and cut in the middle of a message. */
export type FlakyWire = {
  readonly port: number
  /** where new connections lead from now on */
  readonly aim: (port: number) => void
  /** takes everything, passes nothing on, and says nothing of it: a network that went away */
  readonly hold: () => void
  /** passes on what was held, too */
  readonly letGo: () => void
  readonly cutAll: () => void
  /** asked of every piece that passes: after how many of its bytes to cut its connection; null: not here. Stays until it is set again. */
  readonly cutAt: (decide: ((piece: Buffer, direction: Direction, connection: number) => number | null) | null) => void
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export async function createFlakyWire(target: { readonly host: string; readonly port: number }): Promise<FlakyWire> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let decide: ((piece: Buffer, direction: Direction, connection: number) => number | null) | null = null
  let isHeld = false
  let made = 0
  let aimedAt = target.port

  const server = createServer((near) => {
    const connection = ++made
    const far = connect(aimedAt, target.host)
    const pair = [near, far] as const
    pairs.add(pair)
    const cut = () => {
      pairs.delete(pair)
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
    const pass = (from: Socket, to: Socket, direction: Direction) => {
      from.on('data', (piece: Buffer) => {
        const at = decide?.(piece, direction, connection) ?? null
        if (at === null) {
          if (!to.write(piece)) from.pause()
        } else to.write(piece.subarray(0, at), cut)
      })
      to.on('drain', () => isHeld || from.resume())
      from.on('end', () => to.end())
      from.on('error', cut)
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    pass(near, far, 'to the server')
    pass(far, near, 'to the client')
    if (isHeld) for (const socket of pair) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()

  const cutAll = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy()
    pairs.clear()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    aim: (port) => {
      aimedAt = port
    },
    hold: () => {
      isHeld = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    letGo: () => {
      isHeld = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    cutAll,
    cutAt: (next) => {
      decide = next
    },
    connections: () => pairs.size,
    close: async () => {
      cutAll()
      await new Promise<unknown>((resolve) => server.close(resolve))
    },
  }
}
