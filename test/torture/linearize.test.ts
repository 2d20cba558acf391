import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearize } from '../../torture/linearize.js'
import { bucketCell, cellOf, keyOfState, stateOf, stepsOf } from '../../torture/object-model.js'
import type { Done, Operation } from '../../torture/operation.js'

const CELLS = ['b/x', 'b/y', 'c/x']
let id = 0

/** One line a happening: when it was called, when it returned, what was asked, what came of it. */
function done(call: number, end: number, what: Partial<Operation> & Pick<Operation, 'kind'>, came: Partial<Done> = {}): Done {
  const operation: Operation = { id: String(++id), group: 'g', as: 'service', bucket: 'b', key: 'x', ...what }
  return { operation, call, end, outcome: 'ok', ...came }
}
const create = (call: number, end: number, value: string, came?: Partial<Done>) =>
  done(call, end, { kind: 'put', upsert: false, value }, came)
const upsert = (call: number, end: number, value: string, came?: Partial<Done>) =>
  done(call, end, { kind: 'put', upsert: true, value }, came)
const read = (call: number, end: number, value: string, key = 'x') => done(call, end, { kind: 'get', key }, { value })
const missing = (call: number, end: number, key = 'x') => done(call, end, { kind: 'get', key }, { outcome: 'fail', code: 'NoSuchKey' })
const remove = (call: number, end: number, came?: Partial<Done>) => done(call, end, { kind: 'delete' }, came)
const move = (call: number, end: number, came?: Partial<Done>) => done(call, end, { kind: 'move', toBucket: 'b', toKey: 'y' }, came)
const copy = (call: number, end: number, value: string, came?: Partial<Done>) =>
  done(call, end, { kind: 'copy', toBucket: 'b', toKey: 'y', upsert: false }, { value, ...came })
const list = (call: number, end: number, values: Record<string, string>) => done(call, end, { kind: 'list', key: '' }, { values })
const empty = (call: number, end: number, came?: Partial<Done>) => done(call, end, { kind: 'empty' }, came)
const UNKNOWN = { outcome: 'info' } as const

const judge = (history: readonly Done[], there: Record<string, string> = {}, bucketsMove = false) =>
  linearize(stateOf(there), stepsOf(history, { bucketsMove, cells: CELLS }), keyOfState).verdict

describe('histories that storage may have', () => {
  test.each<[string, Done[], Record<string, string>?]>([
    ['what was written is read', [create(0, 1, 'v'), read(2, 3, 'v')]],
    ['a read during a write may see either', [upsert(0, 9, 'w'), read(1, 2, 'w'), read(3, 4, 'w')], { 'b/x': 'v' }],
    ['a read during a write may see the old', [upsert(0, 9, 'w'), read(1, 2, 'v'), read(3, 4, 'w')], { 'b/x': 'v' }],
    ['two writes at once in either order', [upsert(0, 9, 'v'), upsert(0, 9, 'w'), read(10, 11, 'v')]],
    [
      'one of two creations is refused',
      [create(0, 9, 'v'), create(1, 8, 'w', { outcome: 'fail', code: 'KeyAlreadyExists' }), read(10, 11, 'v')],
    ],
    ['an unknown write happened', [upsert(0, 1, 'v', UNKNOWN), read(5, 6, 'v')]],
    ['an unknown write did not happen', [upsert(0, 1, 'v', UNKNOWN), missing(5, 6)]],
    ['an unknown write happens late', [upsert(0, 1, 'w', UNKNOWN), read(2, 3, 'v'), read(5, 6, 'w')], { 'b/x': 'v' }],
    ['a move takes the value along', [move(0, 1), missing(2, 3), read(4, 5, 'v', 'y')], { 'b/x': 'v' }],
    ['an unknown move leaves all as it was', [move(0, 1, UNKNOWN), read(2, 3, 'v'), missing(4, 5, 'y')], { 'b/x': 'v' }],
    [
      'a copy reads early and writes late',
      [copy(0, 9, 'v'), upsert(1, 2, 'w'), missing(3, 4, 'y'), read(10, 11, 'v', 'y')],
      { 'b/x': 'v' },
    ],
    ['an unknown copy brings what was there', [copy(0, 1, '', UNKNOWN), upsert(2, 3, 'w'), read(4, 5, 'v', 'y')], { 'b/x': 'v' }],
    [
      'a list is one moment',
      [upsert(0, 9, 'w'), list(1, 2, { x: 'v', y: 'u' }), list(3, 4, { x: 'w', y: 'u' })],
      { 'b/x': 'v', 'b/y': 'u' },
    ],
    ['emptying leaves what comes later', [empty(0, 9), upsert(1, 2, 'w'), read(10, 11, 'w')], { 'b/x': 'v' }],
    ['emptying takes what comes before', [upsert(0, 1, 'v'), empty(2, 9), missing(10, 11)]],
    ['emptying takes one after the other', [empty(0, 9), list(1, 2, { y: 'u' }), list(3, 4, {})], { 'b/x': 'v', 'b/y': 'u' }],
  ])('%s', (_, history, there) => expect(judge(history, there)).toBe('linearizable'))
})

