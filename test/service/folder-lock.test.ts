import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { holderOf, lockFolder } from '../../src/service/folder-lock.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const nobody = () => ({ pid: process.pid, baseUrl: null, stopping: false })

it('is had by one at a time, and the second learns by whom', async () => {
  const lock = await lockFolder(folder, () => ({ pid: 77, baseUrl: 'http://127.0.0.1:8000', stopping: false }))
  await expect(lockFolder(folder, nobody)).rejects.toThrow(`The data folder ${folder} is in use by process 77 (http://127.0.0.1:8000)`)
  expect(await holderOf(folder)).toEqual({ pid: 77, baseUrl: 'http://127.0.0.1:8000', stopping: false })
  await lock.release()
  expect(await holderOf(folder)).toBe(null)
  await (await lockFolder(folder, nobody)).release()
})

it('goes to one of many who come at once', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder, nobody)))
  const got = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect(got).toHaveLength(1)
  await got[0]?.release()
})

it('is another for another folder', async () => {
  const other = await mkdtemp(join(tmpdir(), 'lock-'))
  const locks = [await lockFolder(folder, nobody), await lockFolder(other, nobody)]
  await Promise.all(locks.map((lock) => lock.release()))
  await rm(other, { recursive: true })
})

it('goes to whoever stood before the door when its holder closed it without a word', async () => {
  const leaving = await lockFolder(folder, () => {
    void leaving.release()
    return undefined as never
  })
  const lock = await lockFolder(folder, nobody)
  await lock.release()
})

it('is waited for while its holder is on its way out, and for no longer than that takes', async () => {
  let stopping = true
  const leaving = await lockFolder(folder, () => ({ pid: 77, baseUrl: null, stopping }))
  const waiting = lockFolder(folder, nobody, 10_000)
  setTimeout(() => leaving.release(), 200)
  const lock = await waiting
  await expect(lockFolder(folder, nobody, 10_000)).rejects.toThrow('in use by process')
  await lock.release()
  const staying = await lockFolder(folder, () => ({ pid: 77, baseUrl: null, stopping }))
  await expect(lockFolder(folder, nobody, 100)).rejects.toThrow('in use by process 77')
  stopping = false
  await staying.release()
})
