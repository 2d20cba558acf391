import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnService, startOwnService } from '../../demo/own-service.js'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The blocks of a page in one language, in order, and what they promise to print: their lines `# prints ...` or `// prints ...`. */
async function blocksOf(page: string, language: string): Promise<{ text: string; promises: string[] }[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => ({
    text: block,
    promises: [...block.matchAll(/^(?:#|\/\/) prints (.*)$/gm)].map(([, promise = '']) => promise),
  }))
}

/** Each after the one before it. */
function expectInOrder(printed: string, promises: readonly string[]): void {
  let from = 0
  for (const promise of promises) {
    const at = printed.indexOf(promise, from)
    if (at < 0) expect.fail(`"${promise}" was promised, and this was printed:\n${printed}`)
    from = at + promise.length
  }
}

let service: OwnService
beforeAll(async () => {
  service = await startOwnService()
})
afterAll(() => service?.stop())

test("README's shell commands do what they say", async () => {
  const blocks = await blocksOf('README.md', 'sh')
  expect(blocks.length).toBeGreaterThan(2)
  // one shell for all of them, as a reader has
  const script = blocks.map(({ text }) => text).join('\n')
  const { stdout } = await run('bash', ['-e', '-c', script], { cwd: ROOT, env: service.env })
  expectInOrder(
    stdout,
    blocks.flatMap(({ promises }) => promises),
  )
})

test("README's program prints what it says", async () => {
  const blocks = await blocksOf('README.md', 'js')
  expect(blocks.length).toBe(1)
  await mkdir(join(ROOT, '.tmp'), { recursive: true })
  // below the root, where the client is found; the program starts commands, so it runs in the root itself
  const folder = await mkdtemp(join(ROOT, '.tmp/readme-'))
  try {
    for (const { text, promises } of blocks) {
      const file = join(folder, 'first.mjs')
      await writeFile(file, text)
      const { stdout } = await run(process.execPath, [file], { cwd: ROOT, env: service.env })
      expectInOrder(stdout, promises)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})
