import { Command, InvalidArgumentError } from 'commander'
import { inBytes, size } from '../config/setting-types.ts'
import { scrubOnce } from '../service/scrub-once.ts'
import type { Finding, ScrubReport } from '../storage/scrub/scrub-objects.ts'
import { print, say } from './terminal.ts'

type Options = { readonly bucket?: string; readonly after?: string; readonly rate?: number; readonly json?: boolean }

/** Between two lines about how far it is. */
const PROGRESS_MS = 5_000
/** Findings have a code of their own, so that a script can tell them from a scrub that could not be done. */
const FOUND = 2

export const scrubCommand = (): Command =>
  new Command('scrub')
    .description('read the bytes of all objects and compare them with what was stored; exits with 2 when some are damaged or missing')
    .option('--bucket <id>', 'look at the objects of one bucket')
    .option('--rate <bytes>', 'read at most so much a second, like 50MB', readRate)
    .option('--after <id>', 'go on where a scrub was broken off', readId)
    .option('--json', 'one JSON object a line: each finding, then the summary')
    .action(scrub)

async function scrub({ bucket, after, rate, json = false }: Options): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  let toldAt = performance.now()
  const report = await scrubOnce(
    {
      bucket: bucket ?? null,
      after: after ?? null,
      onFinding: (finding) => print(json ? JSON.stringify(finding) : inWords(finding)),
      onProgress: (soFar, of) => {
        if (performance.now() - toldAt < PROGRESS_MS) return
        toldAt = performance.now()
        say(`${soFar.objects} of ${of} objects, ${roughly(soFar.bytes)} read; to go on from here: --after ${soFar.after}`)
      },
      signal: stopping.signal,
    },
    rate ?? null,
    say,
  )
  print(json ? JSON.stringify({ kind: 'summary', ...report }) : summary(report))
  if (report.damaged + report.missing + report.unreadable > 0) process.exitCode = FOUND
  else if (!report.complete) process.exitCode = 1
}

const inWords = ({ kind, bucket, key, version, why }: Finding): string =>
  `${kind}  ${JSON.stringify(`${bucket}/${key}`)}  version ${version ?? '-'}: ${why}`

function summary({ objects, bytes, damaged, missing, unreadable, unverifiable, complete, after }: ScrubReport): string {
  const lines = [
    `${objects} objects, ${roughly(bytes)}: ${damaged} damaged, ${missing} missing, ${unreadable} unreadable.`,
    ...(unverifiable > 0 ? [`Nothing says what the bytes of ${unverifiable} should be: their rows were not written by Stowage.`] : []),
    ...(complete ? [] : [`Broken off; to go on: stowage scrub${after === null ? '' : ` --after ${after}`}`]),
  ]
  return lines.join('\n')
}

function roughly(bytes: number): string {
  const unit = [2 ** 40, 2 ** 30, 2 ** 20].find((candidate) => bytes >= candidate)
  return unit === undefined ? inBytes(bytes) : `${(bytes / unit).toFixed(1)} ${inBytes(unit).slice(2)}`
}

function readRate(text: string): number {
  try {
    return size(1024, 2 ** 43).read(text)
  } catch (error) {
    throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : 'a size'}.`)
  }
}

function readId(text: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)) return text
  throw new InvalidArgumentError('It must be the id that the broken-off scrub named.')
}
