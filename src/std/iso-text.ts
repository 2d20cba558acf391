let second = Number.NaN
let upToSecond = ''

/** A time in milliseconds as `toISOString` writes it; for one time after another, since most of what that costs is worked out once a second. */
export function isoText(time: number): string {
  const since = ((time % 1_000) + 1_000) % 1_000
  if (time - since !== second) {
    second = time - since
    upToSecond = new Date(second).toISOString().slice(0, -4)
  }
  return `${upToSecond}${String(since).padStart(3, '0')}Z`
}
