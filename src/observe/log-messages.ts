/** Every line that we write to the log, by its words: what it says to an operator. The operators' page is made of this table. */
export const LOG_MESSAGES = {
  request: {
    level: 'info',
    meaning: 'A request was answered, or its client left: `aborted`. Route template, status, role, milliseconds, bytes.',
  },
  'a request failed': { level: 'error', meaning: 'A fault of ours, outside the two APIs; the answer named the same `requestId`.' },
  'a storage request failed': { level: 'error', meaning: 'A fault of ours in the storage API, answered with 500. Please report it.' },
  'graphql request failed': {
    level: 'error',
    meaning: 'The database gave no answer to a GraphQL request (503), or a fault of ours (500).',
  },
  'a fault that nobody caught': { level: 'error', meaning: 'The process ends, since nobody knows what state it is in. Please report it.' },
  'the service cannot go on': { level: 'error', meaning: 'What it stands on is lost for good, as the line says; the process ends.' },
  'a database connection was lost': {
    level: 'warn',
    meaning: 'An idle connection ended: the server restarted, or something between cut it. It is replaced.',
  },
  'the built-in PostgreSQL ended by itself and is started again': {
    level: 'error',
    meaning: 'Killed, out of memory or out of disk: the lines `postgresql` before it say which.',
  },
  'the built-in PostgreSQL does not start, and is tried again': {
    level: 'error',
    meaning: 'Mostly for want of disk space: the lines `postgresql` before it say why.',
  },
  postgresql: { level: 'info', meaning: 'A line of the built-in PostgreSQL; FATAL, PANIC and WARNING come as warnings, routine at debug.' },
  'a worker ended and is started again': {
    level: 'error',
    meaning: 'One of `STOWAGE_WORKERS` ended by itself: `how`. Its requests are lost, those of the others are not. Why stands before it.',
  },
  'a worker did not leave and is killed': {
    level: 'error',
    meaning: 'It was told to stop and had requests for longer than `STOWAGE_DRAIN_LIMIT` and half a minute.',
  },
  'a new worker cannot serve, so the old ones stay': {
    level: 'error',
    meaning: 'Replacing the workers in turn was given up: what was installed or set meanwhile does not start.',
  },
  'a worker was replaced': { level: 'info', meaning: 'A step of replacing the workers in turn, after SIGUSR2.' },
  'the key set was read again': {
    level: 'info',
    meaning: 'The file of `STOWAGE_JWKS` had changed. Tokens whose key is no longer in it are refused from now on.',
  },
  'the key set cannot be read again, and the old one stays': {
    level: 'warn',
    meaning: 'The file of `STOWAGE_JWKS` changed into what is no key set, or is gone: `reason`. It is looked at every two seconds.',
  },
  'the standby is read from': { level: 'info', meaning: 'The server of `DATABASE_REPLICA_URL` is there and keeps up; reads go there.' },
  'the standby is not read from': {
    level: 'warn',
    meaning: 'It is away, no standby, or too far behind: `why`. All reads go to the primary meanwhile.',
  },
  'schema reflected': { level: 'debug', meaning: 'The schema of the database was read anew, at start or after a change of it.' },
  'an object has no bytes in the store': {
    level: 'error',
    meaning:
      '**Alarm.** A row names bytes that are not there: somebody removed them behind our back, or the store is an older copy. Restore them from the backup.',
  },
  'the stored bytes of an object are damaged': {
    level: 'error',
    meaning:
      '**Alarm.** What lies in the store is not what was uploaded; nobody gets it as if it were. `stowage scrub` looks at all the others; restore it from the backup.',
  },
  'the store of bytes failed': {
    level: 'error',
    meaning: 'The disk, or the S3 store, could not do what was asked: the error says what. As a warning: it was away or too slow.',
  },
  'bytes were stored and could not be published': {
    level: 'error',
    meaning: 'An upload failed in its last step; it was answered as failed, and its bytes are swept.',
  },
  'a bucket was emptied': { level: 'info', meaning: 'What was promised by an empty request is done.' },
  'a bucket is being emptied': { level: 'info', meaning: 'How far it has come.' },
  'a bucket could not be emptied on': { level: 'error', meaning: 'It is tried again later, at growing intervals.' },
  'a bucket is not emptied on, since that was asked for on another cluster': {
    level: 'error',
    meaning: 'The promise came with a dump from another server; what lies in the bucket now stays. Empty it again if that is wanted.',
  },
  'objects are being deleted': { level: 'info', meaning: 'A deletion of many keys goes on in several transactions; how far it has come.' },
  'an object is being copied': { level: 'info', meaning: 'A copy that takes a while has begun.' },
  swept: {
    level: 'info',
    meaning:
      'The sweeper did something. As a warning: versions that could not be removed (`postponed`), a listing that was not believed (`orphansRefused`), or why nothing is removed at all (`idle`).',
  },
  'the sweeper could not do its work': {
    level: 'error',
    meaning: 'It is tried again at the next interval; while that lasts, disk space is not given back.',
  },
  'background work failed': { level: 'error', meaning: 'What went on behind an answer failed: `what`.' },
  'traces could not be sent': {
    level: 'warn',
    meaning: 'The collector of `OTEL_EXPORTER_OTLP_ENDPOINT` did not take them; these spans are lost, requests are not.',
  },
  'a step of the start': { level: 'debug', meaning: 'What is being done while a service inside another program starts: `step`.' },
} as const satisfies Readonly<Record<string, { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly meaning: string }>>

export type LogMessage = keyof typeof LOG_MESSAGES | `${keyof typeof LOG_MESSAGES}${typeof TRIED_AGAIN}`

/** Behind a message: it was the database that was away, and no alarm is due. Then the line is a warning. */
export const TRIED_AGAIN = ', and is tried again'
