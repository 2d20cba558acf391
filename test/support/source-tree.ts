import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

export type SourceFile = {
  /** from the project's root, with slashes */
  readonly path: string
  readonly text: string
}

export type Import = {
  /** as written */
  readonly specifier: string
  /** the file it means, from the project's root; null for a package */
  readonly target: string | null
  /** only types: gone after compilation */
  readonly typeOnly: boolean
  readonly reExport: boolean
}

const UNTOLD = new Set(['node_modules', 'dist', 'dist.new', '.git', '.stowage', '.tmp'])

/** Every file of the project below `folder` ('' = all) whose name ends in one of these, by path. */
export async function readTree(root: string, folder: string, endings: readonly string[]): Promise<SourceFile[]> {
  const found: SourceFile[] = []
  const walk = async (path: string): Promise<void> => {
    for (const entry of await readdir(join(root, path), { withFileTypes: true }).catch(() => [])) {
      const below = path ? `${path}/${entry.name}` : entry.name
      if (entry.isDirectory()) {
        if (!UNTOLD.has(entry.name)) await walk(below)
      } else if (endings.some((ending) => entry.name.endsWith(ending))) {
        found.push({ path: below, text: await readFile(join(root, below), 'utf8') })
      }
    }
  }
  await walk(folder)
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

const STATEMENT = /(?:^|[;\n}])\s*(import|export)\b([^;'"]*?)\bfrom\s*['"]([^'"]+)['"]/g
const BARE = /(?:^|[;\n])\s*import\s*['"]([^'"]+)['"]/g
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g

export function importsOf(file: SourceFile): Import[] {
  const code = withoutComments(file.text)
  const found: Import[] = []
  const add = (specifier: string, typeOnly: boolean, reExport: boolean) => {
    const target = specifier.startsWith('.') ? normalize(join(dirname(file.path), specifier)) : null
    found.push({ specifier, target, typeOnly, reExport })
  }
  for (const [, keyword, clause = '', specifier = ''] of code.matchAll(STATEMENT)) {
    const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? []
    const allTypes = names.length > 0 && !/^[^{]*\w/.test(clause) && names.every((name) => /^\s*(type\s|$)/.test(name))
    add(specifier, /^\s*type\b/.test(clause) || allTypes, keyword === 'export')
  }
  for (const [, specifier = ''] of code.matchAll(BARE)) add(specifier, false, false)
  for (const [, specifier = ''] of code.matchAll(DYNAMIC)) add(specifier, false, false)
  return found
}

/** The code with comments blanked out and lines kept; strings and templates stay as they are. */
export const withoutComments = (text: string): string => scan(text).code

/** What stands in string literals and templates, at its place; the rest is blanked out and lines kept. */
export const literalsOf = (text: string): string => scan(text).literals

function scan(text: string): { code: string; literals: string } {
  let code = ''
  let literals = ''
  let i = 0
  /** open `${` of templates, each with the braces opened since */
  const templates: number[] = []
  const take = (end: number, kind: 'code' | 'literal' | 'comment') => {
    const piece = text.slice(i, end)
    const blank = piece.replaceAll(/[^\n]/g, kind === 'comment' ? '' : ' ')
    code += kind === 'comment' ? blank : piece
    literals += kind === 'literal' ? piece : blank
    i = end
  }
  const endOf = (pattern: RegExp) => {
    pattern.lastIndex = i
    const found = pattern.exec(text)
    return found ? found.index + found[0].length : text.length
  }
  const template = () => {
    take(endOf(/(?<!\\)(?:\\\\)*(?:`|\$\{)/g), 'literal')
    if (code.endsWith('{')) templates.push(0)
  }
  while (i < text.length) {
    const c = text[i] ?? ''
    const pair = text.slice(i, i + 2)
    if (pair === '//') take(endOf(/(?=\n)/g), 'comment')
    else if (pair === '/*') take(endOf(/\*\//g), 'comment')
    else if (c === '/' && /(?:^|[(,=:[!&|?{};+\n]|\breturn)\s*$/.test(code.slice(-20))) {
      take(i + 1, 'code')
      take(endOf(/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])*\//g), 'code')
    } else {
      take(i + 1, 'code')
      if (c === "'") take(endOf(/(?:\\.|[^'\\\n])*(?:'|\n)/gs), 'literal')
      else if (c === '"') take(endOf(/(?:\\.|[^"\\\n])*(?:"|\n)/gs), 'literal')
      else if (c === '`') template()
      else if (templates.length > 0 && (c === '{' || c === '}')) {
        const open = templates.pop() ?? 0
        if (c === '{') templates.push(open + 1)
        else if (open > 0) templates.push(open - 1)
        else template()
      }
    }
  }
  return { code, literals }
}

/** Groups of files that import each other in a ring, each group by path; none is the way it should be. */
export function findRings(files: readonly SourceFile[]): string[][] {
  const direct = new Map(files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => (target ? [target] : []))]))
  const reached = new Map(
    files.map(({ path }) => {
      const seen = new Set<string>()
      const open = [...(direct.get(path) ?? [])]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (seen.has(next)) continue
        seen.add(next)
        open.push(...(direct.get(next) ?? []))
      }
      return [path, seen] as const
    }),
  )
  const reaches = (from: string, to: string) => reached.get(from)?.has(to) ?? false
  const rings = files
    .filter(({ path }) => reaches(path, path))
    .map(({ path }) => files.map((file) => file.path).filter((other) => reaches(path, other) && reaches(other, path)))
  return rings.filter((ring, i) => rings.findIndex((other) => other[0] === ring[0]) === i)
}
