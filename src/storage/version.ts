import { isVersionId, type VersionId } from '../bytes/byte-store.ts'

/** The column `version` may hold anybody's text: only a name of ours is asked of the store. */
export const versionId = (text: string | null): VersionId | null => (text !== null && isVersionId(text) ? text : null)
