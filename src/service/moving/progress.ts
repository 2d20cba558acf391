import { inMebibytes } from './in-mebibytes.ts'

/** Tells how far a move has come: now and then, and at its end. */
export type Progress = {
  readonly add: (objects: number, bytes: number) => void
  readonly end: () => void
}

const EVERY_MS = 2_000

export function createProgress(
  what: string,
  total: { readonly objects: number; readonly bytes: number },
  onLine: (line: string) => void,
): Progress {
  const began = performance.now()
  let objects = 0
  let bytes = 0
  const tell = () => {
    const seconds = Math.max(0.001, (performance.now() - began) / 1000)
    const share = total.bytes > 0 ? bytes / total.bytes : total.objects > 0 ? objects / total.objects : 1
    onLine(
      `${what}: ${bar(share)} ${objects} of ${total.objects} objects, ${inMebibytes(bytes)} of ${inMebibytes(total.bytes)}, ${inMebibytes(bytes / seconds)}/s`,
    )
  }
  const timer = setInterval(tell, EVERY_MS)
  return {
    add: (more, moreBytes) => {
      objects += more
      bytes += moreBytes
    },
    end: () => {
      clearInterval(timer)
      tell()
    },
  }
}

const WIDTH = 20

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${String(Math.floor(Math.min(1, share) * 100)).padStart(3)}%`
}
