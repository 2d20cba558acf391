import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { MetricSpec } from '../../src/observe/exposition.ts'
import { LOG_MESSAGES } from '../../src/observe/log-messages.ts'
import { METRICS } from '../../src/observe/metric-table.ts'
import { readTree } from '../support/source-tree.ts'
import { expectGenerated } from './generated.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/operations.md')

const specs: readonly MetricSpec[] = Object.values(METRICS)

test('the page shows the metrics as they are', async () => {
  const rows = specs.map(
    ({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`,
  )
  await expectGenerated(PAGE, 'metrics', ['| Metric | Type | Labels | |', '|---|---|---|---|', ...rows].join('\n'))
})

test('the page shows the lines of the log as they are', async () => {
  const rows = Object.entries(LOG_MESSAGES).map(([message, { level, meaning }]) => `| \`${message}\` | ${level} | ${meaning} |`)
  await expectGenerated(PAGE, 'log', ['| `msg` | Level | What it says |', '|---|---|---|', ...rows].join('\n'))
})

test('every line that is written is on the page, and every line on the page is written', async () => {
  const sources = (await readTree(ROOT, 'src', ['.ts'])).filter(({ path }) => !path.endsWith('log-messages.ts'))
  const code = sources.map(({ text }) => text).join('\n')
  expect(Object.keys(LOG_MESSAGES).filter((message) => !code.includes(`'${message}'`))).toEqual([])
  // what is observed is held by its type; what is logged past it, by its words
  const direct = [...code.matchAll(/\blog(?:ger)?(?:\.(?:error|warn|info|debug)|\[\w+\])\([^']*'([^']+)'\)/g)].map(
    ([, message = '']) => message,
  )
  expect(direct.length).toBeGreaterThan(3)
  expect(direct.filter((message) => !(message in LOG_MESSAGES))).toEqual([])
})

type Question = { readonly metrics: readonly string[]; readonly labels: readonly string[] }

/** What a question of Prometheus looks at. @throws where it is none; Grafana's own variable stands for a time */
function questionOf(expression: string): Question {
  const text = expression.replaceAll('$__rate_interval', '5m')
  const metrics: string[] = []
  const labels: string[] = []
  parser.parse(text).iterate({
    enter: ({ name, from, to, type }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expression}`)
      if (name === 'Identifier') metrics.push(text.slice(from, to))
      if (name === 'LabelName') labels.push(text.slice(from, to))
    },
  })
  return { metrics, labels }
}

/** What the scraper adds, and a histogram's own. */
const OTHER_LABELS = ['job', 'instance', 'le']

const namesOf = ({ name, type }: MetricSpec): readonly string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]

function expectKnown(expression: string): void {
  const { metrics, labels } = questionOf(expression)
  expect(metrics.length, expression).toBeGreaterThan(0)
  const known = metrics
    .filter((metric) => metric !== 'up')
    .flatMap((metric) => {
      const spec = specs.find((candidate) => namesOf(candidate).includes(metric))
      if (!spec) throw new Error(`${metric} is no metric: ${expression}`)
      return spec.labels
    })
  for (const label of labels) expect([...known, ...OTHER_LABELS], `${label} in ${expression}`).toContain(label)
}

describe('the dashboard', async () => {
  const dashboard = JSON.parse(await readFile(join(ROOT, 'docs/monitoring/grafana-dashboard.json'), 'utf8')) as {
    panels: {
      id: number
      title: string
      targets: { expr: string; legendFormat: string }[]
      gridPos: Record<'x' | 'y' | 'w' | 'h', number>
    }[]
    annotations: { list: { expr: string }[] }
    templating: { list: { query: string | { query: string } }[] }
  }

  test.each(dashboard.panels.map(({ title, targets }) => [title, targets] as const))(
    'shows in "%s" metrics that there are',
    (_, targets) => {
      for (const { expr, legendFormat } of targets) {
        expectKnown(expr)
        // a legend names labels that the question leaves
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect(expr.includes('by (') ? (/by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? []) : ['instance']).toContain(label)
      }
    },
  )

  test('asks for nothing else, and its panels do not overlap', () => {
    for (const { expr } of dashboard.annotations.list) expectKnown(expr)
    const [, metric = ''] = /label_values\((\w+), instance\)/.exec(JSON.stringify(dashboard.templating.list)) ?? []
    expect(specs.map(({ name }) => name)).toContain(metric)
    const cells = new Set<string>()
    for (const { gridPos } of dashboard.panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x} ${y}`)).toBe(false)
          cells.add(`${x} ${y}`)
        }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })
})

describe('the alerts', async () => {
  const file = parse(await readFile(join(ROOT, 'docs/monitoring/alert-rules.yml'), 'utf8')) as {
    groups: {
      rules: { alert: string; expr: string; for?: string; labels: Record<string, string>; annotations: Record<string, string> }[]
    }[]
  }
  const rules = file.groups.flatMap((group) => group.rules)

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s asks for metrics and messages that there are', (_, rule) => {
    expectKnown(rule.expr)
    for (const [, message = ''] of rule.expr.matchAll(/message="([^"]+)"/g)) expect(Object.keys(LOG_MESSAGES)).toContain(message)
    expect(rule.for ?? '1m').toMatch(/^\d+[mh]$/)
    expect(['page', 'ticket']).toContain(rule.labels.severity)
    expect(Object.keys(rule.annotations)).toEqual(['summary', 'description'])
    // a label in a sentence is one that the question leaves
    for (const [, label = ''] of Object.values(rule.annotations)
      .join(' ')
      .matchAll(/\$labels\.(\w+)/g))
      expect(label === 'instance' || rule.expr.includes(label), `${label} in ${rule.alert}`).toBe(true)
  })

  test('refuse what is no question', () => {
    expect(() => expectKnown('sum(rate(stowage_requests_total[5m])')).toThrow('not PromQL')
    expect(() => expectKnown('stowage_request_total')).toThrow('is no metric')
    expect(() => expectKnown('sum by (bucket) (stowage_requests_total)')).toThrow('bucket in')
  })
})
