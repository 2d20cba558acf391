import { describe, expect, it } from 'vitest'
import { createCounter, MAX_SERIES, samplesText } from '../../src/observe/exposition.ts'
import { addUp, measurementsText } from '../../src/observe/measurements.ts'
import { METRICS } from '../../src/observe/metric-table.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import type { RequestObservation } from '../../src/observe/observation.ts'

const request = (more: Partial<RequestObservation> = {}): RequestObservation => ({
  kind: 'request',
  id: 'a',
  method: 'GET',
  route: '/object/:bucketName/*',
  status: 200,
  ms: 3,
  role: 'anon',
  bytes: 10,
  aborted: false,
  ...more,
})

/** The samples of a metric, as lines. */
const linesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

function textAfter(...observations: Parameters<ReturnType<typeof createMetrics>['observe']>[0][]): string {
  const metrics = createMetrics()
  for (const observation of observations) metrics.observe(observation)
  return measurementsText(metrics.measure({}))
}

describe('the metrics', () => {
  it('are Prometheus text: each with its help and type, whether it has samples or not', () => {
    const text = textAfter(request())
    for (const { name, type } of Object.values(METRICS)) {
      expect(text).toContain(`# HELP ${name} `)
      expect(text).toContain(`# TYPE ${name} ${type}\n`)
    }
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})? (?:[\d.e+-]+|NaN))$/)
    }
  })

  it('count requests by what they asked for, as whom, and how it went', () => {
    const text = textAfter(request(), request(), request({ status: 404 }), request({ route: '/storage/v1/object/:bucketName/*' }))
    expect(linesOf(text, 'stowage_requests_total')).toEqual([
      'stowage_requests_total{method="GET",route="/object/:bucketName/*",role="anon",status="200"} 3',
      'stowage_requests_total{method="GET",route="/object/:bucketName/*",role="anon",status="404"} 1',
    ])
    expect(linesOf(text, 'stowage_requests_aborted_total')).toEqual([])
    expect(linesOf(textAfter(request({ aborted: true })), 'stowage_requests_aborted_total')).toEqual([
      'stowage_requests_aborted_total{route="/object/:bucketName/*"} 1',
    ])
  })

  it('put a time into its bucket, bounds included, and every bucket holds those below', () => {
    const text = textAfter(request({ ms: 5 }), request({ ms: 5.1 }), request({ ms: 60_000 }))
    const counts = linesOf(text, 'stowage_request_seconds_bucket').map((line) => [/le="([^"]+)"/.exec(line)?.[1], line.split(' ')[1]])
    expect(counts.slice(0, 4)).toEqual([
      ['0.001', '0'],
      ['0.0025', '0'],
      ['0.005', '1'],
      ['0.01', '2'],
    ])
    expect(counts.at(-1)).toEqual(['+Inf', '3'])
    expect(linesOf(text, 'stowage_request_seconds_count')).toEqual(['stowage_request_seconds_count{route="/object/:bucketName/*"} 3'])
    expect(Number(linesOf(text, 'stowage_request_seconds_sum')[0]?.split(' ')[1])).toBeCloseTo(60.0101)
  })

  it('have no label that a caller can fill: unknown roles, and methods and addresses without a route, are one', () => {
    const text = textAfter(
      request({ role: 'tenant_1' }),
      request({ role: 'tenant_2' }),
      request({ route: null, role: null, method: 'PROPFIND', status: 404 }),
      request({ route: null, role: null, method: 'GET', status: 404 }),
    )
    expect(linesOf(text, 'stowage_requests_total')).toEqual([
      'stowage_requests_total{method="GET",route="/object/:bucketName/*",role="other",status="200"} 2',
      'stowage_requests_total{method="other",route="none",role="none",status="404"} 2',
    ])
  })

  it('keep to a number of series, whatever comes', () => {
    const counter = createCounter({ name: 'x_total', type: 'counter', help: '', labels: ['a', 'b'] })
    for (let i = 0; i < MAX_SERIES + 500; i++) counter.add([String(i), 'b'])
    expect(counter.samples().length).toBe(MAX_SERIES + 1)
    expect(counter.samples().at(-1)).toEqual({ labels: ['other', 'other'], value: 500 })
  })

  it('count what the sweeper did, what went wrong, and what moved', () => {
    const sweep = { kind: 'sweep', idle: null, expired: 1, removed: 5, postponed: 2, left: 0, orphansRefused: null, level: 'warn' } as const
    const text = textAfter(
      sweep,
      { ...sweep, idle: 'another process is sweeping', level: 'debug' },
      { ...sweep, orphansRefused: 'too many', removed: 0 },
      { kind: 'failure', message: 'an object has no bytes in the store', error: null },
      { kind: 'note', level: 'info', message: 'a bucket was emptied' },
      { kind: 'store', operation: 'put', bytes: 700 },
      { kind: 'traffic', received: 100, sent: 2_000 },
      { kind: 'trip', login: 'web', outcome: 'pool exhausted' },
      { kind: 'plan', cached: false },
      { kind: 'stage', stage: 'database', ms: 1, failed: true },
      { kind: 'reflection', version: '1', relations: 3, ms: 80 },
    )
    expect(text).toContain('stowage_sweeps_total{outcome="ran"} 1\n')
    expect(text).toContain('stowage_sweeps_total{outcome="idle"} 1\n')
    expect(text).toContain('stowage_sweeps_total{outcome="refused"} 1\n')
    expect(text).toContain('stowage_swept_versions_total{what="removed"} 10\n')
    expect(text).toContain('stowage_log_lines_total{level="error",message="an object has no bytes in the store"} 1\n')
    expect(text).toContain('stowage_log_lines_total{level="warn",message="swept"} 2\n')
    expect(text).not.toContain('a bucket was emptied')
    expect(text).toContain('stowage_store_bytes_total{operation="put"} 700\n')
    expect(text).toContain('stowage_network_bytes_total{direction="sent"} 2000\n')
    expect(text).toContain('stowage_database_trips_total{login="web",outcome="pool exhausted"} 1\n')
    expect(text).toContain('stowage_plan_lookups_total{found="no"} 1\n')
    expect(text).toContain('stowage_stage_failures_total{stage="database"} 1\n')
    expect(text).toContain('stowage_reflection_seconds_count 1\n')
  })

  it('escape what a label may not hold', () => {
    expect(samplesText({ name: 'x', type: 'gauge', help: '', labels: ['a'] }, [{ labels: ['a "b"\\\nc'], value: 1 }])).toBe(
      'x{a="a \\"b\\"\\\\\\nc"} 1\n',
    )
  })
})

