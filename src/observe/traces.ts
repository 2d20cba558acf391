import { type Context, defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Milliseconds } from '../std/brand.ts'
import type { Traces } from './watch.ts'

export type TraceOptions = {
  /** where OTLP over HTTP is taken, without `/v1/traces` */
  readonly endpoint: string
  /** for the collector, a credential maybe */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly version: string
  /** of the requests that no caller has decided about, 0 to 1 */
  readonly share: number
  readonly sendEvery: Milliseconds
  /** spans did not arrive */
  readonly onLost: (reason: string, spans: number) => void
}

/** Spans that wait to be sent; more are dropped, since a collector that is away must not cost memory. */
const MAX_WAITING = 4_096
const SEND_LIMIT_MS = 5_000

/**
 * Traces over OTLP: a span a request, below it one a stage. A `traceparent` (W3C Trace Context) is honoured, its decision too.
 * Imported only when an endpoint is set, since its libraries are large.
 */
export function createTraces(options: TraceOptions): Traces {
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: SEND_LIMIT_MS,
  })
  const told: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) options.onLost(result.error?.message ?? 'no reason given', spans.length)
        done(result)
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.serviceName, 'service.version': options.version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: told,
        maxQueueSize: MAX_WAITING,
        scheduledDelayMillis: options.sendEvery,
        exportTimeoutMillis: SEND_LIMIT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('stowage', options.version)
  const propagator = new W3CTraceContextPropagator()
  // spans are written down afterwards: by one clock, whatever the system's does meanwhile
  const time = (at: number) => performance.timeOrigin + at

  return {
    start: (method, headers) => {
      const parent: Context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const span = tracer.startSpan(
        method,
        { kind: SpanKind.SERVER, startTime: time(performance.now()), attributes: { 'http.request.method': method } },
        parent,
      )
      const context = trace.setSpan(parent, span)
      return {
        stage: (stage, startedAt, endedAt, failed) => {
          if (!span.isRecording()) return
          const kind = stage === 'database' ? SpanKind.CLIENT : SpanKind.INTERNAL
          const attributes = stage === 'database' ? { 'db.system.name': 'postgresql' } : {}
          const child = tracer.startSpan(stage, { kind, startTime: time(startedAt), attributes }, context)
          if (failed) child.setStatus({ code: SpanStatusCode.ERROR })
          child.end(time(endedAt))
        },
        end: ({ id, route, status, role, aborted }) => {
          if (route !== null) span.updateName(`${method} ${route}`).setAttribute('http.route', route)
          span.setAttribute('http.response.status_code', status).setAttribute('stowage.request_id', id)
          if (role !== null) span.setAttribute('stowage.role', role)
          if (aborted) span.setAttribute('stowage.aborted', true)
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end(time(performance.now()))
        },
      }
    },
    // what cannot be sent now is told by onLost, and is no reason not to stop
    end: () => provider.shutdown().catch(() => undefined),
  }
}
