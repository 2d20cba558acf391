import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect } from 'vitest'

/**
 * One case of a golden test: what was asked and all that came of it, side by side in one text file.
 *
 * ```
 * # A nested collection keeps parents without children.      <- heading: comments and `name: value` lines
 * role: anon
 * ---- request
 * ...
 * ---- plan
 * ...
 * ---- sql (statements: 1, trips: 1)
 * ...
 * ```
 */
export type Golden = {
  /** the text before the first section; empty when there is none */
  readonly heading: string
  /** title and body, in order; a title may carry facts in brackets: `sql (statements: 1, trips: 1)` */
  readonly sections: readonly (readonly [title: string, body: string])[]
}

const MARK = '---- '
const BLESS = process.env.BLESS_GOLDENS === '1'
const ROOT = join(import.meta.dirname, '../..')

/** Compares with the file, or rewrites it when the run was asked to bless. */
export async function expectGolden(file: string, golden: Golden | Golden['sections']): Promise<void> {
  const actual = printGolden('sections' in golden ? golden : { heading: '', sections: golden })
  const name = relative(ROOT, file)
  const expected = await readFile(file, 'utf8').catch(() => null)
  if (actual === expected) return
  if (BLESS) {
    if (process.env.CI) throw new Error(`${name}: goldens are not rewritten under CI`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, actual)
    return
  }
  if (expected === null) expect.fail(`${name} does not exist yet: npm run bless -- ${topicOf(name)}`)
  expect(actual, `${name} differs; if the new text is right: npm run bless -- ${topicOf(name)}`).toBe(expected)
}

/** The file's parts; a case that is written by hand holds its heading and request only, blessing adds the rest. */
export async function readGolden(file: string): Promise<Golden> {
  return parseGolden(await readFile(file, 'utf8'))
}

/** The cases of a folder, by name. */
export async function goldenFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .filter((name) => name.endsWith('.golden'))
    .sort()
    .map((name) => join(folder, name))
}

/** The body of the section whose title begins with `title`; undefined when there is none. */
export const sectionOf = (golden: Golden, title: string): string | undefined =>
  golden.sections.find(([found]) => found === title || found.startsWith(`${title} (`))?.[1]

/** The value of `name: value` in the heading. */
export const headingValue = (golden: Golden, name: string): string | undefined =>
  golden.heading
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim()

export function parseGolden(text: string): Golden {
  const [heading = '', ...parts] = `\n${text}`.split(`\n${MARK}`)
  const sections = parts.map((part): [string, string] => {
    const end = part.indexOf('\n')
    return end < 0 ? [part, ''] : [part.slice(0, end), part.slice(end + 1).replace(/\n$/, '')]
  })
  return { heading: heading.replace(/^\n/, ''), sections }
}

export function printGolden({ heading, sections }: Golden): string {
  const parts = heading === '' ? [] : [ended(heading)]
  for (const [title, body] of sections) {
    if (`\n${body}`.includes(`\n${MARK}`)) throw new Error(`the section "${title}" has a line that begins like a section`)
    parts.push(`${MARK}${title}\n${ended(body)}`)
  }
  return parts.join('')
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** `test/graphql/golden/filter/in-list.golden` -> `graphql`: the folder below test/, which is what picks test files. */
const topicOf = (name: string): string => name.split('/')[1] ?? name
