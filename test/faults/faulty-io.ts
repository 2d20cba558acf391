import fs from 'node:fs'
import fsPromises, { type FileHandle } from 'node:fs/promises'
import type { FsFile, FsIo } from '../../src/bytes/fs-io.ts'
import { keepFiles, type SyncIo } from '../../src/bytes/keep-files.ts'
import type { WriteThreads } from '../../src/bytes/write-threads.ts'

/** A disk whose n-th call fails, and which knows what is open on it. */
export type FaultyIo = {
  readonly io: FsIo
  readonly syncIo: SyncIo
  /** small files on the same disk, as a thread makes them, though in none */
  readonly threads: WriteThreads
  /** the n-th call from now on (counted from 1) fails with `code`, or so many in a row; they have no effect, but closing closes */
  readonly failNth: (nth: number, code: string, inARow?: number) => void
  readonly failNoMore: () => void
  /** from now on calls of this name do not answer until the returned function is called */
  readonly freeze: (name: string) => () => void
  /** the call that failed; null: none did */
  readonly failed: () => Call | null
  /** since `failNth` */
  readonly calls: () => readonly Call[]
  readonly openFiles: () => readonly string[]
}

export type Call = { readonly name: string; readonly path: string; readonly flags: string | null }

export function createFaultyIo(): FaultyIo {
  let fault: { readonly nth: number; readonly code: string; readonly inARow: number } | null = null
  let failed: Call | null = null
  let calls: Call[] = []
  const frozen = new Map<string, Promise<void>>()
  const open = new Map<unknown, string>()

  const faultOf = (call: Call): Error | null => {
    calls.push(call)
    const isNow = fault !== null && calls.length >= fault.nth && calls.length < fault.nth + fault.inARow
    if (!isNow || !fault) return null
    failed ??= call
    return Object.assign(new Error(`${fault.code}: of the tests, ${call.name}`), { code: fault.code, syscall: call.name, errno: -1 })
  }

  const step = async (call: Call): Promise<void> => {
    const error = faultOf(call)
    await frozen.get(call.name)
    if (error) throw error
  }

  const syncStep = (call: Call): void => {
    const error = faultOf(call)
    if (error) throw error
  }

  const opened = new Map<number, { readonly path: string; readonly flags: string }>()
  const callOn = (name: string, fd: number): Call => ({ name, path: '', flags: null, ...opened.get(fd) })
  const syncIo: SyncIo = {
    openSync: ((path: string, flags: string, mode?: number) => {
      syncStep({ name: 'open', path, flags })
      const fd = fs.openSync(path, flags, mode)
      opened.set(fd, { path, flags })
      open.set(fd, path)
      return fd
    }) as SyncIo['openSync'],
    writeSync: ((fd: number, bytes: Uint8Array, at: number, length: number) => {
      syncStep(callOn('write', fd))
      return fs.writeSync(fd, bytes, at, length)
    }) as SyncIo['writeSync'],
    fsyncSync: (fd) => {
      syncStep(callOn('fsync', fd))
      fs.fsyncSync(fd)
    },
    closeSync: (fd) => {
      fs.closeSync(fd)
      open.delete(fd)
      syncStep(callOn('close', fd))
    },
    unlinkSync: (path) => {
      syncStep({ name: 'unlink', path: String(path), flags: null })
      fs.unlinkSync(path)
    },
  }

  const fileOf = (handle: FileHandle, path: string, flags: string): FsFile => {
    const file: FsFile = {
      read: (async (...args: Parameters<FileHandle['read']>) => {
        await step({ name: 'read', path, flags })
        return handle.read(...args)
      }) as FsFile['read'],
      write: (async (buffer: Buffer) => {
        await step({ name: 'write', path, flags })
        return handle.write(buffer)
      }) as FsFile['write'],
      writev: async (buffers) => {
        await step({ name: 'write', path, flags })
        return handle.writev(buffers)
      },
      stat: (async () => {
        await step({ name: 'stat', path, flags })
        return handle.stat()
      }) as FsFile['stat'],
      sync: async () => {
        await step({ name: 'fsync', path, flags })
        return handle.sync()
      },
      // close(2): whatever it answers, the descriptor is free
      close: async () => {
        const closed = handle.close().finally(() => open.delete(file))
        await step({ name: 'close', path, flags }).finally(() => closed)
      },
    }
    open.set(file, path)
    return file
  }

  return {
    syncIo,
    threads: {
      keep: async (path, pieces) => {
        for (const name of ['open', 'write', 'fsync', 'close']) await frozen.get(name)
        const [said] = keepFiles([{ path, bytes: Buffer.concat(pieces) }], syncIo)
        if (said) throw Object.assign(new Error(said.message), said)
      },
      close: async () => undefined,
    },
    io: {
      open: async (path, flags, mode) => {
        await step({ name: 'open', path, flags })
        return fileOf(await fsPromises.open(path, flags, mode), path, flags)
      },
      mkdir: (async (path: string, options: { mode: number }) => {
        await step({ name: 'mkdir', path, flags: null })
        return fsPromises.mkdir(path, options)
      }) as FsIo['mkdir'],
      unlink: async (path) => {
        await step({ name: 'unlink', path: String(path), flags: null })
        return fsPromises.unlink(path)
      },
      readdir: (async (path: string) => {
        await step({ name: 'readdir', path, flags: null })
        return fsPromises.readdir(path)
      }) as FsIo['readdir'],
    },
    failNth: (nth, code, inARow = 1) => {
      fault = { nth, code, inARow }
      failed = null
      calls = []
    },
    failNoMore: () => {
      fault = null
    },
    freeze: (name) => {
      let thaw = () => {}
      frozen.set(
        name,
        new Promise((resolve) => {
          thaw = resolve
        }),
      )
      return () => {
        frozen.delete(name)
        thaw()
      }
    },
    failed: () => failed,
    calls: () => calls,
    openFiles: () => [...open.values()],
  }
}
