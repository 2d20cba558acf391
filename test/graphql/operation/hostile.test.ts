import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTime } from './cpu-time.ts'
import { rootsOf, withLimit } from './read.ts'

const PARSE = 'data absent: query parse error'
const list = (n: number, item: (i: number) => string) => Array.from({ length: n }, (_, i) => item(i)).join(' ')
const doubling = `{ ...f0 } ${list(30, (i) => `fragment f${i} on Query { ...f${i + 1} x${i}: __typename ...f${i + 1} }`)} fragment f30 on Query { __typename }`
const nested = (open: string, close: string, n: number) => `{ a(b: ${open.repeat(n)}1${close.repeat(n)}) }`

describe('limits, at the limit and one beyond', () => {
  test.each([
    ['documentCharacters', 20, `{ a${' '.repeat(15)} }`, 'characters'],
    ['tokens', 12, `{ ${'a '.repeat(10)}}`, 'tokens'],
    ['fragments', 3, `{ a } ${list(3, (i) => `fragment f${i} on Query { a }`)}`, 'fragments'],
    ['aliases', 4, `{ ${list(4, (i) => `x${i}: a`)} }`, 'aliases'],
    ['directives', 4, `{ a ${'@skip(if: false) '.repeat(4)} }`, 'directives'],
    ['rootFields', 4, `{ ${list(4, (i) => `a${i}`)} }`, 'root fields'],
    ['expandedFields', 6, '{ a ...F ...F } fragment F on Query { b }', 'selections after fragments are put in'],
  ] as const)('%s', (limit, most, query, of) => {
    const atLimit = limit === 'expandedFields' ? 5 : most
    expect(rootsOf(query, {}, null, withLimit({ [limit]: atLimit }))).toBeInstanceOf(Array)
    expect(rootsOf(query, {}, null, withLimit({ [limit]: atLimit - 1 }))).toBe(
      `data absent: The document has more than ${atLimit - 1} ${of} (limit ${limit})`,
    )
  })

  test('brackets', () => {
    expect(rootsOf(nested('[', ']', 48))).toBeInstanceOf(Array)
    expect(rootsOf(nested('[', ']', 49))).toBe(
      `${PARSE}: Parse error at 1:56\nRecursion limit exceeded: more than 50 nested brackets (limit brackets)\n`,
    )
    expect(rootsOf(nested('{a: ', '}', 49))).toMatch(/limit brackets/)
    expect(rootsOf(`{ ${'a { '.repeat(49)}a${' }'.repeat(49)} }`)).toEqual(['a'])
    expect(rootsOf(`{ ${'a { '.repeat(50)}a${' }'.repeat(50)} }`)).toMatch(/limit brackets/)
    expect(rootsOf(`query ($a: ${'['.repeat(60)}Int${']'.repeat(60)}) { a }`)).toMatch(/limit brackets/)
  })
})

describe('hostile documents end within 250 ms', () => {
  test.each([
    ['50,000 levels of selections', '{a'.repeat(50_000) + '}'.repeat(50_000)],
    ['100,000 open brackets and nothing else', '['.repeat(100_000)],
    ['50,000 levels of lists', nested('[', ']', 50_000)],
    ['doubling fragments', doubling],
    ['10,000 aliases', `{ ${list(10_000, (i) => `q${i}:c(first:1){d}`)} }`],
    ['600 aliases', `{ ${list(600, (i) => `q${i}:c`)} }`],
    ['10,000 directives', `{ a ${'@skip(if:false)'.repeat(8_000)} }`],
    ['1,600 directives', `{ a ${'@skip(if:false)'.repeat(1_600)} }`],
    ['5,000 variables', `query (${list(5_000, (i) => `$v${i}:Int`)}) { a }`],
    ['5,000 fragments', `{ a } ${list(5_000, (i) => `fragment f${i} on Q{a}`)}`],
    ['5,000 operations', list(5_000, (i) => `query q${i}{a}`)],
    ['a string of a million characters', `{ a(b: "${'x'.repeat(1_000_000)}") }`],
    ['a string of 130,000 characters', `{ a(b: "${'x'.repeat(130_000)}") }`],
    ['a comment of 130,000 characters', `{ a } #${'x'.repeat(130_000)}`],
    ['130,000 line ends', `{ a ${'\n'.repeat(130_000)}`],
    ['a string that does not end', `{ a(b: "${'\\"'.repeat(60_000)}`],
    ['a block string that does not end', `{ a(b: """${'\\"""'.repeat(30_000)}`],
    ['a block string of blank lines', `{ a(b: """${' \n'.repeat(60_000)}""") }`],
    ['a number of 130,000 digits', `{ a(b: ${'9'.repeat(130_000)}) }`],
    ['a float of 130,000 digits', `{ a(b: 0.${'9'.repeat(130_000)}) }`],
    ['a name of 130,000 characters', `{ ${'a'.repeat(130_000)} }`],
    ['4,900 equal fields', `{ ${'a '.repeat(4_900)} }`],
    [
      'large arguments, merged again and again',
      `{ ${'...F '.repeat(1_000)}} fragment F on Query { a(b: [${'1 '.repeat(3_000)}]) ...G } fragment G on Query { a(b: [${'1 '.repeat(3_000)}]) }`,
    ],
    [
      'a spread that is looked for among many',
      `{ ${'...f '.repeat(1_000)}} ${list(900, () => 'fragment f on B { a }')} fragment f on Query { a }`,
    ],
    [
      'a fragment graph without a cycle',
      `{ a } ${list(49, (i) => `fragment f${i} on Q { ${list(48 - i, (k) => `...f${i + 1 + k}`)} a }`)}`,
    ],
    ['commas', ','.repeat(130_000)],
    ['byte order marks', '\ufeff'.repeat(130_000)],
    ['lone surrogates', '\ud83d'.repeat(130_000)],
    ['U+0000', '\0'.repeat(130_000)],
  ])('%s', (_, query) => {
    expect(cpuTime(() => rootsOf(query))).toBeLessThan(250)
  })
})

