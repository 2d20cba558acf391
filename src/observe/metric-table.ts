import type { MetricSpec } from './exposition.ts'

type Across = NonNullable<MetricSpec['across']>

/** Seconds: from a cached answer to an upload that takes its time. */
const LATENCY = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STAGE_LATENCY = [0.0001, 0.00025, 0.0005, ...LATENCY.slice(0, -1)]

const counter = <const Label extends string>(name: string, help: string, ...labels: readonly Label[]) =>
  ({ name, type: 'counter', help, labels }) as const
const gauge = <const Label extends string>(name: string, across: Across, help: string, ...labels: readonly Label[]) =>
  ({ name, type: 'gauge', across, help, labels }) as const
const histogram = <const Label extends string>(name: string, help: string, bounds: readonly number[], ...labels: readonly Label[]) =>
  ({ name, type: 'histogram', help, labels, bounds }) as const

/** Every metric there is; the operators' page, the dashboard's and the alerts' tests are made of this table. */
export const METRICS = {
  requests: counter('stowage_requests_total', 'Requests answered, or left by their client.', 'method', 'route', 'role', 'status'),
  requestSeconds: histogram('stowage_request_seconds', 'From the first byte of a request to the end of its answer.', LATENCY, 'route'),
  aborted: counter('stowage_requests_aborted_total', 'Requests whose client left before it had its answer.', 'route'),
  traffic: counter('stowage_network_bytes_total', 'Bytes of requests and answers on the wire, headers too.', 'direction'),
  stageSeconds: histogram(
    'stowage_stage_seconds',
    'Time in the parts of requests: auth, plan, database (with the wait for a connection), bytes (writing, or opening to read).',
    STAGE_LATENCY,
    'stage',
  ),
  stageFailures: counter('stowage_stage_failures_total', 'Parts of requests that ended in an error.', 'stage'),
  trips: counter('stowage_database_trips_total', 'Round trips to PostgreSQL, by login and how they ended.', 'login', 'outcome'),
  connections: gauge('stowage_database_connections', 'sum', 'Connections to PostgreSQL, by login and what they do.', 'login', 'state'),
  connectionLimit: gauge('stowage_database_connections_max', 'sum', 'Connections to PostgreSQL that there may be.', 'login'),
  waiting: gauge('stowage_database_waiting', 'sum', 'Batches that wait for a connection.', 'login'),
  plans: counter('stowage_plan_lookups_total', 'GraphQL requests by whether their plan was in the cache.', 'found'),
  reflections: histogram('stowage_reflection_seconds', "Readings of the database's schema.", LATENCY),
  stored: counter('stowage_store_bytes_total', 'Bytes of objects written, read and copied in the store.', 'operation'),
  sweeps: counter(
    'stowage_sweeps_total',
    'Passes of the sweeper: ran, idle (another process sweeps, or the store is not ours), refused.',
    'outcome',
  ),
  swept: counter('stowage_swept_versions_total', 'Versions the sweeper dealt with: expired, removed, postponed.', 'what'),
  outbox: gauge(
    'stowage_outbox_versions',
    'max',
    'Versions that wait to be removed, counted up to 100000; of the database, not of the process.',
  ),
  outboxAge: gauge('stowage_outbox_oldest_seconds', 'max', 'How long the oldest of them has waited.'),
  intents: gauge('stowage_intents', 'max', 'Uploads that are under way or were broken off, counted up to 100000.'),
  emptyings: gauge('stowage_emptyings', 'max', 'Buckets that are being emptied.'),
  emptyingAge: gauge('stowage_emptying_overdue_seconds', 'max', 'For how long the longest neglected of them has been left alone.'),
  lines: counter('stowage_log_lines_total', 'Warnings and failures by what they say.', 'level', 'message'),
  ready: gauge('stowage_ready', 'min', 'Whether /health/ready answers 200; of several workers, whether it does on all.'),
  processes: gauge('stowage_processes', 'sum', 'Processes that should serve, by whether they told their numbers in time.', 'told'),
  loopDelay: gauge(
    'stowage_event_loop_delay_seconds',
    'each',
    'How late the event loop was since the last look; quantile 1 is the latest.',
    'quantile',
  ),
  build: gauge('stowage_build_info', 'max', 'Always 1; the version of Stowage and of Node.', 'version', 'node'),
  cpu: counter('process_cpu_seconds_total', 'Time on the processor, user and system.'),
  memory: gauge('process_resident_memory_bytes', 'each', 'Memory in use.'),
  started: gauge('process_start_time_seconds', 'each', 'When the process started, since 1970.'),
} as const satisfies Readonly<Record<string, MetricSpec>>

export type MetricName = keyof typeof METRICS
