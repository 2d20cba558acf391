import { describe, expect, it } from 'vitest'
import { dressError } from '../../../src/http/wire/storage-error.ts'
import { ServiceError } from '../../../src/std/service-error.ts'
import { fromDatabase } from '../../../src/storage/database-error.ts'
import * as errors from '../../../src/storage/errors.ts'

describe('the dress of an error', () => {
  it.each<[ServiceError, number, number, string, string, string]>([
    [errors.noSuchBucket(), 400, 404, '404', 'Bucket not found', 'NoSuchBucket'],
    [errors.noSuchKey(), 400, 404, '404', 'not_found', 'NoSuchKey'],
    [errors.bytesMissing(), 400, 404, '404', 'Not found', 'NoSuchKey'],
    [errors.accessDenied(), 400, 403, '403', 'Unauthorized', 'AccessDenied'],
    [errors.invalidRole(), 403, 403, '403', 'Unauthorized', 'AccessDenied'],
    [errors.keyAlreadyExists(), 400, 409, '409', 'Duplicate', 'KeyAlreadyExists'],
    [errors.bucketNotEmpty(), 400, 409, '409', 'ResourceNotEmpty', 'ResourceNotEmpty'],
    [errors.invalidKey('a#'), 400, 400, '400', 'InvalidKey', 'InvalidKey'],
    [errors.entityTooLarge(), 400, 413, '413', 'Payload too large', 'EntityTooLarge'],
    [errors.mediaTypeNotAllowed('a/b'), 400, 415, '415', 'invalid_mime_type', 'InvalidMimeType'],
    [new errors.RangeNotSatisfiable(1), 416, 416, '416', 'invalid_range', 'InvalidRange'],
    [errors.preconditionFailed(), 412, 412, '412', 'PreconditionFailed', 'PreconditionFailed'],
    [errors.databaseTimeout(), 544, 544, '544', 'DatabaseTimeout', 'DatabaseTimeout'],
    [errors.databaseUnavailable(), 503, 503, '503', 'DatabaseUnavailable', 'DatabaseUnavailable'],
  ])('%o', (error, legacy, real, statusCode, tag, code) => {
    expect(dressError(error, 'legacy')).toEqual({ status: legacy, body: { statusCode, error: tag, message: error.message, code } })
    expect(dressError(error, 'real').status).toBe(real)
  })
  it('calls a token that is not accepted forbidden, as the peer does, or by its true status', () => {
    const error = new ServiceError('InvalidToken', 401, 'Invalid Compact JWS')
    expect(dressError(error, 'legacy')).toMatchObject({
      status: 400,
      body: { statusCode: '403', error: 'Unauthorized', code: 'AccessDenied' },
    })
    expect(dressError(error, 'real')).toMatchObject({ status: 401, body: { statusCode: '401' } })
  })
})

describe('what PostgreSQL says', () => {
  const refusal = (sqlstate: string, message = 'words', statement = 0) =>
    Object.assign(new Error(message), { name: 'PgError', sqlstate, statement, schema: null })

  it.each<[string, string, string, string]>([
    [
      '42501',
      'new row violates row-level security policy for table "objects"',
      'AccessDenied',
      'new row violates row-level security policy',
    ],
    ['42501', 'permission denied for table x', 'AccessDenied', 'permission denied for table x'],
    ['23505', 'words', 'ResourceAlreadyExists', 'The resource already exists'],
    ['23503', 'words', 'RelatedResourceMissing', 'The related resource does not exist'],
    ['23514', 'violates a check of yours', 'InvalidRequest', 'violates a check of yours'],
    ['22P02', 'invalid input syntax for type uuid: "x"', 'InvalidParameter', 'invalid input syntax for type uuid: "x"'],
    ['55P03', 'words', 'ResourceLocked', 'The resource is locked'],
    ['40P01', 'deadlock', 'ResourceLocked', 'The resource is locked'],
    ['57014', 'words', 'DatabaseTimeout', 'The connection to the database timed out'],
    ['25006', 'words', 'DatabaseReadOnly', 'The database is read-only'],
    ['53100', 'disk full', 'DatabaseUnavailable', 'The database is not available, try again later'],
    ['42P01', 'relation "x" does not exist', 'DatabaseSchemaMismatch', 'relation "x" does not exist'],
    ['P0001', 'your trigger says no', 'InvalidRequest', 'your trigger says no'],
    ['P0002', 'query returned no rows', 'InvalidRequest', 'query returned no rows'],
    ['21000', 'more than one row', 'InvalidRequest', 'more than one row'],
    ['PT403', 'your policy says no', 'InvalidRequest', 'your policy says no'],
    ['42883', 'function f() does not exist', 'DatabaseSchemaMismatch', 'function f() does not exist'],
    ['55000', 'a detail of the server', 'DatabaseError', 'database error, code: 55000'],
    ['XX000', 'a detail of the server', 'DatabaseError', 'database error, code: XX000'],
  ])('%s %s: %s', (sqlstate, words, code, message) => {
    expect(fromDatabase(refusal(sqlstate, words))).toMatchObject({ code, message })
  })
  it('about the role, before anything ran, is a denial', () => {
    expect(fromDatabase(refusal('22023', 'role "ghost" does not exist', -1))).toMatchObject({
      code: 'AccessDenied',
      message: 'Access denied: Invalid role',
    })
  })
  it('nothing, because it is away or the caller is', () => {
    expect(fromDatabase(Object.assign(new Error(), { name: 'PgUnavailable' }))).toMatchObject({ code: 'DatabaseUnavailable' })
    expect(fromDatabase(Object.assign(new Error(), { name: 'PgCancelled' }))).toMatchObject({ code: 'Aborted' })
    const bug = new TypeError('ours')
    expect(fromDatabase(bug)).toBe(bug)
  })
})
