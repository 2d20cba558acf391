import {
  createCounter,
  createHistogram,
  type Distribution,
  distributionsText,
  heading,
  type MetricSpec,
  type Sample,
  samplesText,
} from './exposition.ts'
import { METRICS, type MetricName } from './metric-table.ts'

/** What one process has counted and read: plain data, which another one can add up. What could not be told is left out. */
export type Measurements = {
  readonly samples: Partial<Record<MetricName, readonly Sample[]>>
  readonly distributions: Partial<Record<MetricName, readonly Distribution[]>>
}

/** Measurements under the name of the process they are of. */
export type Share = { readonly process: string; readonly measured: Measurements }

export const NOTHING_MEASURED: Measurements = { samples: {}, distributions: {} }

/** What the text is, as a Content-Type. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What a metric that tells of each process by itself is labelled with, behind its own labels. */
const PROCESS_LABEL = 'worker'

const SPECS = Object.entries(METRICS) as [MetricName, MetricSpec][]

/** Prometheus text format 0.0.4 */
export const measurementsText = ({ samples, distributions }: Measurements): string =>
  SPECS.map(([name, spec]) => {
    const text = spec.type === 'histogram' ? distributionsText(spec, distributions[name] ?? []) : samplesOf(spec, samples[name] ?? [])
    return heading(spec) + text
  }).join('')

/** All processes as one: counts and distributions are summed, gauges as their metric says. */
export function addUp(shares: readonly Share[]): Measurements {
  const samples = SPECS.flatMap(([name, spec]) => {
    if (spec.type === 'histogram') return []
    const all = shares.map(({ process, measured }) => ({ process, samples: measured.samples[name] ?? [] }))
    return [[name, foldSamples(spec, all)] as const]
  })
  const distributions = SPECS.flatMap(([name, spec]) => {
    if (spec.type !== 'histogram') return []
    const sum = createHistogram(spec)
    for (const { measured } of shares) for (const one of measured.distributions[name] ?? []) sum.addAll(one)
    return [[name, sum.distributions()] as const]
  })
  return { samples: Object.fromEntries(samples), distributions: Object.fromEntries(distributions) }
}

/** What only ever grows. */
export const countedOf = ({ samples, distributions }: Measurements): Measurements => ({ samples: ofType(samples, true), distributions })

/** What was read at one moment. */
export const gaugesOf = ({ samples }: Measurements): Measurements => ({ samples: ofType(samples, false), distributions: {} })

const ofType = (samples: Measurements['samples'], isCounter: boolean): Measurements['samples'] =>
  Object.fromEntries(Object.entries(samples).filter(([name]) => (METRICS[name as MetricName].type === 'counter') === isCounter))

type Told = { readonly process: string; readonly samples: readonly Sample[] }

function foldSamples(spec: MetricSpec, told: readonly Told[]): readonly Sample[] {
  const { across = 'sum' } = spec
  if (across === 'each')
    return told.flatMap(({ process, samples }) => samples.map(({ labels, value }) => ({ labels: [...labels, process], value })))
  const all = told.flatMap(({ samples }) => samples)
  if (across === 'sum') {
    const sum = createCounter(spec)
    for (const { labels, value } of all) sum.add(labels, value)
    return sum.samples()
  }
  const furthest = new Map<string, Sample>()
  for (const sample of all) {
    const key = JSON.stringify(sample.labels)
    const known = furthest.get(key)
    if (!known || (across === 'max' ? sample.value > known.value : sample.value < known.value)) furthest.set(key, sample)
  }
  return [...furthest.values()]
}

function samplesOf(spec: MetricSpec, samples: readonly Sample[]): string {
  const isOfEach = samples.some(({ labels }) => labels.length > spec.labels.length)
  return samplesText(isOfEach ? { ...spec, labels: [...spec.labels, PROCESS_LABEL] } : spec, samples)
}
