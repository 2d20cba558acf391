// For supervisors that can only run a program: ends with 0 when the service of this machine's PORT is ready, else with 1 and the reason.
const url = `http://127.0.0.1:${process.env.PORT || 8000}/health/ready`
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_500) })
  if (!answer.ok) console.error(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(`${url}: ${error instanceof Error ? (error.cause ?? error) : error}`)
  process.exitCode = 1
}
