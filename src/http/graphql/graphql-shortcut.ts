import type { IncomingHttpHeaders } from 'node:http'
import type { Authenticate } from '../../auth/authenticate.ts'
import type { RoleContext } from '../../auth/role-context.ts'
import type { Observe } from '../../observe/observation.ts'
import { apiKeyOf, bearerOf } from '../credentials.ts'
import type { Shortcut } from '../shortcut.ts'
import { WRITTEN_HEADER } from '../written-header.ts'
import { answerFailure, answerResolved } from './answer.ts'
import { readBody } from './read-request.ts'
import { GRAPHQL_PATH, type GraphqlRouteDeps } from './route.ts'

export type GraphqlShortcutDeps = Pick<GraphqlRouteDeps, 'resolve' | 'maxBodyBytes'> & {
  readonly remembered: Authenticate['remembered']
  readonly observe: Observe
}

/** `POST /graphql/v1` with a key and a token that were seen before. */
export const graphqlShortcut = ({ resolve, maxBodyBytes, remembered, observe }: GraphqlShortcutDeps): Shortcut => ({
  method: 'POST',
  url: GRAPHQL_PATH,
  maxBodyBytes,
  admit: (headers) => (headers[WRITTEN_HEADER] === undefined ? rememberedCaller(headers, remembered) : null),
  answer: async (as, { headers }, body, id, signal) => {
    try {
      return answerResolved(await resolve(as, readBody(headers, body), signal), headers.accept)
    } catch (error) {
      const answer = answerFailure(error, id, headers.accept)
      if (answer.status >= 500) observe({ kind: 'failure', message: 'graphql request failed', error, requestId: id })
      return answer
    }
  },
})

/** As `identifyCaller` has it, as far as that can be told without checking a token. */
function rememberedCaller(headers: IncomingHttpHeaders, remembered: Authenticate['remembered']): RoleContext | null {
  const key = apiKeyOf(headers)
  const byKey = key ? remembered(key) : null
  if (byKey === null) return null
  const bearer = bearerOf(headers, null)
  return bearer === null || bearer === key ? byKey : remembered(bearer)
}