describe('histories that no storage may have', () => {
  test.each<[string, Done[], Record<string, string>?]>([
    ['a stale read', [upsert(0, 1, 'w'), read(2, 3, 'v')], { 'b/x': 'v' }],
    ['a read that goes back', [upsert(0, 9, 'w'), read(1, 2, 'w'), read(3, 4, 'v')], { 'b/x': 'v' }],
    ['a lost write', [create(0, 1, 'v'), missing(2, 3)]],
    ['a lost update', [upsert(0, 1, 'v'), upsert(2, 3, 'w'), read(4, 5, 'v')]],
    ['a resurrected object', [remove(0, 1), read(2, 3, 'v')], { 'b/x': 'v' }],
    ['two creations of one key', [create(0, 9, 'v'), create(0, 9, 'w')]],
    ['a creation over an object', [create(0, 1, 'w')], { 'b/x': 'v' }],
    ['a refused creation where nothing was', [create(0, 1, 'v', { outcome: 'fail', code: 'KeyAlreadyExists' })]],
    ['a read from the future', [read(0, 1, 'v'), create(2, 3, 'v')]],
    ['two deletions of one object', [remove(0, 9), remove(0, 9)], { 'b/x': 'v' }],
    ['an unknown write that comes and goes', [upsert(0, 1, 'w', UNKNOWN), read(2, 3, 'w'), read(4, 5, 'v')], { 'b/x': 'v' }],
    ['a moved object in both places', [move(0, 1), read(2, 3, 'v'), read(4, 5, 'v', 'y')], { 'b/x': 'v' }],
    ['a moved object in neither place', [move(0, 1), missing(2, 3, 'y')], { 'b/x': 'v' }],
    ['a move over an object', [move(0, 1)], { 'b/x': 'v', 'b/y': 'u' }],
    ['a move that loses an overwrite', [move(0, 9), upsert(1, 2, 'w'), missing(10, 11), read(12, 13, 'v', 'y')], { 'b/x': 'v' }],
    ['a copy of what was replaced before', [upsert(0, 1, 'w'), copy(2, 3, 'v')], { 'b/x': 'v' }],
    ['a copy that is not there', [copy(0, 1, 'v'), missing(2, 3, 'y')], { 'b/x': 'v' }],
    ['a list that forgets', [list(0, 1, { y: 'u' })], { 'b/x': 'v', 'b/y': 'u' }],
    [
      'a list of two moments',
      [upsert(0, 1, 'w'), done(2, 3, { kind: 'delete', key: 'y' }), list(0, 3, { x: 'v' })],
      { 'b/x': 'v', 'b/y': 'u' },
    ],
    ['emptying that takes what came later', [empty(0, 9), create(10, 11, 'w'), missing(12, 13)]],
    ['emptying that forgets', [empty(0, 1), read(2, 3, 'v')], { 'b/x': 'v' }],
    ['a bulk deletion that keeps silent', [done(0, 1, { kind: 'bulk delete', keys: ['x'] }, { values: {} })], { 'b/x': 'v' }],
  ])('%s', (_, history, there) => expect(judge(history, there)).toBe('violated'))
})

describe('buckets that come and go', () => {
  const bucket = (kind: Operation['kind'], call: number, end: number, came?: Partial<Done>) => done(call, end, { kind, value: '1' }, came)
  const there = { [bucketCell('b')]: '1' }

  test('an upload and a deletion at once: one of them wins', () => {
    expect(
      judge([bucket('delete bucket', 0, 9), create(0, 9, 'v', { outcome: 'fail', code: 'RelatedResourceMissing' })], there, true),
    ).toBe('linearizable')
    const kept = bucket('delete bucket', 0, 9, { outcome: 'fail', code: 'ResourceNotEmpty' })
    expect(judge([kept, create(0, 9, 'v')], there, true)).toBe('linearizable')
    expect(judge([bucket('delete bucket', 0, 9), create(0, 9, 'v')], there, true)).toBe('violated')
  })

  test('a bucket is made once, and changed where there is one', () => {
    expect(judge([bucket('create bucket', 0, 9), bucket('create bucket', 0, 9)], {}, true)).toBe('violated')
    expect(judge([bucket('update bucket', 0, 1)], {}, true)).toBe('violated')
    expect(judge([bucket('update bucket', 0, 1), bucket('get bucket', 2, 3, { value: '1' })], there, true)).toBe('linearizable')
  })
})

describe('a register', () => {
  /** What a register that does each thing at one moment may answer: calls and returns spread around those moments. */
  const histories = fc.array(
    fc.record({
      kind: fc.constantFrom('put', 'get', 'delete'),
      before: fc.integer({ min: 0, max: 30 }),
      after: fc.integer({ min: 0, max: 30 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  const play = (moves: readonly { kind: string; before: number; after: number }[]): Done[] => {
    let value: string | null = null
    return moves.map(({ kind, before, after }, n) => {
      const [call, end] = [n * 10 - before, n * 10 + after + 1]
      if (kind === 'put') {
        value = `v${n}`
        return upsert(call, end, value)
      }
      if (value === null) return kind === 'get' ? missing(call, end) : remove(call, end, { outcome: 'fail', code: 'NoSuchKey' })
      if (kind === 'get') return read(call, end, value)
      value = null
      return remove(call, end)
    })
  }

  test('is linearizable, however its operations overlap', () =>
    fc.assert(fc.property(histories, (moves) => judge(play(moves)) === 'linearizable')))

  test('that answers with a value that was never there is not', () =>
    fc.assert(
      fc.property(histories, fc.nat(), (moves, at) => {
        const history = play(moves)
        const spoiled = history[at % history.length] as Done
        history[at % history.length] = { ...spoiled, operation: { ...spoiled.operation, kind: 'get' }, outcome: 'ok', value: 'never' }
        return judge(history) === 'violated'
      }),
    ))

  test('is judged fast enough for a long race', () => {
    const moves = Array.from({ length: 20_000 }, (_, n) => ({
      kind: ['put', 'get', 'get', 'delete'][n % 4] ?? 'get',
      before: 25,
      after: 25,
    }))
    const began = performance.now()
    expect(judge(play(moves))).toBe('linearizable')
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

test('a cell is named by bucket and key', () => expect(cellOf('b', 'x')).toBe('b/x'))
