/** A metric as it is declared: the names of its labels, and for a histogram its upper bounds. */
export type MetricSpec = {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  readonly bounds?: readonly number[]
  /** what a gauge of several processes comes to; `each` is told by itself, with the process as one more label. Everything else is summed. */
  readonly across?: 'sum' | 'max' | 'min' | 'each'
}

export type Sample = { readonly labels: readonly string[]; readonly value: number }

/** Of a histogram: how many fell between two bounds, the last beyond all of them, and what all come to. */
export type Distribution = { readonly labels: readonly string[]; readonly counts: readonly number[]; readonly sum: number }

export type Counter = { readonly add: (labels: readonly string[], by?: number) => void; readonly samples: () => readonly Sample[] }

/** Label values that nobody bounded must not fill the memory: beyond this, series are counted together as `other`. */
export const MAX_SERIES = 2_000

const SEPARATOR = '\u0000'
const OVERFLOW = 'other'

export function createCounter({ labels: names }: MetricSpec): Counter {
  const series = new Map<string, { readonly labels: readonly string[]; value: number }>()
  return {
    add: (labels, by = 1) => {
      find(series, labels, names.length, (own) => ({ labels: own, value: 0 })).value += by
    },
    samples: () => [...series.values()],
  }
}

export type Histogram = {
  /** `value` in the unit of the bounds */
  readonly add: (labels: readonly string[], value: number) => void
  /** what another histogram of the same metric holds */
  readonly addAll: (distribution: Distribution) => void
  readonly distributions: () => readonly Distribution[]
}

export function createHistogram({ labels: names, bounds = [] }: MetricSpec): Histogram {
  const series = new Map<string, { readonly labels: readonly string[]; readonly counts: Float64Array; sum: number }>()
  const of = (labels: readonly string[]) =>
    find(series, labels, names.length, (own) => ({ labels: own, counts: new Float64Array(bounds.length + 1), sum: 0 }))
  return {
    add: (labels, value) => {
      const one = of(labels)
      let at = 0
      while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
      one.counts[at] = (one.counts[at] ?? 0) + 1
      one.sum += value
    },
    addAll: ({ labels, counts, sum }) => {
      const one = of(labels)
      counts.forEach((count, at) => {
        one.counts[at] = (one.counts[at] ?? 0) + count
      })
      one.sum += sum
    },
    distributions: () => [...series.values()].map(({ labels, counts, sum }) => ({ labels, counts: [...counts], sum })),
  }
}

function find<Series>(
  all: Map<string, Series>,
  labels: readonly string[],
  names: number,
  make: (labels: readonly string[]) => Series,
): Series {
  const key = labels.length === 1 ? (labels[0] ?? '') : labels.join(SEPARATOR)
  const known = all.get(key)
  if (known) return known
  if (all.size >= MAX_SERIES) {
    const others = Array.from({ length: names }, () => OVERFLOW)
    const rest = all.get(others.join(SEPARATOR))
    if (rest) return rest
    const made = make(others)
    all.set(others.join(SEPARATOR), made)
    return made
  }
  const made = make([...labels])
  all.set(key, made)
  return made
}

/** The two lines in front of a metric's samples (Prometheus text format 0.0.4). */
export const heading = ({ name, type, help }: MetricSpec): string =>
  `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`

export function distributionsText({ name, labels: names, bounds = [] }: MetricSpec, distributions: readonly Distribution[]): string {
  let text = ''
  for (const { labels, counts, sum } of distributions) {
    let total = 0
    counts.forEach((count, at) => {
      total += count
      text += line(`${name}_bucket`, [...names, 'le'], [...labels, String(bounds[at] ?? '+Inf')], total)
    })
    text += line(`${name}_sum`, names, labels, sum) + line(`${name}_count`, names, labels, total)
  }
  return text
}

export const samplesText = ({ name, labels }: MetricSpec, samples: readonly Sample[]): string =>
  samples.map((sample) => line(name, labels, sample.labels, sample.value)).join('')

function line(name: string, names: readonly string[], values: readonly string[], value: number): string {
  const labels = names.map((label, i) => `${label}="${escaped(values[i] ?? '')}"`).join(',')
  return `${name}${labels && `{${labels}}`} ${Number.isFinite(value) ? value : 'NaN'}\n`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
