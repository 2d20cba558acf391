/**
 * The exponent k of cost = c * size^k that fits best (least squares of the logarithms): 0 is flat, 1 grows as the data does.
 * @param {readonly number[]} sizes
 * @param {readonly number[]} costs
 * @returns {number} two decimals
 */
export function fittedExponent(sizes, costs) {
  const x = sizes.map(Math.log)
  const y = costs.map((cost) => Math.log(Math.max(cost, 1)))
  const mean = (/** @type {readonly number[]} */ all) => all.reduce((sum, one) => sum + one, 0) / all.length
  const [meanX, meanY] = [mean(x), mean(y)]
  const spread = x.reduce((sum, one) => sum + (one - meanX) ** 2, 0)
  const slope = spread === 0 ? 0 : x.reduce((sum, one, i) => sum + (one - meanX) * ((y[i] ?? 0) - meanY), 0) / spread
  return Math.round(slope * 100) / 100
}