describe('documents of any kind', () => {
  const inTime = (query: string, variables: unknown = {}): void => {
    let result: readonly string[] | string = ''
    const milliseconds = cpuTime(() => {
      result = rootsOf(query, variables)
    })
    expect(milliseconds).toBeLessThan(250)
    if (typeof result === 'string') expect(result).toMatch(/^data (absent|null): ./)
  }

  test('any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => inTime(text)))
  })

  test('any tokens in any order', () => {
    const token = fc.constantFrom(
      ...[
        '{',
        '}',
        '(',
        ')',
        '[',
        ']',
        ':',
        '=',
        '!',
        '|',
        '&',
        '$',
        '@',
        '...',
        ',',
        '#',
        '\n',
        '"',
        '"""',
        '\\',
        '\\u',
        '\\u{',
        '"a"',
        '-',
        '0',
        '1',
        '1.5',
        '1e',
        'a',
        'on',
      ],
      ...[
        'query',
        'mutation',
        'subscription',
        'fragment',
        'type',
        'true',
        'null',
        '$a',
        '@skip',
        '@include(if:$a)',
        '\ufeff',
        '😀',
        '\ud83d',
        '\0',
        ' ',
      ],
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), (tokens) => inTime(tokens.join(' '))),
      { numRuns: 3_000 },
    )
  })

  test('any well-formed selections', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('1', '1.5', '"s"', 'E', 'true', 'null', '$a', '$b', '"\\u0000"'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' ')}]`),
        fc
          .array(fc.tuple(name, tie('value')), { maxLength: 3 })
          .map((fields) => `{${fields.map(([key, inner]) => `${key}: ${inner}`).join(' ')}}`),
      ),
    }))
    const directive = fc.constantFrom('', '@skip(if: $a)', '@include(if: $b)', '@skip', '@x', '@include(if: true) @skip(if: false)')
    const { selections } = fc.letrec<{ selections: string }>((tie) => ({
      selections: fc
        .array(
          fc.oneof(
            { maxDepth: 3 },
            fc.tuple(name, directive).map((parts) => parts.join(' ')),
            fc.tuple(name, name, value).map(([alias, field, argument]) => `${alias}: ${field}(x: ${argument})`),
            fc.constantFrom('...F', '...G', '...H'),
            fc
              .tuple(fc.constantFrom('...', '... on Query', '... on A'), directive, tie('selections'))
              .map(([spread, where, inner]) => `${spread} ${where} {${inner}}`),
            fc.tuple(name, tie('selections')).map(([field, inner]) => `${field} {${inner}}`),
          ),
          { minLength: 1, maxLength: 4 },
        )
        .map((parts) => parts.join(' ')),
    }))
    fc.assert(
      fc.property(selections, selections, selections, fc.jsonValue(), fc.boolean(), (main, f, g, a, b) => {
        inTime(`query ($a: X = true) {${main}} fragment F on Query {${f}} fragment G on Query {${g}}`, { a, b })
      }),
      { numRuns: 1_000 },
    )
  })
})
