import type { JsonSchema } from './json-schema.ts'

/**
 * What endpoints answer with: the name of a shape below, a list of such, the bytes of an object, plain text, or nothing. Answers are not made
 * from these, since most of their text is PostgreSQL's; a test holds the two together.
 */
export type AnswerShape = ShapeName | readonly [ShapeName] | 'bytes' | 'text' | 'nothing' | 'OpenAPI'

export type ShapeName = keyof typeof ANSWER_SHAPES

const TEXT = { type: 'string' } as const
const TEXT_OR_NULL = { type: ['string', 'null'] } as const
/** ISO 8601, UTC, milliseconds */
const TIME = { type: ['string', 'null'], pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' } as const
const UUID = { type: 'string', format: 'uuid' } as const
const UUID_OR_NULL = { type: ['string', 'null'], format: 'uuid' } as const
const KEY = { type: 'string', description: 'Bucket and key, divided by a slash.' } as const

const METADATA = {
  type: ['object', 'null'],
  description: 'What is known of the bytes; null for a row that was put in by SQL.',
  properties: {
    eTag: { type: 'string', description: 'Strong, with its quotes.' },
    size: { type: 'integer' },
    mimetype: TEXT,
    cacheControl: TEXT,
    lastModified: TEXT,
    contentLength: { type: 'integer' },
    httpStatusCode: { type: 'integer' },
    xRobotsTag: TEXT,
  },
} as const

const USER_METADATA = { type: ['object', 'null'], description: 'What the uploader gave along.' } as const

const RECORD = {
  name: { type: 'string', description: 'The whole key.' },
  bucket_id: TEXT,
  owner: { type: 'string', description: 'The owner if it is a UUID, else empty.' },
  owner_id: { type: 'string', description: 'The `sub` of the token that wrote it, or empty.' },
  version: { type: 'string', description: 'The name that its bytes are stored under.' },
  id: UUID,
  updated_at: TIME,
  created_at: TIME,
  last_accessed_at: TIME,
  metadata: METADATA,
  user_metadata: USER_METADATA,
} as const

const LISTED = { id: UUID_OR_NULL, updated_at: TIME, created_at: TIME, last_accessed_at: TIME, metadata: METADATA } as const

const object = <Properties extends JsonSchema>(properties: Properties, optional: readonly (keyof Properties)[] = []) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

export const ANSWER_SHAPES = {
  Error: {
    ...object({
      statusCode: { type: 'string', description: 'The true status.' },
      error: TEXT,
      message: TEXT,
      code: { type: 'string', description: 'Stable; what programs should look at.' },
    }),
    description: 'What went wrong. The status of the answer itself is 400 for most, unless the deployment asked for true ones.',
  },
  Message: object({ message: TEXT }),
  BucketName: object({ name: TEXT }),
  Bucket: object(
    {
      id: TEXT,
      name: TEXT,
      owner: { type: 'string', description: 'Empty where nobody is known to own it.' },
      public: { type: 'boolean' },
      type: { const: 'STANDARD', description: 'In lists only, and not for clients too old to expect it.' },
      file_size_limit: { type: ['integer', 'null'], description: 'Bytes.' },
      allowed_mime_types: { type: ['array', 'null'], items: TEXT },
      created_at: TIME,
      updated_at: TIME,
    },
    ['type'],
  ),
  Upload: object({ Id: UUID, Key: KEY }),
  UploadToAddress: object({ Key: KEY }),
  ObjectRecord: object(RECORD),
  Copy: object({ Id: UUID, Key: KEY, ...RECORD }),
  ObjectInfo: object({
    id: UUID,
    name: { type: 'string', description: 'The whole key.' },
    version: TEXT_OR_NULL,
    bucket_id: TEXT,
    size: { type: ['integer', 'null'] },
    content_type: TEXT_OR_NULL,
    cache_control: TEXT_OR_NULL,
    etag: TEXT_OR_NULL,
    metadata: USER_METADATA,
    last_modified: TIME,
    created_at: TIME,
  }),
  ListedObject: {
    ...object({ name: { type: 'string', description: 'Behind the prefix.' }, ...LISTED }),
    description: 'An object, or a folder: then all but the name is null.',
  },
  ObjectPage: object(
    {
      hasNext: { type: 'boolean' },
      nextCursor: { type: 'string', description: 'For the next request; there if there is more.' },
      nextCursorKey: { type: 'string', description: 'The last name of this page.' },
      folders: {
        type: 'array',
        items: object({ key: TEXT, name: { type: 'string', description: 'With its slash.' }, ...LISTED }, ['key']),
      },
      objects: { type: 'array', items: object({ key: TEXT, name: TEXT, ...LISTED }, ['key']) },
    },
    ['nextCursor', 'nextCursorKey'],
  ),
  SignedUrl: object({ signedURL: { type: 'string', description: 'A path below the address of the API, with its token.' } }),
  SignedUrlOrError: object({ error: TEXT_OR_NULL, path: TEXT, signedURL: TEXT_OR_NULL }),
  SignedUpload: object({ url: { type: 'string', description: 'A path below the address of the API, with its token.' }, token: TEXT }),
  Health: object({ healthy: { type: 'boolean' } }),
} as const satisfies Readonly<Record<string, JsonSchema>>
