import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RoleContext } from '../auth/role-context.ts'
import { ServiceError } from '../std/service-error.ts'

/** Transactions of a caller, for reading from a standby through another process than the one that wrote. */
export const WRITTEN_HEADER = 'stowage-written'

const MOST = 32
const XID = /^[1-9]\d{0,18}$/

/**
 * The same caller, who has to see what the header names. Without it, which is nearly always, the very same object.
 * @throws ServiceError 400
 */
export function withWritten(as: RoleContext, headers: IncomingHttpHeaders): RoleContext {
  const given = headers[WRITTEN_HEADER]
  if (given === undefined) return as
  const xids = String(given).split(/\s*,\s*/)
  if (xids.length > MOST || !xids.every((xid) => XID.test(xid)))
    throw new ServiceError(
      'InvalidRequest',
      400,
      `The header ${WRITTEN_HEADER} holds up to ${MOST} numbers between commas, as an answer gave them`,
    )
  return { ...as, after: xids.map(BigInt) }
}

/** Tells a caller who has written what to send along with a reading. */
export function tellWritten(app: FastifyInstance, pending: (as: RoleContext) => readonly bigint[]): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const xids = request.caller && request.method !== 'GET' && request.method !== 'HEAD' ? pending(request.caller) : []
    if (xids.length > 0) reply.header(WRITTEN_HEADER, xids.join(','))
    return payload
  })
}
