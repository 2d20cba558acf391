let second = Number.NaN
let upToSecond = ''

/** `new Date().toISOString()`; most of what that costs is worked out once a second. */
export function isoNow(): string {
  const now = Date.now()
  const since = now % 1_000
  if (now - since !== second) {
    second = now - since
    upToSecond = new Date(second).toISOString().slice(0, -4)
  }
  return `${upToSecond}${String(since).padStart(3, '0')}Z`
}
