import { assertNever } from '../std/assert-never.ts'
import { type Counter, createCounter, createHistogram, type MetricSpec, type Sample } from './exposition.ts'
import type { Measurements } from './measurements.ts'
import { METRICS, type MetricName } from './metric-table.ts'
import type { Observe, SweepObservation } from './observation.ts'

type Name = MetricName
type NamesOf<Type> = { [N in Name]: (typeof METRICS)[N]['type'] extends Type ? N : never }[Name]
export type GaugeName = NamesOf<'gauge'> | 'cpu'

/** Read when somebody looks; what cannot be told now is left out. */
export type Gauges = Partial<Record<GaugeName, readonly Sample[]>>

export type Metrics = {
  readonly observe: Observe
  readonly measure: (gauges: Gauges) => Measurements
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(['anon', 'authenticated', 'service_role'])
/** The storage routes lie twice: they are the same to whoever looks at numbers. */
const MOUNT = '/storage/v1'

/** Counts what is observed. Labels are route templates, classes of roles and words of ours: nothing that a caller sent. */
export function createMetrics(): Metrics {
  const counters = new Map<Name, Counter>()
  const specs = Object.entries(METRICS) as [Name, MetricSpec][]
  for (const [name, spec] of specs) if (spec.type === 'counter') counters.set(name, createCounter(spec))
  const requestSeconds = createHistogram(METRICS.requestSeconds)
  const stageSeconds = createHistogram(METRICS.stageSeconds)
  const reflections = createHistogram(METRICS.reflections)
  const histograms = { requestSeconds, stageSeconds, reflections } satisfies Record<NamesOf<'histogram'>, unknown>
  const add = (name: NamesOf<'counter'>, labels: readonly string[], by?: number) => counters.get(name)?.add(labels, by)

  const observe: Observe = (observation) => {
    switch (observation.kind) {
      case 'request': {
        const { method, status, ms, aborted } = observation
        const route = routeLabel(observation.route)
        // without a route the method is anybody's word
        add('requests', [observation.route === null ? 'other' : method, route, roleLabel(observation.role), String(status)])
        requestSeconds.add([route], ms / 1_000)
        if (aborted) add('aborted', [route])
        return
      }
      case 'traffic':
        add('traffic', ['received'], observation.received)
        add('traffic', ['sent'], observation.sent)
        return
      case 'stage':
        stageSeconds.add([observation.stage], observation.ms / 1_000)
        if (observation.failed) add('stageFailures', [observation.stage])
        return
      case 'trip':
        add('trips', [observation.login, observation.outcome])
        return
      case 'plan':
        add('plans', [observation.cached ? 'yes' : 'no'])
        return
      case 'store':
        add('stored', [observation.operation], observation.bytes)
        return
      case 'reflection':
        reflections.add([], observation.ms / 1_000)
        return
      case 'sweep':
        add('sweeps', [sweepOutcome(observation)])
        for (const what of ['expired', 'removed', 'postponed'] as const) add('swept', [what], observation[what])
        if (observation.level === 'warn') add('lines', ['warn', 'swept'])
        return
      case 'note':
        if (observation.level === 'warn') add('lines', ['warn', observation.message])
        return
      case 'failure':
        add('lines', ['error', observation.message])
        return
      default:
        assertNever(observation)
    }
  }

  return {
    observe,
    measure: (gauges) => ({
      samples: { ...Object.fromEntries([...counters].map(([name, counter]) => [name, counter.samples()])), ...gauges },
      distributions: Object.fromEntries(Object.entries(histograms).map(([name, histogram]) => [name, histogram.distributions()])),
    }),
  }
}

function routeLabel(route: string | null): string {
  if (route === null) return 'none'
  return route.startsWith(`${MOUNT}/`) ? route.slice(MOUNT.length) : route
}

function roleLabel(role: string | null): string {
  if (role === null) return 'none'
  return KNOWN_ROLES.has(role) ? role : 'other'
}

function sweepOutcome({ idle, orphansRefused }: SweepObservation): string {
  if (idle !== null) return 'idle'
  return orphansRefused === null ? 'ran' : 'refused'
}
