/**
 * @typedef {readonly [seconds: number, value: number]} Point
 * @typedef {{ perHour: number, error: number }} Slope the standard error of the slope with it
 */

/**
 * Least squares.
 * @param {readonly Point[]} points at least three
 * @returns {Slope}
 */
export function slope(points) {
  const n = points.length
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  const rise = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread
  const left = points.reduce((sum, [x, y]) => sum + (y - meanY - rise * (x - meanX)) ** 2, 0)
  return { perHour: rise * 3600, error: Math.sqrt(left / Math.max(1, n - 2) / spread) * 3600 }
}

/** @param {readonly number[]} values */
export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0

/**
 * Whether what was measured after the warm-up grew: the middle of its last quarter against that of its first, since a line through a
 * curve that bends to its level rises too.
 * @param {readonly Point[]} points
 * @param {{ share: number, least: number }} allowed what it may be more: this share of it, or so much
 */
export function isFlat(points, { share, least }) {
  const quarter = Math.max(1, Math.floor(points.length / 4))
  const first = median(points.slice(0, quarter).map(([, value]) => value))
  const last = median(points.slice(-quarter).map(([, value]) => value))
  return last - first <= Math.max(first * share, least)
}
