import { cellOf } from './object-model.js'
import { BLOCK, makePayload, md5, SMALLEST } from './payload.js'

/**
 * The keys that are fought over. A group is a handful of cells among which objects are moved and copied, so that its history can be judged
 * by itself.
 * @typedef {object} Group
 * @property {string} name
 * @property {string} as who writes in it
 * @property {readonly { readonly bucket: string, readonly key: string }[]} places
 * @property {Readonly<Record<string, number>>} weights how often which kind of operation
 * @property {string | null} spy somebody else, who must never see what lies there
 *
 * @typedef {import('./operation.js').Operation} Operation
 * @typedef {import('./random.js').Random} Random
 */

export const BUCKETS = ['alpha', 'beta', 'gamma', 'homes']
export const USERS = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002']

const MIX = {
  put: 8,
  'broken put': 2,
  'slow put': 2,
  upsert: 8,
  get: 8,
  list: 4,
  delete: 4,
  'bulk delete': 2,
  move: 6,
  copy: 4,
  'copy over': 2,
  'graphql insert': 2,
}

/** @returns {readonly Group[]} */
export function makeGroups() {
  const shared = Array.from({ length: 6 }, (_, i) => ({
    name: `shared ${i}`,
    as: 'service',
    places: ['alpha', 'beta'].flatMap((bucket) => ['a', 'b'].map((key) => ({ bucket, key: `g${i}/${key}` }))),
    weights: MIX,
    spy: null,
  }))
  const emptied = {
    name: 'emptied',
    as: 'service',
    places: ['a', 'b', 'c'].map((key) => ({ bucket: 'gamma', key: `e/${key}` })),
    weights: { put: 8, 'broken put': 2, upsert: 6, get: 6, list: 4, move: 3, empty: 3 },
    spy: null,
  }
  const homes = USERS.map((user, i) => ({
    name: `home ${i}`,
    as: user,
    places: ['a', 'b'].map((key) => ({ bucket: 'homes', key: `${user}/${key}` })),
    weights: { ...MIX, 'graphql insert': 0, spy: 8 },
    spy: USERS[1 - i] ?? null,
  }))
  return [...shared, emptied, ...homes]
}

/** SQL for the tables and rights that the operations count on. */
export const WORLD_SQL = `
create table if not exists public.torn (id bigint generated always as identity primary key, operation text not null, half int not null);
grant select, insert on public.torn to service_role;
insert into storage.buckets (id, name) select name, name from unnest(array['${BUCKETS.join("','")}']) as name on conflict do nothing;
drop policy if exists "own home" on storage.objects;
create policy "own home" on storage.objects for all to authenticated
  using (bucket_id = 'homes' and (storage.foldername(name))[1] = current_setting('request.jwt.claims', true)::json ->> 'sub')
  with check (bucket_id = 'homes' and (storage.foldername(name))[1] = current_setting('request.jwt.claims', true)::json ->> 'sub');
`

/** @param {Group} group */
export const cellsOf = ({ places }) => places.map(({ bucket, key }) => cellOf(bucket, key))

/**
 * Draws operations; numbers go on from round to round.
 * @param {Random} random
 * @param {{ readonly hasParts: boolean }} store whether larger bodies come to it in parts
 * @returns {(group: Group) => { operation: Operation, payload?: Buffer }}
 */
export function createOperations(random, { hasParts }) {
  let count = 0
  return (group) => {
    const { name, as, places, weights, spy } = group
    const drawn = random.weigh(weights)
    const place = random.pick(places)
    const others = places.filter((other) => other !== place)
    const to = others.length > 0 ? random.pick(others) : place
    const id = String(++count)
    const base = { id, group: name, as, bucket: place.bucket, key: place.key }
    const target = { toBucket: to.bucket, toKey: to.key }
    switch (drawn) {
      case 'put':
      case 'upsert':
      case 'broken put':
      case 'slow put': {
        // of a slow one the first half is in the store already
        const size = drawn === 'slow put' ? around(random, 1024 * 1024) : drawSize(random, hasParts)
        const upsert = drawn !== 'put'
        const sending =
          drawn === 'broken put' ? { breakAt: random.below(size) } : drawn === 'slow put' ? { pauseMs: 50 + random.below(350) } : {}
        const payload = makePayload({ operation: id, key: place.key, owner: as, size, seed: random.below(2 ** 31) })
        return { operation: { ...base, ...sending, kind: 'put', upsert, value: md5(payload) }, payload }
      }
      case 'copy':
      case 'copy over':
        return { operation: { ...base, ...target, kind: 'copy', upsert: drawn === 'copy over' } }
      case 'move':
        return { operation: { ...base, ...target, kind: 'move' } }
      case 'list':
        return { operation: { ...base, kind: 'list', key: place.key.slice(0, place.key.indexOf('/') + 1) } }
      case 'bulk delete':
        return {
          operation: { ...base, kind: 'bulk delete', keys: places.filter(({ bucket }) => bucket === place.bucket).map(({ key }) => key) },
        }
      case 'spy':
        return { operation: { ...base, kind: 'spy', as: spy ?? as } }
      default:
        return { operation: { ...base, kind: /** @type {import('./operation.js').Kind} */ (drawn) } }
    }
  }
}

/**
 * Around the sizes at which the store changes its way: a block, 64 KiB for reading at once, 256 KiB for writing at once, 8 MiB for a part.
 * @param {Random} random @param {boolean} hasParts
 */
function drawSize(random, hasParts) {
  return Number(
    random.weigh({
      [SMALLEST + random.below(BLOCK)]: 50,
      [around(random, BLOCK)]: 10,
      [around(random, 64 * 1024)]: 20,
      [around(random, 256 * 1024)]: 15,
      [around(random, 1024 * 1024)]: 3,
      [around(random, 8 * 1024 * 1024)]: hasParts ? 2 : 0,
    }),
  )
}

const around = (/** @type {Random} */ random, /** @type {number} */ size) => size - 100 + random.below(200)
