/**
 * What storage promises, as steps on a handful of cells. A cell is a key (or a bucket, whose value is its size limit); it holds nothing or
 * a value, which is the ETag of the bytes, and remembers which step put it there.
 *
 * @typedef {{ readonly value: string, readonly by: number }} Held
 * @typedef {object} State
 * @property {Readonly<Record<string, Held>>} cells
 * @property {Readonly<Record<number, Readonly<Record<string, number | string>>>>} moments what a step noted for later ones of its operation
 *
 * @typedef {import('./linearize.js').Step<State>} Step
 * @typedef {import('./operation.js').Operation} Operation
 * @typedef {import('./operation.js').Done} Done
 */

/** @param {string} bucket @param {string} key */
export const cellOf = (bucket, key) => `${bucket}/${key}`
/** @param {string} bucket */
export const bucketCell = (bucket) => `bucket:${bucket}`

/** @param {Readonly<Record<string, string>>} values by cell @returns {State} */
export const stateOf = (values) => ({
  cells: Object.fromEntries(Object.entries(values).map(([cell, value]) => [cell, { value, by: 0 }])),
  moments: {},
})

/** @type {WeakMap<State, string>} */
const keys = new WeakMap()

/** @param {State} state */
export function keyOfState(state) {
  const known = keys.get(state)
  if (known !== undefined) return known
  const { cells, moments } = state
  const held = Object.keys(cells)
    .sort()
    .map((cell) => `${cell}=${cells[cell]?.value}@${cells[cell]?.by}`)
  const key = `${held.join(' ')} ${JSON.stringify(moments)}`
  keys.set(state, key)
  return key
}

/**
 * The steps of operations on one set of cells.
 * @param {readonly Done[]} history
 * @param {{ readonly bucketsMove: boolean, readonly cells: readonly string[] }} scope whether buckets come and go, and the cells of keys
 * @returns {Step[]}
 */
