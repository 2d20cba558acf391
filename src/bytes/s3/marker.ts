import { MARKER_NAME, markerText, type StoreMarker, storeIdIn } from '../store-marker.ts'
import type { StoreNote } from '../store-note.ts'
import type { S3Calls } from './s3-calls.ts'
import { smallText } from './small-text.ts'

/** The mark as an object beside the versions. */
export function createS3StoreMarker(s3: S3Calls): StoreMarker {
  const { read, write } = smallText(s3, MARKER_NAME)
  return {
    read: async () => {
      const text = await read()
      if (text === null) return null
      return storeIdIn(text) ?? Promise.reject(new Error(`${s3.prefix}${MARKER_NAME} in the bucket ${s3.bucket} does not name a store`))
    },
    write: (storeId) => write(markerText(storeId)),
  }
}

/** The same of a note. @param understand throws for what is no such note */
export function createS3StoreNote<T>(s3: S3Calls, name: string, understand: (json: unknown) => T): StoreNote<T> {
  const { read, write } = smallText(s3, `${name}.json`)
  return {
    read: async () => {
      const text = await read()
      try {
        return text === null ? null : understand(JSON.parse(text))
      } catch {
        return null
      }
    },
    write: (value) => write(`${JSON.stringify(value)}\n`),
  }
}
