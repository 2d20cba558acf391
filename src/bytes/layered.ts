import { type ByteStore, NO_LIMIT, NoSuchBytes, type VersionId } from './byte-store.ts'

/**
 * Two stores as one, while bytes move from `behind` to `front`: new ones go to the front, and what is not there is read behind.
 * A version is the same bytes wherever it is, so both may have it.
 */
export function createLayeredByteStore(front: ByteStore, behind: ByteStore): ByteStore {
  return {
    put: front.put,
    get: async (version, options) => {
      try {
        return await front.get(version, options)
      } catch (error) {
        if (!(error instanceof NoSuchBytes)) throw error
        return behind.get(version, options)
      }
    },
    copy: async (from, to, options) => {
      try {
        return await front.copy(from, to, options)
      } catch (error) {
        if (!(error instanceof NoSuchBytes)) throw error
      }
      const source = await behind.get(from, { range: null, signal: options.signal })
      try {
        return await front.put(to, source, { maxBytes: NO_LIMIT, signal: options.signal })
      } finally {
        source.destroy()
      }
    },
    delete: async (versions) => {
      await Promise.all([front.delete(versions), behind.delete(versions)])
    },
    list: async (after, limit) => {
      const pages = await Promise.all([front.list(after, limit), behind.list(after, limit)])
      return [...new Set<VersionId>(pages.flat())].sort().slice(0, limit)
    },
    close: async () => {
      await Promise.all([front.close(), behind.close()])
    },
  }
}
