/** AuthenticationRequest codes, PostgreSQL manual 54.7 */
const OK = 0
const SASL = 10
const SASL_CONTINUE = 11
const SASL_FINAL = 12
const AUTHENTICATION = 0x52
const HEADER_BYTES = 5

/**
 * Reads along while a server asks who we are, for channel_binding=require: the server must offer it, and must have proven that it knows the
 * password before it lets us in. One that stands between could only pass on an answer that is bound to another certificate.
 * Answers an objection, or null; silent once the server has let us in.
 */
export function createBindingGuard(): (chunk: Buffer) => string | null {
  let waiting: Buffer = Buffer.alloc(0)
  let proven = false
  let over = false
  return (chunk) => {
    if (over) return null
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
    while (waiting.length >= HEADER_BYTES) {
      const end = 1 + waiting.readInt32BE(1)
      if (waiting.length < end) return null
      const message = waiting.subarray(0, end)
      waiting = waiting.subarray(end)
      if (message[0] !== AUTHENTICATION) continue
      const code = message.readInt32BE(HEADER_BYTES)
      if (code === SASL && !message.includes('SCRAM-SHA-256-PLUS\0')) return 'channel_binding=require, and the server does not offer it'
      if (code === SASL_FINAL) proven = true
      else if (code !== OK && code !== SASL && code !== SASL_CONTINUE)
        return 'channel_binding=require, and the server asks for the password another way'
      if (code !== OK) continue
      if (!proven) return 'channel_binding=require, and the server let us in without proving that it knows the password'
      over = true
      return null
    }
    return null
  }
}
