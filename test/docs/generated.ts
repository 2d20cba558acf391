import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect } from 'vitest'

/** What stands between `<!-- name -->` and `<!-- /name -->` of a page is made out of the code; a run that blesses writes it. */
export async function expectGenerated(page: string, name: string, wanted: string): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [opening, closing] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const from = text.indexOf(opening)
  const to = text.indexOf(closing)
  if (from < 0 || to < from) expect.fail(`${basename(page)} has no place called ${name}`)
  const had = text.slice(from + opening.length, to)
  const whole = `${wanted}\n`
  if (had === whole) return
  if (process.env.BLESS_GOLDENS !== '1' || process.env.CI) return expect(had, `${basename(page)}: npm run bless -- docs`).toBe(whole)
  await writeFile(page, text.slice(0, from + opening.length) + whole + text.slice(to))
}