export function stepsOf(history, { bucketsMove, cells }) {
  /** @type {Step[]} */
  const steps = []
  let made = 0

  /** @param {Done} done @param {string} what @param {(state: State) => boolean} holds @param {Step} [after] */
  const look = (done, what, holds, after) => {
    if (done.outcome === 'info') return null
    return push(done, what, true, (state) => (holds(state) ? state : null), after)
  }
  /** @param {Done} done @param {string} what @param {boolean} isPure @param {(state: State, by: number) => State | null} apply @param {Step} [after] */
  const push = (done, what, isPure, apply, after) => {
    const by = ++made
    const end = done.outcome === 'info' ? Number.POSITIVE_INFINITY : done.end
    const name = `#${done.operation.id} ${what}`
    /** @type {Step} */
    const step = { name, call: done.call, end, isPure, apply: (state) => apply(state, by), ...(after ? { after } : {}) }
    steps.push(step)
    return step
  }
  const bucketThere = (/** @type {State} */ state, /** @type {string} */ bucket) =>
    !bucketsMove || state.cells[bucketCell(bucket)] !== undefined

  for (const done of history) {
    const { operation, outcome, code } = done
    const { kind, bucket, key = '', toBucket = bucket, toKey = '' } = operation
    const cell = cellOf(bucket, key)
    const to = cellOf(toBucket, toKey)
    const absent = (/** @type {string} */ where) => look(done, `${where} is not there`, (state) => state.cells[where] === undefined)
    const present = (/** @type {string} */ where) => look(done, `${where} is there`, (state) => state.cells[where] !== undefined)
    const noBucket = (/** @type {string} */ name) => look(done, `no bucket ${name}`, (state) => !bucketThere(state, name))
    /** @param {string} where @param {string} value @param {Step} [after] */
    const write = (where, value, exclusive = false, after) =>
      push(
        done,
        `${exclusive ? 'creates' : 'writes'} ${where} = ${value.slice(0, 8)}`,
        false,
        (state, by) =>
          (exclusive && state.cells[where]) || !bucketThere(state, where.slice(0, where.indexOf('/')))
            ? null
            : { ...state, cells: { ...state.cells, [where]: { value, by } } },
        after,
      )

    if (outcome === 'fail') {
      if (code === 'NoSuchBucket') noBucket(bucket)
      else if (code === 'RelatedResourceMissing') noBucket(toBucket)
      else if (code === 'NoSuchKey') absent(cell)
      else if (code === 'BucketAlreadyExists') present(bucketCell(bucket))
      else if (code === 'KeyAlreadyExists' || code === 'ResourceAlreadyExists') present(kind === 'put' ? cell : to)
      else if (code === 'ResourceNotEmpty')
        look(done, `something lies in ${bucket}`, ({ cells: now }) => Object.keys(now).some((name) => name.startsWith(`${bucket}/`)))
      continue
    }
    switch (kind) {
      case 'put':
        write(cell, operation.value ?? '', !operation.upsert)
        break
      case 'get':
        look(done, `reads ${cell} = ${done.value?.slice(0, 8)}`, (state) => state.cells[cell]?.value === done.value)
        break
      case 'delete':
        push(done, `deletes ${cell}`, false, (state) => (state.cells[cell] ? without(state, cell) : null))
        break
      case 'bulk delete':
        for (const named of operation.keys ?? []) {
          const where = cellOf(bucket, named)
          const value = done.values?.[named]
          if (outcome === 'ok' && value === undefined) absent(where)
          else
            push(done, `deletes ${where} = ${value?.slice(0, 8)}`, false, (state) =>
              state.cells[where] && (outcome === 'info' || state.cells[where].value === value) ? without(state, where) : null,
            )
        }
        break
      case 'list':
        look(done, `lists ${bucket}: ${Object.keys(done.values ?? {}).join(' ') || 'nothing'}`, ({ cells: now }) =>
          cells
            .filter((name) => name.startsWith(`${bucket}/${key}`))
            .every((name) => now[name]?.value === done.values?.[name.slice(bucket.length + 1)]),
        )
        break
      case 'move':
        push(done, `moves ${cell} to ${to}`, false, (state, by) => {
          const held = state.cells[cell]
          if (!held || state.cells[to] || !bucketThere(state, toBucket)) return null
          const left = without(state, cell)
          return { ...left, cells: { ...left.cells, [to]: { value: held.value, by } } }
        })
        break
      case 'copy':
        // reading and writing are two moments; what was read is known by the ETag of the answer
        if (outcome === 'ok') {
          const value = done.value ?? ''
          const read = look(done, `reads ${cell} = ${value.slice(0, 8)}`, (state) => state.cells[cell]?.value === value)
          write(to, value, !operation.upsert, read ?? undefined)
        } else {
          unknownCopy(done, cell, to)
        }
        break
      case 'create bucket':
        setBucket(done, bucketCell(bucket), operation.value ?? '', true)
        break
      case 'update bucket':
        setBucket(done, bucketCell(bucket), operation.value ?? '', false)
        break
      case 'get bucket':
        look(done, `bucket ${bucket} = ${done.value}`, (state) => state.cells[bucketCell(bucket)]?.value === done.value)
        break
      case 'delete bucket':
        push(done, `deletes bucket ${bucket}`, false, (state) =>
          state.cells[bucketCell(bucket)] && !Object.keys(state.cells).some((name) => name.startsWith(`${bucket}/`))
            ? without(state, bucketCell(bucket))
            : null,
        )
        break
      case 'empty':
        empty(done, bucket)
        break
      default:
    }
  }
  return steps

  /** A bucket is made where there is none, and changed where there is one. @param {Done} done @param {string} where @param {string} value @param {boolean} isNew */
  function setBucket(done, where, value, isNew) {
    push(done, `${isNew ? 'makes' : 'changes'} ${where} = ${value}`, false, (state, by) =>
      (state.cells[where] !== undefined) === isNew ? null : { ...state, cells: { ...state.cells, [where]: { value, by } } },
    )
  }

  /** Whatever the source held at some moment may have arrived. @param {Done} done @param {string} from @param {string} to */
  function unknownCopy(done, from, to) {
    const { upsert, id } = done.operation
    const read = push(done, `copy notes ${from}`, false, (state, by) => {
      const held = state.cells[from]
      return held ? { ...state, moments: { ...state.moments, [-by]: { [held.value]: id } } } : null
    })
    const noted = -made
    push(
      done,
      `copy writes ${to}`,
      false,
      (state, by) => {
        const { [noted]: note, ...moments } = state.moments
        const [value] = Object.keys(note ?? {})
        if (value === undefined || (!upsert && state.cells[to])) return null
        return { moments, cells: { ...state.cells, [to]: { value, by } } }
      },
      read,
    )
  }

  /** One moment decides what goes; each of it goes at a moment of its own, unless it was written or moved in meanwhile. @param {Done} done @param {string} bucket */
  function empty(done, bucket) {
    const inside = cells.filter((name) => name.startsWith(`${bucket}/`))
    const moment = push(done, `notes what lies in ${bucket}`, false, (state, by) => {
      if (!bucketThere(state, bucket)) return null
      const there = inside.flatMap((name) => (state.cells[name] ? [[name, state.cells[name].by]] : []))
      return there.length === 0 ? { ...state } : { ...state, moments: { ...state.moments, [by]: Object.fromEntries(there) } }
    })
    const noted = made
    for (const name of inside) {
      push(
        done,
        `empties ${name}`,
        true,
        (state) => {
          const { [name]: by, ...others } = state.moments[noted] ?? {}
          if (by === undefined) return state
          const { [noted]: _, ...moments } = state.moments
          const left = { ...state, moments: Object.keys(others).length > 0 ? { ...moments, [noted]: others } : moments }
          return state.cells[name]?.by === by ? without(left, name) : left
        },
        moment,
      )
    }
  }
}

/** @param {State} state @param {string} cell @returns {State} */
function without(state, cell) {
  const { [cell]: _, ...cells } = state.cells
  return { ...state, cells }
}
