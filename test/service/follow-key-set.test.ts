import { execFile } from 'node:child_process'
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Observation } from '../../src/observe/observation.ts'
import { followKeySet } from '../../src/service/follow-key-set.ts'
import { milliseconds } from '../../src/std/brand.ts'

const SECRET = 'a-secret-of-the-tests-with-more-than-32-bytes'
const setOf = (...names: readonly string[]): string =>
  JSON.stringify({ keys: names.map((kid) => ({ kty: 'oct', kid, k: Buffer.from(`${kid} ${SECRET}`).toString('base64url') })) })

let folder: string
let file: string
let seen: Observation[]
let end: () => void

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'key-set-'))
  file = join(folder, 'keys.json')
  seen = []
})
afterEach(async () => {
  end()
  await rm(folder, { recursive: true })
})

/** At once: a file that is half written is told of, too. */
async function put(text: string): Promise<void> {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

const messages = (): readonly string[] =>
  seen.flatMap((observation) =>
    observation.kind === 'note' ? [`${observation.message}${observation.details?.reason ? `: ${observation.details.reason}` : ''}`] : [],
  )

/** The names, of those given, that a token may be signed with. */
function follow(json: string, from: string | null) {
  const followed = followKeySet({
    secret: SECRET,
    source: { json, file: from },
    observe: (observation) => seen.push(observation),
    everyMs: milliseconds(5),
  })
  end = followed.end
  return (...names: readonly string[]) =>
    names.filter((kid) => {
      const key = followed.keys().keyFor({ alg: 'HS256', kid })
      return key.export().toString() === `${kid} ${SECRET}`
    })
}

async function started(): Promise<ReturnType<typeof follow>> {
  await writeFile(file, setOf('a', 'b'))
  return follow(setOf('a', 'b'), file)
}

describe('a key set in a file', () => {
  it('is what the file says, however it is written', async () => {
    const names = await started()
    expect(names('a', 'b', 'c')).toEqual(['a', 'b'])
    await writeFile(file, setOf('b', 'c'))
    await expect.poll(() => names('a', 'b', 'c')).toEqual(['b', 'c'])
    await put(setOf('c'))
    await expect.poll(() => names('a', 'b', 'c')).toEqual(['c'])
    await writeFile(join(folder, 'other.json'), setOf('a'))
    await symlink('other.json', join(folder, 'link'))
    await rename(join(folder, 'link'), file)
    await expect.poll(() => names('a', 'b', 'c')).toEqual(['a'])
    await put('{"keys":[]}')
    await expect.poll(() => names('a', 'b', 'c')).toEqual([])
    expect(messages().filter((message) => message === 'the key set was read again')).toHaveLength(4)
  })

  it.each([
    ['{"keys":[{"kty":"oct","k":"c2Vjc', 'it is not JSON'],
    ['{"keys":7}', 'it has no list of keys'],
    ['{"keys":[{"kty":"none"}]}', 'key 1 is of a kind that is not supported: none'],
    [' '.repeat(2 ** 20 + 1), 'it has more than 1048576 bytes'],
  ])('stays while the file is none: %.30s', async (text, reason) => {
    const names = await started()
    await put(text)
    await expect.poll(messages).toEqual([`the key set cannot be read again, and the old one stays: ${reason}`])
    expect(names('a', 'b')).toEqual(['a', 'b'])
    await put(setOf('b'))
    await expect.poll(() => names('a', 'b')).toEqual(['b'])
    expect(messages()).toHaveLength(2)
  })

  it('stays while the file is gone, and is read when it is back', async () => {
    const names = await started()
    await rm(file)
    await expect.poll(messages).toEqual([expect.stringContaining('and the old one stays: ENOENT')])
    expect(names('a', 'b')).toEqual(['a', 'b'])
    await put(setOf('a'))
    await expect.poll(() => names('a', 'b')).toEqual(['a'])
  })

  it('that came through a pipe is not waited for again', async () => {
    await promisify(execFile)('mkfifo', [file])
    const names = follow(setOf('a'), file)
    // as many threads as Node has for files would wait for somebody who writes
    await new Promise((resolve) => setTimeout(resolve, 100))
    await writeFile(join(folder, 'beside'), 'is still possible')
    expect(names('a')).toEqual(['a'])
    expect(messages()).toEqual([])
  })
})
