const VERSION = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The column `version` may hold anybody's text: only a name of ours is asked of the store. */
export const versionId = (text) => (text !== null && VERSION.test(text) ? text : null);
