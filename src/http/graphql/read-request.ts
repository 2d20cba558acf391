import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Json } from '../../graphql/operation/json.ts'
import type { GraphqlRequest } from '../../graphql/operation/operation.ts'
import { JsonFault, readJson } from '../../graphql/operation/read-json.ts'
import { isJsonList, isJsonObject } from '../../graphql/operation/variables.ts'
import { ServiceError } from '../../std/service-error.ts'

/** What is wrong with a request before it is GraphQL at all. */
const malformed = (message: string): ServiceError => new ServiceError('MalformedRequest', 400, message)
export const unsupportedType = (message: string): ServiceError => new ServiceError('UnsupportedMediaType', 415, message)

/**
 * The request in a POST body (GraphQL over HTTP 6.3). Unknown members are ignored.
 * @throws ServiceError 400, or 415 for a body that is no JSON by its headers
 */
export function readBody(headers: IncomingHttpHeaders, body: unknown): GraphqlRequest {
  checkContentType(headers)
  if (!Buffer.isBuffer(body) || body.length === 0) throw malformed('The body is empty: send {"query": "…"}')
  const json = readMember('The body', decodeUtf8(body))
  if (isJsonList(json)) throw malformed('Batches are not supported: send one request at a time')
  if (!isJsonObject(json)) throw malformed('The body must be a JSON object')
  const { query, variables, operationName, extensions } = json
  return checkedRequest({ query, variables, operationName, extensions })
}

/**
 * The request in the query string of a GET (GraphQL over HTTP 6.2): variables and extensions are JSON text there.
 * @throws ServiceError 400
 */
export function readQueryString(parameters: unknown): GraphqlRequest {
  const given = parameters as { readonly [name: string]: string | readonly string[] | undefined }
  const text = (name: string): string | undefined => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined && typeof value !== 'string') throw malformed(`${name} is given more than once`)
    return value
  }
  const json = (name: string): Json | undefined => {
    const value = text(name)
    return value === undefined ? undefined : readMember(name, value)
  }
  return checkedRequest({
    query: text('query'),
    variables: json('variables'),
    operationName: text('operationName'),
    extensions: json('extensions'),
  })
}

type Members = { readonly [Name in 'query' | 'variables' | 'operationName' | 'extensions']: Json | undefined }

function checkedRequest({ query, variables = null, operationName = null, extensions = null }: Members): GraphqlRequest {
  if (query === undefined || query === null) {
    // the words a client that hopes for persisted queries waits for, to send the query itself then
    if (isJsonObject(extensions) && extensions.persistedQuery !== undefined)
      throw new ServiceError('PERSISTED_QUERY_NOT_SUPPORTED', 400, 'PersistedQueryNotSupported')
    throw malformed('query is missing')
  }
  if (typeof query !== 'string') throw malformed('query must be a string')
  if (variables !== null && !isJsonObject(variables)) throw malformed('variables must be an object')
  if (operationName !== null && typeof operationName !== 'string') throw malformed('operationName must be a string')
  if (extensions !== null && !isJsonObject(extensions)) throw malformed('extensions must be an object')
  return { query, variables: variables ?? {}, operationName }
}

/** JSON only: a browser sends other types across origins without asking first. */
function checkContentType(headers: IncomingHttpHeaders): void {
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json') throw unsupportedType('The body must be sent as Content-Type: application/json')
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8)
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) throw unsupportedType('The charset of the body must be utf-8')
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity') throw unsupportedType('The body must be sent without Content-Encoding')
}

function decodeUtf8(body: Buffer): string {
  if (!isUtf8(body)) throw malformed('The body is not UTF-8')
  return body.toString('utf8')
}

function readMember(name: string, text: string): Json {
  try {
    return readJson(text)
  } catch (error) {
    if (error instanceof JsonFault) throw malformed(`${name} is not valid JSON: ${error.message}`)
    throw error
  }
}
