import { describe, expect, test } from 'vitest'
import { AS_SERVICE } from '../../src/auth/authenticate.ts'
import type { StorageDeps } from '../../src/storage/deps.ts'
import { askedBucketId, newObjectKey } from '../../src/storage/key.ts'
import { deleteObject } from '../../src/storage/object/delete-object.ts'

const KEY = newObjectKey('a')
const SOMEBODY = { ...AS_SERVICE, role: 'authenticated' as typeof AS_SERVICE.role }

/** `deleted`: whether each try found a row; `there`: whether the service sees one. */
function remove(as: typeof AS_SERVICE, deleted: readonly boolean[], there: boolean): Promise<void> {
  const tries = deleted.values()
  const deps = {
    asCaller: async () => [tries.next().value ? [['row']] : []],
    asService: async () => [there ? [['1']] : []],
  } as unknown as StorageDeps
  return deleteObject(deps, { as, settings: [] }, askedBucketId('b'), KEY, new AbortController().signal)
}

describe('deleting what comes at that moment', () => {
  test('removes an object that was written between the two questions', () =>
    expect(remove(SOMEBODY, [false, true], true)).resolves.toBe(undefined))

  test('denies one that stays out of reach', () =>
    expect(remove(SOMEBODY, [false, false], true)).rejects.toMatchObject({ code: 'AccessDenied' }))

  test('finds nothing where nothing is', () => expect(remove(SOMEBODY, [false], false)).rejects.toMatchObject({ code: 'NoSuchKey' }))

  test('never denies the service anything', () => expect(remove(AS_SERVICE, [false], true)).rejects.toMatchObject({ code: 'NoSuchKey' }))
})