describe('the metrics of several processes', () => {
  const counted = (...observations: Parameters<ReturnType<typeof createMetrics>['observe']>[0][]) => {
    const metrics = createMetrics()
    for (const observation of observations) metrics.observe(observation)
    return metrics
  }

  it('are as if one had seen everything', () => {
    const [first, second] = [
      [request(), request({ ms: 70 })],
      [request({ status: 500, ms: 40_000 }), request({ route: '/bucket', ms: 2 })],
    ]
    const shares = [first, second].map((seen, i) => ({ process: String(i), measured: counted(...seen).measure({}) }))
    expect(measurementsText(addUp(shares))).toBe(textAfter(...first, ...second))
  })

  it('sum what is of each, take the most of what is of all, the least of what must hold everywhere, and tell the rest apart', () => {
    const value = (number: number, ...labels: string[]) => [{ labels, value: number }]
    const shares = [
      { waiting: value(2, 'web'), outbox: value(5), ready: value(1), memory: value(100), cpu: value(1.5), loopDelay: value(0.2, '1') },
      { waiting: value(3, 'web'), outbox: value(4), ready: value(0), memory: value(300), cpu: value(2.5), loopDelay: value(0.1, '1') },
    ].map((gauges, i) => ({ process: String(i + 1), measured: counted().measure(gauges) }))
    const text = measurementsText(addUp(shares))
    for (const line of [
      'stowage_database_waiting{login="web"} 5',
      'stowage_outbox_versions 5',
      'stowage_ready 0',
      'process_cpu_seconds_total 4',
      'process_resident_memory_bytes{worker="1"} 100',
      'process_resident_memory_bytes{worker="2"} 300',
      'stowage_event_loop_delay_seconds{quantile="1",worker="1"} 0.2',
      'stowage_event_loop_delay_seconds{quantile="1",worker="2"} 0.1',
    ])
      expect(text).toContain(`\n${line}\n`)
    // no series stands twice
    const series = text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : [line.slice(0, line.lastIndexOf(' '))]))
    expect(new Set(series).size).toBe(series.length)
  })

  it('stay bounded: what is beyond the limit of all together is counted as other', () => {
    const shares = [0, 1, 2].map((process) => {
      const metrics = createMetrics()
      for (let i = 0; i < MAX_SERIES; i += 1) metrics.observe(request({ route: `/${process}/${i}` }))
      return { process: String(process), measured: metrics.measure({}) }
    })
    const lines = linesOf(measurementsText(addUp(shares)), 'stowage_requests_total')
    expect(lines.length).toBe(MAX_SERIES + 1)
    expect(lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(3 * MAX_SERIES)
  })
})
