const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** `name=value` between commas, values percent-encoded, as OpenTelemetry has it; null: it is not that. */
export function traceHeaders(setting: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {}
  for (const pair of setting.split(',').map((text) => text.trim())) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(at, 0)).trim()
    const value = decoded(pair.slice(at + 1).trim())
    if (!HEADER_NAME.test(name) || value === null) return null
    headers[name.toLowerCase()] = value
  }
  return headers
}

function decoded(text: string): string | null {
  try {
    const value = decodeURIComponent(text)
    return /^[\t\x20-\x7e]*$/.test(value) ? value : null
  } catch {
    return null
  }
}
