import { ANSWER_SHAPES, type AnswerShape } from './answer-shapes.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Operation } from './operation.ts'

/** A route as the framework has it: methods in capitals, its address with the prefix. */
export type DescribedRoute = {
  readonly method: string
  readonly url: string
  readonly operation: Operation
  readonly body: JsonSchema | null
  readonly query: JsonSchema | null
}

type Part = { readonly [member: string]: unknown }

/** The description of the API (OpenAPI 3.1.1) as it is at `mount`. */
export function buildDocument(routes: readonly DescribedRoute[], mount: string, version: string): Part {
  const paths: Record<string, Record<string, Part>> = {}
  for (const route of routes) {
    const path = templateOf(route.url.slice(mount.length))
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Stowage storage',
      version,
      description:
        'Buckets and objects over HTTP, as clients of Supabase Storage speak it. Row level security on storage.buckets and storage.objects decides what a caller may do.',
    },
    servers: [{ url: mount === '' ? '/' : mount }],
    paths,
    components: {
      schemas: ANSWER_SHAPES,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        authorization: {
          type: 'apiKey',
          in: 'query',
          name: 'authorization',
          description: 'For where no header can be sent; a header wins.',
        },
      },
    },
  }
}

/** `/object/:bucketName/*` as OpenAPI writes it. */
const templateOf = (url: string): string =>
  url
    .replaceAll(/:(\w+)/g, '{$1}')
    .replace('*', '{key}')
    .replace(/(.)\/$/, '$1')

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  bucketId: 'The id of a bucket.',
  bucketName: 'The id of a bucket.',
  key: 'The key of an object: may hold slashes, which need not be escaped.',
}

function operationOf({ method, operation, body, query }: DescribedRoute, path: string): Part {
  const isHead = method === 'HEAD'
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      description: PATH_PARAMETERS[name],
      schema: { type: 'string' },
    })),
    ...queryParameters(query),
    ...Object.entries(operation.headers ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    })),
  ]
  return {
    operationId: isHead ? `${operation.id}Head` : operation.id,
    summary: isHead ? `${operation.summary}: headers only` : operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: SECURITY[operation.credentials],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(body, operation),
    responses: { ...answerOf(operation, isHead), ...ERRORS },
  }
}

const WITH_TOKEN = [{ bearer: [] }, { authorization: [] }]

const SECURITY: Readonly<Record<Operation['credentials'], readonly JsonSchema[]>> = {
  token: WITH_TOKEN,
  'optional token': [...WITH_TOKEN, {}],
  none: [],
  'signed address': [],
}

function queryParameters(query: JsonSchema | null): readonly Part[] {
  if (!query) return []
  const required = (query.required ?? []) as readonly string[]
  return Object.entries(query.properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: toDialect(schema),
  }))
}

function requestBody(body: JsonSchema | null, { takesFile }: Operation): Part {
  if (takesFile) return { requestBody: { required: true, content: FILE } }
  if (!body) return {}
  return { requestBody: { required: true, content: { 'application/json': { schema: toDialect(body) } } } }
}

const FILE = {
  '*/*': { schema: {} },
  'multipart/form-data': {
    schema: {
      type: 'object',
      description: 'The first file counts, whatever its field is called.',
      properties: {
        cacheControl: { type: 'string', description: 'Seconds.' },
        contentType: { type: 'string', description: 'Instead of the type of the part.' },
        metadata: { type: 'string', description: 'User metadata: a JSON object.' },
        file: { type: 'string', format: 'binary' },
      },
    },
  },
}

const ERRORS = {
  '4XX': { description: 'The request was refused.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
  '5XX': { description: 'The service could not.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
}

function answerOf({ answer, credentials }: Operation, isHead: boolean): Readonly<Record<string, Part>> {
  const answers = answer === 'bytes' ? bytesOf(credentials === 'signed address') : { '200': { description: 'Done.', ...contentOf(answer) } }
  return isHead ? withoutContent(answers) : answers
}

function contentOf(shape: Exclude<AnswerShape, 'bytes'>): Part {
  if (shape === 'nothing') return {}
  if (shape === 'text') return { content: { 'text/plain': { schema: { type: 'string' } } } }
  if (shape === 'OpenAPI') return { content: { 'application/json': { schema: { type: 'object' } } } }
  const schema = typeof shape === 'string' ? refTo(shape) : { type: 'array', items: refTo(shape[0]) }
  return { content: { 'application/json': { schema } } }
}

const refTo = (name: string): Part => ({ $ref: `#/components/schemas/${name}` })

const header = (description: string): Part => ({ description, schema: { type: 'string' } })

const VALIDATORS = {
  ETag: header('Strong; other bytes have another one.'),
  'Last-Modified': header('When it was written.'),
}

const bytesOf = (signed: boolean): Readonly<Record<string, Part>> => ({
  '200': {
    description: 'The object.',
    headers: {
      ...VALIDATORS,
      'Accept-Ranges': header('bytes'),
      ...(signed ? { Expires: header('When the address ends.') } : { 'Cache-Control': header('As it was given with the upload.') }),
      'Content-Disposition': header('An attachment, where `download` was asked for.'),
    },
    content: { '*/*': { schema: {} } },
  },
  '206': {
    description: 'The part that was asked for.',
    headers: { ...VALIDATORS, 'Content-Range': header('Which part of how many bytes.') },
    content: { '*/*': { schema: {} } },
  },
  '304': { description: 'What the client has is still good.', headers: VALIDATORS },
})

/** HEAD knows no ranges. */
function withoutContent(answers: Readonly<Record<string, Part>>): Readonly<Record<string, Part>> {
  return Object.fromEntries(
    Object.entries(answers)
      .filter(([status]) => status !== '206')
      .map(([status, { content: _, ...rest }]) => [status, rest]),
  )
}

/** From the keywords that requests are checked with to those of JSON Schema 2020-12. */
function toDialect(schema: JsonSchema): JsonSchema {
  const { nullable, finite: _, ...rest } = schema
  const converted = Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, convert(keyword, value)]))
  return nullable === true ? { ...converted, type: [converted.type, 'null'] } : converted
}

function convert(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(Object.entries(value as Record<string, JsonSchema>).map(([name, schema]) => [name, toDialect(schema)]))
    case 'anyOf':
      return (value as readonly JsonSchema[]).map(toDialect)
    case 'items':
    case 'if':
    case 'then':
      return toDialect(value as JsonSchema)
    default:
      return value
  }
}
