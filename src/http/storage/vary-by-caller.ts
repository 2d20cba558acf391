import type { FastifyReply } from 'fastify'

/** An answer that another caller would not get the same: no cache may give it to him. Beside what CORS has said of the origin. */
export function varyByCaller(reply: FastifyReply): void {
  const known = reply.getHeader('vary')
  reply.header('vary', known === undefined ? 'Authorization' : `${known}, Authorization`)
}
