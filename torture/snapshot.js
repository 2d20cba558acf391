import { ask } from './http.js'
import { cellOf } from './object-model.js'
import { readObject } from './operation.js'

/**
 * What is there when nothing is under way, asked in every way there is, which must agree.
 * @param {import('./verdicts.js').Verdicts} verdicts
 * @param {import('./operation.js').Caller} caller
 * @param {readonly import('./world.js').Group[]} groups
 * @returns {Promise<import('./check-history.js').Snapshot>}
 */
export async function takeSnapshot(verdicts, { port, tokens, agent }, groups) {
  /** @type {Record<string, string>} */
  const snapshot = {}
  const get = (/** @type {string} */ path, /** @type {string} */ as) =>
    ask({ port, agent, method: 'GET', path, headers: { authorization: `Bearer ${tokens[as]}` } })

  const lists = new Map()
  for (const bucket of new Set(groups.flatMap(({ places }) => places.map((place) => place.bucket)))) {
    const { body } = await ask({
      port,
      agent,
      method: 'POST',
      path: `/object/list-v2/${bucket}`,
      headers: { authorization: `Bearer ${tokens.service}`, 'content-type': 'application/json' },
      body: '{"limit":1000,"with_delimiter":false}',
    })
    /** @type {{ objects: { name: string, metadata: { eTag: string, size: number } }[] }} */
    const { objects } = JSON.parse(body.toString())
    lists.set(bucket, new Map(objects.map((object) => [object.name, object])))
  }

  for (const { places, as } of groups) {
    for (const { bucket, key } of places) {
      const cell = cellOf(bucket, key)
      const read = await get(`/object/authenticated/${bucket}/${key}`, as)
      const info = await get(`/object/info/${bucket}/${key}`, as)
      const listed = lists.get(bucket)?.get(key)
      if (read.status !== 200) {
        const said = read.body.toString()
        if (!said.includes('Object not found')) verdicts.violated('C3', `${cell} cannot be read: ${read.status} ${said}`)
        if (info.status === 200 || listed) verdicts.violated('C3', `${cell} cannot be read, but is ${listed ? 'listed' : 'described'}`)
        continue
      }
      const {
        value = '',
        fault,
        faultKind,
      } = readObject({ id: 'snapshot', group: '', kind: 'get', as, bucket, key }, read.headers, read.body)
      snapshot[cell] = value
      if (fault) verdicts.violated(faultKind === 'owner' ? 'C9' : 'C3', fault)
      const size = String(read.body.length)
      if (read.headers['content-length'] !== size)
        verdicts.violated('C3', `${cell} says Content-Length ${read.headers['content-length']}, not ${size}`)
      const told = info.status === 200 ? JSON.parse(info.body.toString()) : null
      if (told?.etag?.replaceAll('"', '') !== value || String(told?.size) !== size)
        verdicts.violated('C3', `${cell} is described as ${info.body}`)
      if (listed?.metadata?.eTag !== `"${value}"` || String(listed?.metadata?.size) !== size)
        verdicts.violated('C2', `${cell} is listed as ${JSON.stringify(listed?.metadata)}`)
    }
  }
  return snapshot
}
