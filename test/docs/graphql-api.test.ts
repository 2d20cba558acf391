import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OwnService, startOwnService } from '../../demo/own-service.js'
import { GRAPHQL_LIMITS } from '../../src/graphql/operation/limits.ts'
import { expectGenerated } from './generated.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = ['docs/graphql-api.md', 'docs/graphql-extension.md'].map((path) => join(ROOT, path))
const BLESS = process.env.BLESS_GOLDENS === '1'
const run = promisify(execFile)

type Block = {
  readonly heading: string
  readonly language: string
  /** what stands behind the language: who asks, or that it is the variables of the request before */
  readonly info: string
  readonly text: string
  readonly from: number
  readonly to: number
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+) ?([^\n]*)\n([\s\S]*?)^```\n/gm)].map((found) => {
    const [whole, language = '', info = '', text = ''] = found
    const heading = [...page.slice(0, found.index).matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? ''
    return { heading, language, info, text, from: found.index, to: found.index + whole.length }
  })
}

type Page = {
  readonly path: string
  readonly text: string
  readonly blocks: readonly Block[]
  /** answers that differ, in the order of the page, to be put in by a run that blesses */
  readonly blessed: { readonly from: number; readonly to: number; readonly text: string }[]
}

const pages = await Promise.all(
  PAGES.map(async (path): Promise<Page> => {
    const text = await readFile(path, 'utf8')
    return { path, text, blocks: blocksOf(text), blessed: [] }
  }),
)

let service: OwnService
let owner: pg.Client
beforeAll(async () => {
  service = await startOwnService()
  owner = new pg.Client({ connectionString: service.keys.databaseUrl })
  await owner.connect()
})
afterAll(async () => {
  await owner?.end()
  await service?.stop()
})

/** Lines `# prints …` of a shell, `// prints …` of a program, `-- prints …` of SQL. */
const promisesOf = (text: string): readonly string[] =>
  [...text.matchAll(/^(?:#|\/\/|--) prints (.*)$/gm)].map(([, promise = '']) => promise)

/** Each after the one before it. */
function expectInOrder(printed: string, promises: readonly string[]): void {
  let from = 0
  for (const promise of promises) {
    const at = printed.indexOf(promise, from)
    if (at < 0) expect.fail(`"${promise}" was promised, and this was printed:\n${printed}`)
    from = at + promise.length
  }
}

async function tokenOf(who: string): Promise<string | null> {
  const { jwtSecret, serviceKey } = service.keys
  if (who === 'as=service') return serviceKey
  if (who !== 'as=mia') return null
  return new SignJWT({ role: 'authenticated', sub: '00000000-0000-4000-8000-00000000000a' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(jwtSecret))
}

async function ask(query: string, variables: string, who: string): Promise<string> {
  const token = await tokenOf(who)
  const response = await fetch(`${service.keys.baseUrl}/graphql/v1`, {
    method: 'POST',
    headers: {
      apikey: service.keys.anonKey,
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  })
  return response.text()
}

/** On one line if that is not too long, else a line a member. */
function pretty(value: unknown, indent = ''): string {
  const line = JSON.stringify(value).replaceAll(
    /("(?:[^"\\]|\\.)*")|([:,])/g,
    (_, text: string | undefined, mark: string) => text ?? `${mark} `,
  )
  if (indent.length + line.length <= 110 || typeof value !== 'object' || value === null) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[\n${value.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`
  const members = Object.entries(value).map(([key, member]) => `${inner}${JSON.stringify(key)}: ${pretty(member, inner)}`)
  return `{\n${members.join(',\n')}\n${indent}}`
}

async function checkAnswer({ text: page, blocks, blessed }: Page, i: number): Promise<void> {
  const request = blocks[i] as Block
  const after = blocks.slice(i + 1, i + 3)
  const variables = after[0]?.info === 'variables' ? after.shift() : undefined
  const had = JSON.stringify(JSON.parse(await ask(request.text, variables?.text ?? '{}', request.info)))
  const [answer] = after
  const isAnswered = answer?.language === 'json' && page.slice((variables ?? request).to, answer.from).trim() === ''
  const wanted = isAnswered ? JSON.stringify(JSON.parse(answer.text)) : '(no answer on the page: npm run bless -- docs)'
  if (had === wanted) return
  if (!BLESS || process.env.CI) return expect(had).toBe(wanted)
  const text = `\`\`\`json\n${pretty(JSON.parse(had))}\n\`\`\`\n`
  blessed.push(
    isAnswered ? { from: answer.from, to: answer.to, text } : { from: (variables ?? request).to, to: (variables ?? request).to, text },
  )
}

async function checkShell({ text }: Block): Promise<void> {
  const { baseUrl, anonKey } = service.keys
  const { stdout } = await run('bash', ['-e', '-o', 'pipefail', '-c', text], {
    cwd: ROOT,
    env: { ...service.env, BASE: baseUrl, ANON_KEY: anonKey },
  })
  expectInOrder(stdout, promisesOf(text))
}

async function checkProgram({ text }: Block): Promise<void> {
  await mkdir(join(ROOT, '.tmp'), { recursive: true })
  // below the root, where the package finds itself and its dependencies
  const folder = await mkdtemp(join(ROOT, '.tmp/graphql-api-'))
  try {
    await writeFile(join(folder, 'own.mjs'), text)
    const { stdout } = await run(process.execPath, [join(folder, 'own.mjs')], { env: { ...service.env, DB: service.keys.databaseUrl } })
    expectInOrder(stdout, promisesOf(text))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function checkSql({ text }: Block): Promise<void> {
  const results = [await owner.query({ text, rowMode: 'array' })].flat()
  expectInOrder(results.flatMap(({ rows }) => rows.flat()).join('\n'), promisesOf(text))
}

describe.each(pages.map((page) => [basename(page.path), page] as const))('what %s shows', { timeout: 30_000 }, (_, page) => {
  const runnable = page.blocks.map((block, i) => ({ ...block, i })).filter(({ language }) => language !== 'json')
  const lineOf = ({ from }: Block) => page.text.slice(0, from).split('\n').length
  test.each(runnable.map((block) => [`${block.heading}: ${block.language} in line ${lineOf(block)}`, block] as const))(
    '%s',
    async (_, block) => {
      if (block.language === 'graphql') await checkAnswer(page, block.i)
      else if (block.language === 'sql') await checkSql(block)
      else if (block.language === 'sh') await checkShell(block)
      else if (block.language === 'js') await checkProgram(block)
      else expect.fail(`nobody runs blocks in ${block.language}`)
    },
  )
  afterAll(async () => {
    if (page.blessed.length === 0) return
    let { text } = page
    for (const { from, to, text: answer } of page.blessed.toReversed()) text = text.slice(0, from) + answer + text.slice(to)
    await writeFile(page.path, text)
  })
})

test('the limits are those of the code', async () => {
  const rows = Object.entries(GRAPHQL_LIMITS).map(
    ([name, { default: most, unit, sentence }]) => `| \`${name}\` | ${most.toLocaleString('en')} ${unit} | ${sentence} |`,
  )
  await expectGenerated(join(ROOT, 'docs/graphql-api.md'), 'limits', ['| Limit | Default | |', '|---|---|---|', ...rows].join('\n'))
})
