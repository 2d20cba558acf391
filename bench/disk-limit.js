// What the disk can do for uploads, without HTTP and without a database: write, fsync, rename, fsync of the folder.
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** @typedef {{ folder: string, bytes: number, atOnce: number, seconds: number }} Job */

const CHUNK = Buffer.alloc(2 ** 20, 7)

process.once('message', async (/** @type {Job} */ { folder, bytes, atOnce, seconds }) => {
  let requests = 0
  const start = performance.now()
  const until = start + seconds * 1000
  await Promise.all(
    Array.from({ length: atOnce }, async (_, i) => {
      const place = join(folder, `disk-${process.pid}-${i}`)
      await mkdir(place, { recursive: true })
      do {
        const path = join(place, String(requests++))
        const file = await open(`${path}.unfinished`, 'w')
        for (let left = bytes; left > 0; left -= CHUNK.length) await file.write(CHUNK, 0, Math.min(left, CHUNK.length))
        await file.sync()
        await file.close()
        await rename(`${path}.unfinished`, path)
        const directory = await open(place, 'r')
        await directory.sync()
        await directory.close()
      } while (performance.now() < until)
    }),
  )
  const took = (performance.now() - start) / 1000
  for (let i = 0; i < atOnce; i++) await rm(join(folder, `disk-${process.pid}-${i}`), { recursive: true })
  process.send?.({ requests, seconds: took })
})
