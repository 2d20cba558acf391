import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Not everywhere, and not in every container where it is, may a process be watched. */
const canTrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0

it.skipIf(!canTrace).each(['threads', 'promises'])(
  'a small upload by %s is written once, and file and folder are synced once each',
  async (how) => {
    const folder = await mkdtemp(join(tmpdir(), 'stowage-calls-'))
    try {
      const trace = join(folder, 'trace')
      const watched =
        'open,openat,mkdir,mkdirat,rename,renameat,renameat2,write,pwrite64,pwritev,writev,fsync,fdatasync,unlink,access,faccessat,faccessat2,stat,statx,newfstatat'
      const program = [process.execPath, join(import.meta.dirname, 'put-once.js'), folder, how]
      const { status, stderr } = spawnSync('strace', ['-f', '-y', '-qq', '-e', `trace=${watched}`, '-o', trace, ...program], {
        encoding: 'utf8',
      })
      expect([status, stderr]).toEqual([0, ''])
      const text = await readFile(trace, 'utf8')
      const between = text.slice(text.indexOf('/mark/begin'), text.indexOf('/mark/end'))
      // whatever else the runtime does is not about the store: it wakes its threads by writing, too
      const calls = between
        .split('\n')
        .slice(1)
        .filter((line) => line.includes(`${folder}/`) && !line.includes('resumed>'))
        .map((line) => line.replaceAll(folder, '').replace(/^\d+\s+/, ''))
        .map((line) => /^(\w+)\((?:AT_FDCWD(?:<[^>]*>)?, )?(?:\d+<([^>]*)>|"([^"]*)")(?:.*?(O_\w+))?/.exec(line))
        .map((found) => [found?.[1], found?.[4], found?.[2] ?? found?.[3]].filter(Boolean).join(' '))
      const file = '/ab/cd/abcd0000-0000-4000-8000-000000000002'
      expect(calls).toEqual([`openat O_WRONLY ${file}`, `write ${file}`, `fsync ${file}`, 'openat O_RDONLY /ab/cd', 'fsync /ab/cd'])
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
